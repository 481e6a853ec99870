import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { InstanceHealth } from './health-change';
import { LiveHealth } from './live-health';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const instance = (patch: Partial<InstanceHealth>): InstanceHealth => ({
  instance: 'orders/desk/i-1',
  agent: 'orders/desk',
  incarnation: 'a',
  version: 1,
  lifecycle: 'READY',
  health: 'HEALTHY',
  reason: 'heartbeat in time',
  changedAt: '2026-01-01T00:00:00.000Z',
  ...patch,
});

function collect() {
  const live = new LiveHealth(() => 1_000);
  const change = (patch: Partial<InstanceHealth>) => {
    live.take({ kind: 'CHANGE', position: 'p', reason: null, instances: [instance(patch)] });
    vi.runAllTimers();
  };
  const shown = () => live.view().agents.get('orders/desk')?.get('orders/desk/i-1');
  return { live, change, shown };
}

test('an older change of the same incarnation is ignored, one of a new incarnation is not', () => {
  const { change, shown } = collect();
  change({ version: 5, health: 'DEGRADED' });
  change({ version: 4, health: 'HEALTHY' });
  expect(shown()?.health).toBe('DEGRADED');
  change({ incarnation: 'b', version: 1, health: 'HEALTHY' });
  expect(shown()?.health).toBe('HEALTHY');
});

test('another reason alone does not outdate lists; a state does', () => {
  const { live, change } = collect();
  change({ version: 1 });
  const before = live.view().structure;
  change({ version: 2, reason: 'back in time' });
  expect(live.view().structure).toBe(before);
  change({ version: 3, health: 'OFFLINE' });
  expect(live.view().structure).toBe(before + 1);
});

test('a gone instance leaves its agent without instances', () => {
  const { live, change } = collect();
  change({ version: 1 });
  change({ version: 2, lifecycle: 'GONE', health: 'OFFLINE' });
  expect(live.view().agents.get('orders/desk')?.size).toBe(0);
});

test('a snapshot replaces everything', () => {
  const { live, change } = collect();
  change({ version: 1 });
  live.take({ kind: 'SNAPSHOT', position: 'q', reason: null, instances: [] });
  vi.runAllTimers();
  expect(live.view().agents.size).toBe(0);
});
