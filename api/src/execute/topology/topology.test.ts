import type { AuditRecord } from '@agent-reach/sdk/protocol';
import { describe, expect, it } from 'vitest';
import { TestClock } from '../../perceive/testing.js';
import { TestExecution } from '../testing.js';
import { totalOf } from './edge.js';
import { type SeesCall, Topology, type TopologyBounds, type TopologyReading } from './topology.js';

const MINUTE = 60_000;
const KNOWN = ['shop/orders', 'shop/web', 'bank/ledger'];
const everything: SeesCall = () => true;

function topologyOf(bounds?: TopologyBounds) {
  const clock = new TestClock();
  const topology = new Topology({ clock, knows: (agent) => KNOWN.includes(agent) }, bounds);
  const passed: AuditRecord[] = [];
  const recorder = topology.counting({ record: (entry) => passed.push(entry) });
  const call = (parts: Partial<AuditRecord> = {}) => {
    const entry = record(parts);
    recorder.record(entry);
    return entry;
  };
  return { clock, topology, passed, recorder, call };
}

/** The record of a call that was answered. */
function record(parts: Partial<AuditRecord> = {}): AuditRecord {
  return {
    occurredAt: 0,
    kind: 'CALL',
    namespace: 'shop',
    action: 'call',
    actor: 'agent:shop/web',
    target: 'shop/orders',
    capability: 'order_query',
    outcome: 'OK',
    durationMs: 4,
    attempts: 1,
    details: {},
    ...parts,
  };
}

/** Each edge in one line. */
function lines({ edges }: TopologyReading): string[] {
  return edges.map(({ caller, agent, capabilities }) => {
    const { calls, failures } = totalOf(capabilities);
    const names = capabilities.map(({ name, figures }) => `${name} ${figures.calls}`).join(', ');
    return `${caller} > ${agent ?? 'nobody'}: ${calls} calls, ${failures} failed (${names})`;
  });
}

describe('an edge', () => {
  it('counts calls by capability, and how they failed', () => {
    const { topology, call } = topologyOf();
    call();
    call();
    call({ capability: 'order_create' });
    call({ outcome: 'AGENT_ERROR' });
    call({ outcome: 'DENIED', attempts: 0 });
    const reading = topology.read(5 * MINUTE, everything);
    expect(lines(reading)).toEqual(['agent:shop/web > shop/orders: 5 calls, 2 failed (order_query 4, order_create 1)']);
    expect(totalOf(reading.edges[0]?.capabilities ?? []).failuresBy).toEqual(
      new Map([
        ['AGENT_ERROR', 1],
        ['DENIED', 1],
      ]),
    );
  });

  it('times only what an instance was asked for', () => {
    const { topology, call } = topologyOf();
    call({ durationMs: 10 });
    call({ durationMs: 30, outcome: 'AGENT_ERROR' });
    call({ durationMs: 0.1, attempts: 0, details: { cached: true } });
    call({ durationMs: 0.1, details: { replayed: true } });
    call({ durationMs: 0.1, attempts: 0, outcome: 'DENIED' });
    const [edge] = topology.read(5 * MINUTE, everything).edges;
    const figures = totalOf(edge?.capabilities ?? []);
    expect(figures.fromMemory).toBe(2);
    expect(figures.latency).toEqual({ meanMs: 20, p50Ms: 13, p95Ms: 29, p99Ms: 29.8 });
  });

  it('has no latency while no instance was asked', () => {
    const { topology, call } = topologyOf();
    call({ attempts: 0, outcome: 'DENIED' });
    expect(totalOf(topology.read(5 * MINUTE, everything).edges[0]?.capabilities ?? []).latency).toBeUndefined();
  });

  it('belongs to whom the call was made for', () => {
    const { topology, call } = topologyOf();
    call({ actor: 'user:ann', onBehalfOf: 'app:shop/site' });
    expect(lines(topology.read(5 * MINUTE, everything))).toEqual([
      'app:shop/site > shop/orders: 1 calls, 0 failed (order_query 1)',
    ]);
  });

  it('says when the last call ended', () => {
    const { clock, topology, call } = topologyOf();
    clock.advance(20_000);
    call();
    clock.advance(5_000);
    const { edges, wallOf } = topology.read(5 * MINUTE, everything);
    const lastAt = totalOf(edges[0]?.capabilities ?? []).lastAt;
    expect(new Date(wallOf(lastAt)).toISOString()).toBe('2026-01-01T00:00:20.000Z');
  });

  it('is not there when nothing was called within the window', () => {
    const { clock, topology, call } = topologyOf();
    call();
    clock.advance(2 * MINUTE);
    expect(topology.read(MINUTE, everything).edges).toEqual([]);
    expect(lines(topology.read(5 * MINUTE, everything))).toHaveLength(1);
  });
});

describe('a call that reached no agent', () => {
  it('is counted for its caller', () => {
    const { topology, call } = topologyOf();
    call({ target: '', outcome: 'NO_ROUTE', attempts: 0 });
    call({ target: 'type:shop/operations', outcome: 'NO_ROUTE', attempts: 0 });
    call({ target: 'shop/made-up', outcome: 'NO_ROUTE', attempts: 0 });
    expect(lines(topology.read(5 * MINUTE, everything))).toEqual([
      'agent:shop/web > nobody: 3 calls, 3 failed (order_query 3)',
    ]);
  });

  it('has an edge when the agent is known, whether or not it is there', () => {
    const { topology, call } = topologyOf();
    call({ outcome: 'NO_ROUTE', attempts: 0 });
    expect(lines(topology.read(5 * MINUTE, everything))).toEqual([
      'agent:shop/web > shop/orders: 1 calls, 1 failed (order_query 1)',
    ]);
  });
});

