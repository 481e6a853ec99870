import type { Health, Lifecycle, TaskState } from '@/graphql/types';
import { Mark, type Shape, type Tone } from './mark';

const HEALTH: Record<Health, { tone: Tone; shape: Shape; word: string }> = {
  HEALTHY: { tone: 'good', shape: 'disc', word: 'Healthy' },
  DEGRADED: { tone: 'warn', shape: 'triangle', word: 'Degraded' },
  OFFLINE: { tone: 'bad', shape: 'square', word: 'Offline' },
  UNKNOWN: { tone: 'idle', shape: 'ring', word: 'Unknown' },
};

export const healthWord = (health: Health) => HEALTH[health].word;

export const isHealth = (state: Health | Lifecycle): state is Health => state in HEALTH;

export function HealthMark({ health }: { health: Health }) {
  const { tone, shape, word } = HEALTH[health];
  return (
    <Mark tone={tone} shape={shape}>
      {word}
    </Mark>
  );
}

const LIFECYCLE: Record<Lifecycle, { tone: Tone; shape: Shape; word: string }> = {
  PENDING: { tone: 'idle', shape: 'ring', word: 'Pending' },
  STARTING: { tone: 'busy', shape: 'ring', word: 'Starting' },
  READY: { tone: 'good', shape: 'check', word: 'Ready' },
  DRAINING: { tone: 'busy', shape: 'arrow', word: 'Draining' },
  PAUSED: { tone: 'warn', shape: 'pause', word: 'Paused' },
  SUSPECT: { tone: 'bad', shape: 'cross', word: 'Suspect' },
  GONE: { tone: 'idle', shape: 'bar', word: 'Gone' },
};

export function LifecycleMark({ lifecycle }: { lifecycle: Lifecycle }) {
  const { tone, shape, word } = LIFECYCLE[lifecycle];
  return (
    <Mark tone={tone} shape={shape}>
      {word}
    </Mark>
  );
}

const TASK: Record<TaskState, { tone: Tone; shape: Shape; word: string }> = {
  ACCEPTED: { tone: 'busy', shape: 'ring', word: 'Accepted' },
  RUNNING: { tone: 'busy', shape: 'disc', word: 'Running' },
  COMPLETED: { tone: 'good', shape: 'check', word: 'Completed' },
  FAILED: { tone: 'bad', shape: 'cross', word: 'Failed' },
  CANCELLED: { tone: 'idle', shape: 'bar', word: 'Cancelled' },
  UNKNOWN: { tone: 'warn', shape: 'triangle', word: 'Outcome unknown' },
};

export const taskWord = (state: TaskState) => TASK[state].word;

export function TaskMark({ state }: { state: TaskState }) {
  const { tone, shape, word } = TASK[state];
  return (
    <Mark tone={tone} shape={shape}>
      {word}
    </Mark>
  );
}

/** The end of a call or a change: OK, or the error code itself, which people search for. */
export function OutcomeMark({ outcome }: { outcome: string }) {
  if (outcome === 'OK') {
    return (
      <Mark tone="good" shape="check">
        OK
      </Mark>
    );
  }
  const refused = outcome === 'DENIED' || outcome === 'UNAUTHENTICATED' || outcome === 'RATE_LIMITED';
  return (
    <Mark
      tone={outcome === 'BUSINESS_ERROR' || outcome === 'OUTCOME_UNKNOWN' ? 'warn' : 'bad'}
      shape={refused ? 'bar' : 'cross'}
    >
      {outcome}
    </Mark>
  );
}

export function EffectMark({ effect }: { effect: 'ALLOW' | 'DENY' }) {
  return effect === 'ALLOW' ? (
    <Mark tone="good" shape="check">
      Allow
    </Mark>
  ) : (
    <Mark tone="bad" shape="bar">
      Deny
    </Mark>
  );
}

export function BreakerMark({ breaker, reason }: { breaker: string; reason: string }) {
  const title = reason === '' ? undefined : reason;
  const open = breaker.startsWith('OPEN');
  const closed = breaker.startsWith('CLOSED');
  return (
    <span title={title}>
      <Mark tone={open ? 'bad' : closed ? 'good' : 'warn'} shape={open ? 'square' : closed ? 'check' : 'triangle'}>
        {breaker.charAt(0) + breaker.slice(1).toLowerCase().replaceAll('_', ' ')}
      </Mark>
    </span>
  );
}
