import { expect, it } from 'vitest';
import { parseClientFrame } from './index.js';

const parse = (frame: object) => parseClientFrame(JSON.stringify({ type: 'subscribe', id: '1', ...frame }));

it.each([
  { stream: 'health' },
  { stream: 'health', filter: { capability: 'order_query', lifecycle: ['READY'], health: ['DEGRADED', 'OFFLINE'] } },
  { stream: 'tasks', filter: { taskId: 't1' } },
])('takes %j', (frame) => {
  expect(parse(frame).kind).toBe('FRAME');
});

it.each([
  [{ stream: 'health', filter: { health: ['ILL'] } }, 'filter.health', 'HEALTHY, DEGRADED, OFFLINE, UNKNOWN'],
  [{ stream: 'health', filter: { lifecycle: [] } }, 'filter.lifecycle', 'one or more of PENDING'],
  [{ stream: 'health', filter: { taskId: 't1' } }, 'filter.taskId', 'namespace, agent, capability, lifecycle, health'],
  [{ stream: 'tasks', filter: { agent: 'shop/a' } }, 'filter.agent', 'taskId'],
])('refuses %j and names %s', (frame, path, allowed) => {
  const parsed = parse(frame);
  if (parsed.kind !== 'FAULTY') throw new Error(parsed.kind);
  expect(parsed.error.fields).toMatchObject([{ path, allowed: expect.stringContaining(allowed) }]);
});
