import { operation } from '@/graphql/operation';
import type { StreamEvent } from '@/graphql/stream';
import type { Health, Lifecycle } from '@/graphql/types';

/** One instance's state as the stream tells it. */
export interface InstanceHealth {
  readonly instance: string;
  readonly agent: string;
  readonly incarnation: string;
  readonly version: number;
  readonly lifecycle: Lifecycle;
  readonly health: Health;
  readonly reason: string;
  readonly changedAt: string;
}

export interface HealthEvent extends StreamEvent {
  readonly instances: readonly InstanceHealth[];
}

export const HEALTH_CHANGES = operation<Record<string, HealthEvent>, Record<string, unknown>>(`
  subscription HealthChanges($after: String, $filter: HealthFilterInput) {
    healthChanges(after: $after, filter: $filter) {
      kind position reason
      instances {
        instance agent incarnation version lifecycle health reason changedAt
      }
    }
  }
`);
