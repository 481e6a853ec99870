import { expect, test } from 'vitest';
import { StopOrder } from './stop-order.js';

function recorder(): { seen: string[]; parts: StopOrder } {
  const seen: string[] = [];
  return { seen, parts: new StopOrder((part, error) => seen.push(`${part}: ${String(error)}`)) };
}

test('parts stop one after the other, the last started first, and only once', async () => {
  const { seen, parts } = recorder();
  for (const name of ['Postgres', 'console', 'API']) {
    parts.add({
      name,
      stop: async () => {
        seen.push(`${name} stops`);
        await Promise.resolve();
        seen.push(`${name} stopped`);
      },
    });
  }
  await parts.stop();
  await parts.stop();
  expect(seen).toEqual([
    'API stops',
    'API stopped',
    'console stops',
    'console stopped',
    'Postgres stops',
    'Postgres stopped',
  ]);
});

test('a part that fails to stop does not keep the others running', async () => {
  const { seen, parts } = recorder();
  parts.add({ name: 'Postgres', stop: () => void seen.push('Postgres stopped') });
  parts.add({ name: 'API', stop: () => Promise.reject(new Error('stuck')) });
  await parts.stop();
  expect(seen).toEqual(['API: Error: stuck', 'Postgres stopped']);
});

test('kill ends what has not ended, the part that is just stopping too', async () => {
  const { seen, parts } = recorder();
  parts.add({ name: 'Postgres', stop: () => {}, kill: () => void seen.push('Postgres killed') });
  parts.add({ name: 'API', stop: () => new Promise(() => {}), kill: () => void seen.push('API killed') });
  void parts.stop();
  parts.kill();
  expect(seen).toEqual(['API killed', 'Postgres killed']);
});
