import { describe, expect, it } from 'vitest';
import type { TopologyEdge, TopologyNode } from './topology.operations';
import { edgeSentence, edgeTone, failedShare, lineWidth, nodeKind, nodeName, rate } from './topology-words';

const edge = (parts: Partial<TopologyEdge> = {}): TopologyEdge => ({
  from: 'agent:shop/web',
  to: 'agent:shop/orders',
  calls: 100,
  callsPerMinute: 20,
  failures: 0,
  errorRate: 0,
  outcomes: [],
  fromMemory: 0,
  latency: null,
  lastCallAt: '2026-01-31T12:00:00.000Z',
  capabilities: [],
  ...parts,
});

const failing = (...outcomes: { outcome: string; calls: number }[]) => {
  const failures = outcomes.reduce((sum, { calls }) => sum + calls, 0);
  return edge({ failures, errorRate: failures / 100, outcomes });
};

const node = (parts: Partial<TopologyNode> = {}): TopologyNode => ({
  id: 'agent:shop/orders',
  kind: 'AGENT',
  name: 'orders',
  namespace: 'shop',
  agent: null,
  unrouted: null,
  ...parts,
});

it.each([
  [0.05, '<0.1/min'],
  [0.24, '0.2/min'],
  [3, '3/min'],
  [14.4, '14/min'],
  [2310.2, '2,310/min'],
])('%d calls a minute read %s', (calls, text) => {
  expect(rate(calls)).toBe(text);
});

describe('an edge', () => {
  it('is bad from a tenth of failures on, business errors apart', () => {
    expect(edgeTone(edge())).toBe('idle');
    expect(edgeTone(failing({ outcome: 'AGENT_ERROR', calls: 9 }))).toBe('warn');
    expect(edgeTone(failing({ outcome: 'AGENT_ERROR', calls: 10 }))).toBe('bad');
    expect(edgeTone(failing({ outcome: 'BUSINESS_ERROR', calls: 90 }))).toBe('warn');
    expect(edgeTone(failing({ outcome: 'BUSINESS_ERROR', calls: 50 }, { outcome: 'DENIED', calls: 10 }))).toBe('bad');
  });

  it('says which share failed', () => {
    expect(failedShare(edge())).toBeUndefined();
    expect(failedShare(edge({ failures: 1, errorRate: 0.002 }))).toBe('<1 % failed');
    expect(failedShare(edge({ failures: 8, errorRate: 0.08 }))).toBe('8 % failed');
  });

  it('reads as a sentence', () => {
    const busy = edge({ failures: 8, errorRate: 0.08, latency: { p50Ms: 12, p95Ms: 40 } });
    expect(edgeSentence(busy, 'web', 'orders')).toBe('web calls orders: 20/min, 8 % failed, 95 % within 40 ms');
  });

  it('is thicker the more is called, within bounds', () => {
    expect(lineWidth(0)).toBe(1.5);
    expect(lineWidth(9)).toBeCloseTo(3.1);
    expect(lineWidth(1e9)).toBe(8);
  });
});

describe('a node', () => {
  it('has its namespace in its name where another one is looked at', () => {
    expect(nodeName(node(), 'shop')).toBe('orders');
    expect(nodeName(node(), 'bank')).toBe('shop/orders');
    expect(nodeName(node(), undefined)).toBe('shop/orders');
    expect(nodeName(node({ kind: 'USER', name: 'ann', namespace: null }), undefined)).toBe('ann');
  });

  it('says what it is', () => {
    expect(nodeKind(node({ kind: 'APP' }))).toBe('Program');
    expect(nodeKind(node({ kind: 'USER' }))).toBe('Person');
    expect(nodeKind(node())).toBe('Deleted agent');
  });
});
