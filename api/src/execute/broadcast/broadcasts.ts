import { decide, matchingInstances } from '@agent-reach/sdk/decide';
import {
  type AuditRecorder,
  type BroadcastAnswer,
  type InstanceRef,
  ReachError,
  WIRE_LIMITS,
  type WireError,
} from '@agent-reach/sdk/protocol';
import { type Clock, instant } from '../../perceive/clock.js';
import type { Registry } from '../../perceive/registry.js';
import { traceContext } from '../calls/trace-context.js';
import type { RateLimiter } from '../capacity/rate-limiter.js';
import type { BroadcastOutcome, BroadcastPort, CallerContext, CallHandle, CallPort, CallRequest } from '../ports.js';
import { namespaceMissing, routeRequest } from '../routing/route-request.js';
import type { Router } from '../routing/router.js';

export interface BroadcastsDeps {
  readonly clock: Clock;
  readonly registry: Pick<Registry, 'table'>;
  readonly router: Pick<Router, 'understand'>;
  readonly calls: Pick<CallPort, 'start'>;
  readonly limiter: Pick<RateLimiter, 'charge'>;
  readonly audit: AuditRecorder;
  readonly writeRecords: () => void;
}

/**
 * One call to every instance that matches. Each is an ordinary call of its own to that instance (`requestId/instance`),
 * with its own permission, claim, record and retries, so that a broadcast that is repeated executes nothing twice.
 */
export class Broadcasts implements BroadcastPort {
  constructor(private readonly deps: BroadcastsDeps) {}

  async broadcast(request: CallRequest, caller: CallerContext, signal?: AbortSignal): Promise<BroadcastOutcome> {
    const startedAt = this.deps.clock.monotonic();
    const trace = traceContext(request.traceparent);
    const head = { requestId: request.requestId, traceId: trace.traceId };
    let instances: readonly InstanceRef[];
    try {
      instances = this.#instances(request, caller);
      if (instances.length > 0) this.#charge(request, caller);
    } catch (error) {
      if (!(error instanceof ReachError)) throw error;
      this.#record(request, caller, head.traceId, startedAt, error.toWire(), []);
      return { ...head, error: error.toWire() };
    }
    const each = { ...request, traceparent: trace.traceparent };
    if (instances.length === 0) {
      // An ordinary call says best why nobody is there.
      const answer = await this.#ask(each, caller, undefined, signal);
      this.#record(request, caller, head.traceId, startedAt, answer.ok ? undefined : answer.error, []);
      return answer.ok ? { ...head, answers: [answer] } : { ...head, error: answer.error };
    }
    const answers = await Promise.all(instances.map((only) => this.#ask(each, caller, only, signal)));
    this.#record(request, caller, head.traceId, startedAt, undefined, answers);
    return { ...head, answers };
  }

  #instances(request: CallRequest, caller: CallerContext): readonly InstanceRef[] {
    const { router, registry, clock } = this.deps;
    const namespace = request.target.namespace ?? caller.namespace;
    if (namespace === undefined) throw namespaceMissing();
    const target = router.understand(request.target, caller, namespace);
    const instances = matchingInstances(
      registry.table,
      routeRequest(request, target, caller, namespace),
      instant(clock),
    );
    if (instances.length <= WIRE_LIMITS.maxBroadcast) return instances;
    throw new ReachError(
      'INVALID_INPUT',
      `${instances.length} instances match; a broadcast reaches at most ${WIRE_LIMITS.maxBroadcast}. Narrow its target.`,
    );
  }

  /** One logical call, one charge, however many it reaches. Throws RATE_LIMITED. */
  #charge(request: CallRequest, caller: CallerContext): void {
    const { registry, clock, limiter } = this.deps;
    const namespace = request.target.namespace ?? caller.namespace ?? '';
    const asked = routeRequest(request, request.target, caller, namespace);
    const { policy } = decide(registry.table, asked, instant(clock), () => 0);
    const limited = limiter.charge(caller.caller, policy);
    if (limited !== undefined) throw ReachError.fromWire(limited);
  }

  /** Without `only`: an ordinary call, for the error that it gets. */
  #ask(
    request: CallRequest,
    caller: CallerContext,
    only: InstanceRef | undefined,
    signal: AbortSignal | undefined,
  ): Promise<BroadcastAnswer> {
    return new Promise((resolve) => {
      const requestId = only === undefined ? request.requestId : `${request.requestId}/${only}`;
      let handle: CallHandle | undefined;
      const cancel = () => handle?.cancel('CALLER_GONE');
      handle = this.deps.calls.start(
        only === undefined ? request : { ...request, requestId, only, partOf: request.requestId },
        caller,
        (outcome) => {
          signal?.removeEventListener('abort', cancel);
          const { durationMs } = outcome;
          const instance = outcome.instance ?? only ?? '//';
          if (!outcome.ok) return resolve({ instance, ok: false, error: outcome.error, durationMs });
          const result = outcome.taskId === undefined ? outcome.result : { taskId: outcome.taskId };
          resolve({ instance, ok: true, result, durationMs });
        },
        signal?.aborted,
      );
      signal?.addEventListener('abort', cancel, { once: true });
    });
  }

  /** Beside the records of its calls: how many were reached, and how many answered. */
  #record(
    { requestId, target }: CallRequest,
    caller: CallerContext,
    traceId: string,
    startedAt: number,
    error: WireError | undefined,
    answers: readonly BroadcastAnswer[],
  ): void {
    const { clock, audit, writeRecords } = this.deps;
    const durationMs = clock.monotonic() - startedAt;
    const namespace = target.namespace ?? caller.namespace ?? '';
    audit.record({
      occurredAt: Math.round(clock.wall() - durationMs),
      kind: 'CALL',
      namespace,
      action: 'broadcast',
      actor: caller.sentBy ?? caller.caller,
      ...(caller.sentBy === undefined ? {} : { onBehalfOf: caller.caller }),
      target: target.agent === undefined ? '' : `${namespace}/${target.agent}`,
      ...(target.capability === undefined ? {} : { capability: target.capability }),
      outcome: error?.code ?? 'OK',
      requestId,
      traceId,
      durationMs,
      details: { reached: answers.length, answered: answers.filter(({ ok }) => ok).length, error },
    });
    writeRecords();
  }
}
