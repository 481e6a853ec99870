import { expect, test } from 'vitest';
import type { InstanceHealth } from '@/features/live/health-change';
import { agentState } from './live-agent';

const queried = {
  health: 'HEALTHY' as const,
  healthReason: 'all well',
  instanceCount: 2,
  readyCount: 2,
  inFlight: 3,
  instances: [
    { lifecycle: 'READY' as const, utilisation: 0.2 },
    { lifecycle: 'READY' as const, utilisation: null },
  ],
};

const live = (...instances: Partial<InstanceHealth>[]) =>
  new Map(
    instances.map((patch, index) => [
      `orders/desk/i-${index}`,
      {
        instance: `orders/desk/i-${index}`,
        agent: 'orders/desk',
        incarnation: 'a',
        version: 1,
        lifecycle: 'READY' as const,
        health: 'HEALTHY' as const,
        reason: 'heartbeat in time',
        changedAt: '2026-01-01T00:00:00.000Z',
        ...patch,
      },
    ]),
  );

test('without news the queried state stands', () => {
  expect(agentState(queried, undefined)).toMatchObject({ health: 'HEALTHY', inFlight: 3, utilisation: 0.2 });
});

test('an agent is as healthy as the best of its instances, and as loaded as was queried', () => {
  const state = agentState(
    queried,
    live(
      { health: 'OFFLINE', lifecycle: 'SUSPECT', reason: 'connection lost' },
      { health: 'DEGRADED', reason: 'utilisation 0.83 over 0.7' },
    ),
  );
  expect(state).toEqual({
    health: 'DEGRADED',
    healthReason: 'utilisation 0.83 over 0.7',
    instanceCount: 2,
    readyCount: 1,
    inFlight: 3,
    utilisation: 0.2,
  });
});

test('an agent whose last instance went is offline', () => {
  expect(agentState(queried, new Map())).toMatchObject({ health: 'OFFLINE', instanceCount: 0, inFlight: 0 });
});
