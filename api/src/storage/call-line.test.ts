import type { AuditRecord, CallDetails } from '@agent-reach/sdk/protocol';
import { describe, expect, it } from 'vitest';
import { printCall } from './call-line.js';

const attempt = {
  instance: 'shop/stock/a',
  outcome: 'OK',
  startedMs: 0.07,
  decideMs: 0.012,
  queueMs: 0,
  ackMs: null,
  durationMs: 12.005,
} as const;

const details: CallDetails = {
  alias: undefined,
  need: undefined,
  replayed: undefined,
  cached: undefined,
  fallback: undefined,
  taskId: undefined,
  stages: { TARGET: [200, 200], PERMISSION: [16, 15], STRATEGY: [15, 3] },
  policy: { name: 'default', version: 1, strategy: 'WEIGHTED_SCORE' },
  top: [
    { instance: 'shop/stock/a', score: 0.9875 },
    { instance: 'shop/stock/b', score: -0.5 },
  ],
  attempts: [attempt],
  paramsHash: 'aGFzaA_-',
  error: undefined,
};

function call(parts: Partial<AuditRecord> = {}, more: Partial<CallDetails> = {}): AuditRecord {
  return {
    occurredAt: 1_790_000_000_123,
    kind: 'CALL',
    namespace: 'shop',
    action: 'call',
    actor: 'agent:shop/orders',
    target: 'shop/stock',
    capability: 'stock.find',
    instance: 'shop/stock/a',
    outcome: 'OK',
    requestId: 'r-1',
    traceId: '0123456789abcdef0123456789abcdef',
    durationMs: 12.1,
    attempts: 1,
    ...parts,
    details: { ...details, ...more },
  };
}

describe('printCall', () => {
  it.each<[string, AuditRecord]>([
    ['an ordinary call', call()],
    ['a call from another namespace', call({ callerNamespace: 'web "shop"' })],
    [
      'whole, tiny, large and odd times',
      call(
        { durationMs: 5 },
        {
          attempts: [{ ...attempt, startedMs: 0.001, decideMs: 3, queueMs: 600_000.5, ackMs: 0.1, durationMs: 1 / 3 }],
        },
      ),
    ],
    ['two attempts', call({ attempts: 2 }, { attempts: [{ ...attempt, outcome: 'CONNECTION_LOST' }, attempt] })],
    ['other counts', call({}, { stages: { TARGET: [1, 1], STRATEGY: [1, 1] } })],
    ['nobody ranked', call({}, { top: [] })],
    ['spaces and signs in names', call({ requestId: "a b:c/d'e" })],
  ])('%s prints as JSON.stringify does', (_, record) => {
    const printed = printCall(record);
    expect(JSON.parse(printed ?? '')).toEqual(JSON.parse(JSON.stringify(record)));
  });

  it.each<[string, AuditRecord]>([
    ['a failure', call({ outcome: 'AGENT_ERROR' })],
    ['a quote in an id', call({ requestId: 'a"b' })],
    ['a backslash', call({ requestId: 'a\\b' })],
    ['a line break', call({ requestId: 'a\nb' })],
    ['a letter beyond ASCII', call({ requestId: 'ä' })],
    ['a replay', call({}, { replayed: true })],
    ['an answer from the cache', call({}, { cached: true })],
    ['an answer of the fallback', call({}, { fallback: 'AGENT' })],
    ['an accepted task', call({}, { taskId: 't1' })],
    ['the end of a task', call({ action: 'task' })],
    ['a call by alias', call({}, { alias: 'stock.look-up' })],
    ['a call by need', call({}, { need: 'what is in stock' })],
    ['a call on behalf of another', call({ onBehalfOf: 'agent:shop/web' })],
    ['a call that was not decided', call({}, { stages: undefined })],
    ['a change', call({ kind: 'CHANGE' })],
  ])('%s is left to JSON.stringify', (_, record) => {
    expect(printCall(record)).toBeUndefined();
  });
});
