import { RouteTable } from '@agent-reach/sdk/decide';
import { instanceOf } from './decide-table.js';

/** A storm: so many instances of one capability join, leave in another order and come back. Joins or leaves per second. */
export function joinsPerSecond(instances: number): number {
  const table = new RouteTable();
  const all = Array.from({ length: instances }, (_, index) => instanceOf(index));
  const startedAt = performance.now();
  for (const instance of all) table.put(instance);
  for (let index = 0; index < instances; index++) {
    // A step that is prime to the number goes through all of them.
    const leaving = all[(index * 7_919) % instances];
    if (leaving !== undefined) table.remove(leaving.ref);
  }
  for (const instance of all) table.put(instance);
  return (3 * instances * 1000) / (performance.now() - startedAt);
}
