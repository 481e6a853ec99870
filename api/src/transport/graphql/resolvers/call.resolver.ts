import { randomUUID } from 'node:crypto';
import { type JsonObject, WIRE_LIMITS } from '@agent-reach/sdk/protocol';
import { Arg, Ctx, Mutation, Resolver } from 'type-graphql';
import type { CallOutcome, CallRequest } from '../../../execute/ports.js';
import { demand } from '../../../governance/access/actions.js';
import type { Principal } from '../../../governance/access/principal.js';
import { invalid } from '../access.js';
import { callerContext, callerOf } from '../callers.js';
import type { GraphqlContext } from '../context.js';
import type { GraphqlServices } from '../services.js';
import { CallCompleted, CallFailed, DispatchInput, DispatchResultUnion } from '../types/calls.types.js';
import { targetOf } from './call-target.js';

@Resolver()
export class CallResolver {
  constructor(private readonly services: Pick<GraphqlServices, 'calls' | 'registry'>) {}

  @Mutation(() => DispatchResultUnion, {
    description:
      "Calls a capability and answers how the call ended. Needs OPERATOR in the target's namespace, and a permission rule for the caller like every call.",
  })
  async dispatch(
    @Ctx() { principal, signal }: GraphqlContext,
    @Arg('input', () => DispatchInput, { description: 'The call.' }) input: DispatchInput,
  ): Promise<CallCompleted | CallFailed> {
    const namespace = input.target.namespace ?? principal.namespace;
    if (namespace === undefined) {
      invalid('input.target.namespace', 'nothing', `a namespace: ${principal.caller} belongs to none`);
    }
    demand(principal, 'calls.dispatch', namespace);
    const caller = this.#callerOf(principal, input, namespace);
    const request = requestOf(input, namespace);
    return answerOf(await this.services.calls.call(request, caller, signal));
  }

  #callerOf(principal: Principal, input: DispatchInput, namespace: string) {
    if (input.onBehalfOf == null) return callerContext(principal, principal.caller, namespace, this.services.registry);
    const other = callerOf(input.onBehalfOf, 'input.onBehalfOf');
    demand(principal, 'calls.impersonate', namespace);
    return callerContext(principal, other, namespace, this.services.registry);
  }
}

function requestOf(input: DispatchInput, namespace: string): CallRequest {
  const { requestId, params, timeoutMs, affinityKey } = input;
  if (requestId != null && (requestId.length < 1 || requestId.length > WIRE_LIMITS.maxRequestIdLength)) {
    invalid('input.requestId', `${requestId.length} characters`, `1 to ${WIRE_LIMITS.maxRequestIdLength} characters`);
  }
  if (timeoutMs != null && (timeoutMs < 1 || timeoutMs > WIRE_LIMITS.maxTimeoutMs)) {
    invalid('input.timeoutMs', String(timeoutMs), `1 to ${WIRE_LIMITS.maxTimeoutMs}`);
  }
  if (typeof params !== 'object' || params === null || Array.isArray(params)) {
    invalid('input.params', Array.isArray(params) ? 'a list' : typeof params, 'an object');
  }
  if (affinityKey != null && affinityKey.length > 256) {
    invalid('input.affinityKey', `${affinityKey.length} characters`, 'at most 256 characters');
  }
  return {
    requestId: requestId ?? randomUUID(),
    target: targetOf(input.target, namespace),
    params: params as JsonObject,
    timeoutMs: timeoutMs ?? undefined,
    traceparent: undefined,
    affinityKey: affinityKey ?? undefined,
    zone: undefined,
    serving: undefined,
    headers: undefined,
  };
}

function answerOf(outcome: CallOutcome): CallCompleted | CallFailed {
  const { requestId, attempts, durationMs } = outcome;
  if (outcome.ok) {
    return Object.assign(new CallCompleted(), {
      requestId,
      attempts,
      durationMs,
      result: outcome.result,
      instance: outcome.instance ?? null,
      replayed: outcome.replayed,
    });
  }
  const { code, message, retryable, retryAfterMs, details, fields } = outcome.error;
  return Object.assign(new CallFailed(), {
    requestId,
    attempts,
    durationMs,
    code,
    message,
    retryable,
    retryAfterMs: retryAfterMs === undefined ? null : Math.ceil(retryAfterMs),
    details: details === undefined && fields === undefined ? null : { ...details, ...(fields && { fields }) },
  });
}
