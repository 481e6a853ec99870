import { Arg, Ctx, Mutation, Resolver } from 'type-graphql';
import type { BroadcastOutcome, CallOutcome } from '../../../execute/ports.js';
import type { GraphqlContext } from '../context.js';
import type { GraphqlServices } from '../services.js';
import { BroadcastGatheredType, BroadcastInput } from '../types/broadcasts.types.js';
import { CallAccepted, CallCompleted, CallFailed, DispatchInput, DispatchResultUnion } from '../types/calls.types.js';
import { callErrorNode } from '../types/errors.types.js';
import { requestOf } from './call-request.js';
import { senderOf } from './call-sender.js';

@Resolver()
export class CallResolver {
  constructor(private readonly services: Pick<GraphqlServices, 'calls' | 'broadcasts' | 'registry'>) {}

  @Mutation(() => DispatchResultUnion, {
    description:
      "Calls a capability and answers how the call ended, or that it was accepted as a task. Needs OPERATOR in the target's namespace, and a permission rule for the caller like every call.",
  })
  async dispatch(
    @Ctx() { principal, signal }: GraphqlContext,
    @Arg('input', () => DispatchInput, { description: 'The call.' }) input: DispatchInput,
  ): Promise<CallCompleted | CallFailed | CallAccepted> {
    const { namespace, caller } = senderOf(principal, input, this.services.registry);
    return answerOf(await this.services.calls.call(requestOf(input, namespace), caller, signal));
  }

  @Mutation(() => BroadcastGatheredType, {
    description:
      "Calls every instance that matches, and answers what each said within the time. Needs OPERATOR in the target's namespace, and a permission rule for the caller like every call.",
  })
  async broadcast(
    @Ctx() { principal, signal }: GraphqlContext,
    @Arg('input', () => BroadcastInput, { description: 'The call.' }) input: BroadcastInput,
  ): Promise<BroadcastGatheredType> {
    const { namespace, caller } = senderOf(principal, input, this.services.registry);
    return gatheredOf(await this.services.broadcasts.broadcast(requestOf(input, namespace), caller, signal));
  }
}

function answerOf(outcome: CallOutcome): CallCompleted | CallFailed | CallAccepted {
  const { requestId, attempts, durationMs, replayed, taskId } = outcome;
  const instance = outcome.instance ?? null;
  if (!outcome.ok) {
    return Object.assign(new CallFailed(), { requestId, attempts, durationMs, ...callErrorNode(outcome.error) });
  }
  if (taskId !== undefined) {
    return Object.assign(new CallAccepted(), { requestId, attempts, durationMs, taskId, instance, replayed });
  }
  return Object.assign(new CallCompleted(), {
    requestId,
    attempts,
    durationMs,
    result: outcome.result,
    instance,
    replayed,
    cached: outcome.cached,
    fallback: outcome.fallback ?? null,
  });
}

function gatheredOf(outcome: BroadcastOutcome): BroadcastGatheredType {
  const { requestId, traceId } = outcome;
  if ('error' in outcome) return { requestId, traceId, answers: [], error: callErrorNode(outcome.error) };
  const answers = outcome.answers.map(({ instance, durationMs, ...rest }) => ({
    instance,
    durationMs,
    result: rest.ok ? rest.result : null,
    error: rest.ok ? null : callErrorNode(rest.error),
  }));
  return { requestId, traceId, answers, error: null };
}