describe('a reader', () => {
  it('sees calls by the namespaces of both ends', () => {
    const { topology, call } = topologyOf();
    call();
    call({ actor: 'agent:bank/teller' });
    call({ target: 'bank/ledger', namespace: 'bank', callerNamespace: 'shop' });
    call({ target: '', namespace: 'bank', callerNamespace: 'shop', outcome: 'NO_ROUTE', attempts: 0 });
    call({ actor: 'user:ann' });
    const shop: SeesCall = (from, to) => (from === undefined || from === 'shop') && to === 'shop';
    expect(lines(topology.read(5 * MINUTE, shop))).toEqual([
      'agent:shop/web > shop/orders: 1 calls, 0 failed (order_query 1)',
      'user:ann > shop/orders: 1 calls, 0 failed (order_query 1)',
    ]);
    expect(topology.read(5 * MINUTE, everything).edges).toHaveLength(5);
  });
});

describe('the stretch that is counted', () => {
  it('begins with the server', () => {
    const { clock, topology } = topologyOf();
    clock.advance(20_000);
    const { since, coveredMs } = topology.read(5 * MINUTE, everything);
    expect(new Date(since).toISOString()).toBe('2026-01-01T00:00:00.000Z');
    expect(coveredMs).toBe(20_000);
  });

  it('is the window in whole steps later on', () => {
    const { clock, topology } = topologyOf();
    clock.advance(60 * MINUTE);
    expect(topology.read(MINUTE, everything).coveredMs).toBe(70_000);
    expect(topology.read(15 * MINUTE, everything).coveredMs).toBe(1_000_000);
  });

  it('does not follow steps of the wall clock', () => {
    const { clock, topology, call } = topologyOf();
    call();
    clock.stepWall(-3_600_000);
    call();
    expect(lines(topology.read(MINUTE, everything))).toEqual([
      'agent:shop/web > shop/orders: 2 calls, 0 failed (order_query 2)',
    ]);
  });
});

describe('memory', () => {
  it('holds so many lanes; what has no place is counted for those who may know of it', () => {
    const { topology, call } = topologyOf({ maxLanes: 2, maxUnrouted: 16 });
    call();
    call({ capability: 'order_create' });
    call({ capability: 'order_cancel' });
    call({ actor: 'user:ann' });
    call({ target: 'bank/ledger', namespace: 'bank' });
    call();
    const all = topology.read(5 * MINUTE, everything);
    expect(lines(all)).toEqual(['agent:shop/web > shop/orders: 3 calls, 0 failed (order_query 2, order_create 1)']);
    expect(all.uncounted).toBe(3);
    expect(topology.read(5 * MINUTE, (_, to) => to === 'shop').uncounted).toBe(2);
  });

  it('is free again an hour after the last call', () => {
    const { clock, topology, call } = topologyOf({ maxLanes: 1, maxUnrouted: 16 });
    call();
    clock.advance(30 * MINUTE);
    topology.expire();
    call({ capability: 'order_create' });
    expect(topology.read(5 * MINUTE, everything)).toMatchObject({ edges: [], uncounted: 1 });
    clock.advance(31 * MINUTE);
    topology.expire();
    call({ capability: 'order_create' });
    expect(lines(topology.read(5 * MINUTE, everything))).toEqual([
      'agent:shop/web > shop/orders: 1 calls, 0 failed (order_create 1)',
    ]);
  });

  it('tells sixteen capabilities of an edge apart', () => {
    const { topology, call } = topologyOf();
    for (let name = 0; name < 20; name++) call({ capability: `c${name}` });
    const [edge] = topology.read(5 * MINUTE, everything).edges;
    expect(edge?.capabilities).toHaveLength(17);
    expect(edge?.capabilities[0]).toMatchObject({ name: undefined, figures: { calls: 4 } });
  });

  it('is not spent on namespaces that a caller makes up', () => {
    const { topology, call } = topologyOf({ maxLanes: 100, maxUnrouted: 2 });
    for (let name = 0; name < 5; name++) {
      call({ target: '', namespace: `n${name}`, outcome: 'NOT_FOUND', attempts: 0 });
    }
    const { edges, uncounted } = topology.read(5 * MINUTE, everything);
    expect(edges).toHaveLength(2);
    expect(uncounted).toBe(3);
  });
});

describe('the recorder', () => {
  it('passes everything on, and counts calls alone', () => {
    const { topology, passed, recorder, call } = topologyOf();
    const made = call();
    const change = record({ kind: 'CHANGE', action: 'policy.update' });
    const broadcast = record({ action: 'broadcast' });
    recorder.record(change);
    recorder.record(broadcast);
    expect(passed).toEqual([made, change, broadcast]);
    expect(lines(topology.read(5 * MINUTE, everything))).toEqual([
      'agent:shop/web > shop/orders: 1 calls, 0 failed (order_query 1)',
    ]);
  });

  it('counts what execution records: answers, failures, refusals and what finds nobody', async () => {
    const x = new TestExecution();
    const { topology, recorder } = topologyOf();
    await x.join('one');
    x.call();
    x.last.answer({ status: 'sent' });
    x.call();
    x.last.fail('AGENT_ERROR', 'It broke.');
    x.call({ target: { agent: 'orders', capability: 'nothing_like_it' } });
    x.call({ target: { capability: 'nothing_like_it' } });
    for (const entry of x.audit) recorder.record(entry);
    expect(lines(topology.read(5 * MINUTE, everything))).toEqual([
      'agent:shop/web > shop/orders: 3 calls, 2 failed (order_query 2, nothing_like_it 1)',
      'agent:shop/web > nobody: 1 calls, 1 failed (nothing_like_it 1)',
    ]);
  });
});
