import { asFailure } from '@/graphql/failure';
import type { Operation } from '@/graphql/operation';
import { request } from '@/graphql/request';
import {
  DRAIN_AGENT,
  DRAIN_INSTANCE,
  PAUSE_AGENT,
  PAUSE_INSTANCE,
  RESUME_AGENT,
  RESUME_INSTANCE,
} from './agent.operations';

/** What an operator does to an agent as a whole, or to one instance. */
export type SteeringVerb = 'drain' | 'pause' | 'resume';

export interface Steering {
  readonly verb: SteeringVerb;
  readonly subject: { readonly is: 'agent' | 'instance'; readonly ref: string };
}

type Reasoned<Name extends string> = { readonly [key in Name]: string } & { readonly reason?: string | null };

const OF_INSTANCE: Record<SteeringVerb, Operation<unknown, Reasoned<'instance'>>> = {
  drain: DRAIN_INSTANCE,
  pause: PAUSE_INSTANCE,
  resume: RESUME_INSTANCE,
};
const OF_AGENT: Record<SteeringVerb, Operation<unknown, Reasoned<'ref'>>> = {
  drain: DRAIN_AGENT,
  pause: PAUSE_AGENT,
  resume: RESUME_AGENT,
};

/** Does it. Throws a RequestFailure. `reason` is what other operators will read; resuming has none. */
export async function steer({ verb, subject }: Steering, reason: string): Promise<void> {
  const told = verb === 'resume' || reason.trim() === '' ? {} : { reason: reason.trim() };
  try {
    if (subject.is === 'instance') await request(OF_INSTANCE[verb], { instance: subject.ref, ...told });
    else await request(OF_AGENT[verb], { ref: subject.ref, ...told });
  } catch (error) {
    throw asFailure(error);
  }
}

export const STEERING_WORDS: Record<
  SteeringVerb,
  { readonly title: string; readonly effect: string; readonly done: string }
> = {
  drain: {
    title: 'Drain',
    effect: 'It gets no new call. Running calls finish, then it says goodbye.',
    done: 'is draining',
  },
  pause: {
    title: 'Pause',
    effect: 'It gets no new call until it is resumed. Running calls finish. A pause outlives restarts.',
    done: 'is paused',
  },
  resume: { title: 'Resume', effect: 'It gets calls again.', done: 'is resumed' },
};
