import type { Candidate, RouteInstance } from '../candidate.js';
import { createLiveState } from '../live.js';

/** An instance whose fields a test may change. */
export type TestInstance = { -readonly [K in keyof RouteInstance]: RouteInstance[K] };

/** `shop/<agent>/<name>`, READY and idle, offering `q`. */
export function testInstance(agent: string, name: string, overrides: Partial<TestInstance> = {}): TestInstance {
  return {
    ref: `shop/${agent}/${name}`,
    agent: `shop/${agent}`,
    namespace: 'shop',
    agentType: 'shop.agent',
    version: '1.0.0',
    domain: 'PRODUCTION',
    zone: 'north',
    weight: 100,
    maxConcurrency: 100_000,
    maxQueue: 0,
    maxTasks: 100,
    capabilities: [{ name: 'q', aliases: [], tags: [], idempotent: true, mode: 'SYNC' }],
    live: createLiveState('READY', 'HEALTHY', ''),
    ...overrides,
  };
}

/** `shop/pool/i0`, `i1` and so on. */
export function testInstances(count: number, overrides: Partial<TestInstance> = {}): TestInstance[] {
  return Array.from({ length: count }, (_, index) =>
    testInstance('pool', `i${index}`, { ...overrides, live: createLiveState('READY', 'HEALTHY', '') }),
  );
}

export function candidateOf(instance: RouteInstance): Candidate {
  const [capability] = instance.capabilities;
  if (capability === undefined) throw new Error(`${instance.ref} offers nothing`);
  return { instance, capability };
}

/** Numbers from 0 to 1, the same ones for the same seed. Source: mulberry32. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
