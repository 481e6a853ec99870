import type { RecordedDecision } from '@agent-reach/sdk/decide';
import {
  type AuditRecord,
  type CancelReason,
  type DispatchFrame,
  ReachError,
  type RegisterFrame,
} from '@agent-reach/sdk/protocol';
import type { Instance, Link } from '../perceive/instance.js';
import { TestRegistry, testLink } from '../perceive/testing.js';
import type { Delivery } from './attempts/delivery.js';
import { TICK_MS, TimingWheel } from './attempts/timing-wheel.js';
import { CallMetrics } from './calls/call-metrics.js';
import { Executor } from './executor.js';
import type { ClaimKey, KnownClaim } from './idempotency/claims.port.js';
import { Holds } from './idempotency/hold.js';
import type { ClaimRecovery } from './idempotency/recovery.js';
import { TestClaims } from './idempotency/testing-claims.js';
import type { CallerContext, CallOutcome, CallRequest } from './ports.js';
import { Router } from './routing/router.js';
import { TestTasks } from './tasks/testing-tasks.js';

/** A dispatch that reached an instance, and what a test can do with it as that instance. */
export class Received {
  cancelled: CancelReason | undefined;

  constructor(
    readonly frame: DispatchFrame,
    readonly instance: Instance,
    private readonly link: Link,
    private readonly executor: Executor,
  ) {}

  answer(result: unknown, link: Link = this.link): void {
    this.executor.attempts.completed(
      { type: 'result', dispatchId: this.frame.dispatchId, ok: true, result },
      link,
      100,
    );
  }
  fail(code: 'BUSINESS_ERROR' | 'AGENT_ERROR' | 'OUTCOME_UNKNOWN', message: string, retryable = false): void {
    const error = { code, message, retryable };
    this.executor.attempts.completed(
      { type: 'result', dispatchId: this.frame.dispatchId, ok: false, error },
      this.link,
      100,
    );
  }
  accept(): void {
    this.executor.attempts.acked({ type: 'ack', dispatchId: this.frame.dispatchId, accepted: true }, this.link);
  }
  refuse(retryAfterMs?: number): void {
    this.executor.attempts.acked(
      {
        type: 'ack',
        dispatchId: this.frame.dispatchId,
        accepted: false,
        reason: 'BUSY',
        ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      },
      this.link,
    );
  }
}

/** Execution over a real registry, with instances that a test plays. */
export class TestExecution {
  readonly t = new TestRegistry((instance) => this.executor.attempts.lost(instance));
  readonly received: Received[] = [];
  readonly faults: unknown[] = [];
  readonly audit: AuditRecord[] = [];
  readonly metrics = new CallMetrics({ observe: () => {} });
  readonly wheel = new TimingWheel(this.t.clock.monotonic(), (error) => this.faults.push(error));
  readonly unreachable = new Set<Instance>();
  /** What was heard of how attempts went. */
  readonly outcomes: string[] = [];
  /** How many records were written when somebody last asked for it. */
  written = 0;
  random = 0;
  #requests = 0;
  readonly router: Router;
  readonly executor: Executor;
  readonly claims = new TestClaims();
  readonly tasks = new TestTasks();
  /** Claims that ended as unknown though their instance may still answer. */
  readonly unknown: ClaimKey[] = [];
  /** Claims that an earlier server left, with what tells how they ended. */
  readonly recalls: { readonly claim: KnownClaim; readonly resolved: Parameters<ClaimRecovery['wait']>[1] }[] = [];
  /** What a need means. */
  readonly needs = new Map<string, string>();
  /** Calls that were recorded, while `recording`. */
  readonly recorded: RecordedDecision[] = [];
  recording = false;

  constructor() {
    this.router = new Router({
      clock: this.t.clock,
      random: () => this.random,
      registry: this.t.registry,
      epoch: 'e1',
      recentCalls: { wants: () => this.recording, add: (call) => this.recorded.push(call) },
      needs: {
        resolve: (need) => {
          const capability = this.needs.get(need);
          if (capability !== undefined) return { capability };
          return { error: new ReachError('NO_ROUTE', `Nothing that you may call fits ${need}.`).toWire() };
        },
      },
    });
    this.t.onReported = (instance, report) => this.executor.attempts.reported(instance, report);
    const delivery: Delivery = {
      offer: (instance, frame) => {
        const { link } = instance;
        if (link === undefined || this.unreachable.has(instance)) {
          queueMicrotask(() => this.executor.attempts.undeliverable(frame.dispatchId));
        } else this.received.push(new Received(frame, instance, link, this.executor));
      },
      cancel: (_instance, dispatchId, reason) => {
        const received = this.received.find((each) => each.frame.dispatchId === dispatchId);
        if (received !== undefined) received.cancelled = reason;
      },
      recall: () => {},
      confirm: () => {},
    };
    this.executor = new Executor({
      clock: this.t.clock,
      random: () => this.random,
      wheel: this.wheel,
      registry: this.t.registry,
      router: this.router,
      delivery,
      later: { completed: () => false, faulty: () => false, progressed: () => false, recalled: () => false },
      holds: new Holds({
        clock: this.t.clock,
        claims: this.claims,
        tasks: this.tasks,
        keeper: this.tasks,
        onUnknown: (key) => this.unknown.push(key),
      }),
      recovery: {
        wait: (claim, resolved) => {
          const recall = { claim, resolved };
          this.recalls.push(recall);
          return () => this.recalls.splice(this.recalls.indexOf(recall), 1);
        },
      },
      audit: { record: (entry) => this.audit.push(entry) },
      onFault: (error) => this.faults.push(error),
      writeRecords: () => {
        this.written = this.audit.length;
      },
      metrics: this.metrics,
      outcomes: {
        ended: (instance, failed) => this.outcomes.push(`${instance.ref} ${failed ? 'failed' : 'did well'}`),
      },
      paramsHash: (params) => JSON.stringify(params),
      callbackFault: () => undefined,
      ruleLink: ({ caller, target, capability }) =>
        `http://console/permissions?add=1&caller=${caller}&target=${target}&capability=${capability}`,
    });
  }

  join(instance: string, overrides: Partial<RegisterFrame> = {}, agent = 'orders'): Promise<Instance> {
    return this.t.ready({ instance, ...overrides }, `inc-${instance}`, testLink(instance), agent);
  }

  /** Starts a call; `outcome` is set when it ended. */
  call(request: Partial<CallRequest> = {}, caller: Partial<CallerContext> = {}) {
    const running: { outcome: CallOutcome | undefined; cancel: () => void } = { outcome: undefined, cancel: () => {} };
    const parts = this.parts(request, caller);
    const handle = this.executor.start(parts.request, parts.caller, (outcome) => {
      if (running.outcome !== undefined) throw new Error('a call ended twice');
      running.outcome = outcome;
    });
    running.cancel = () => handle.cancel('CALLER');
    return running;
  }

  /** A request and its caller, with everything defaulted. */
  parts(
    request: Partial<CallRequest> = {},
    caller: Partial<CallerContext> = {},
  ): { request: CallRequest; caller: CallerContext } {
    return {
      request: {
        requestId: `r${++this.#requests}`,
        target: { capability: 'order_query' },
        params: { id: '7' },
        timeoutMs: undefined,
        traceparent: undefined,
        affinityKey: undefined,
        zone: undefined,
        serving: undefined,
        headers: undefined,
        ...request,
      },
      caller: {
        caller: 'agent:shop/web',
        namespace: 'shop',
        roles: [],
        zone: undefined,
        domain: 'PRODUCTION',
        visible: (namespace) => namespace === 'shop',
        sentBy: undefined,
        link: undefined,
        serves: undefined,
        ...caller,
      },
    };
  }

  /** The newest dispatch. */
  get last(): Received {
    const received = this.received.at(-1);
    if (received === undefined) throw new Error('nothing was dispatched');
    return received;
  }

  /** Lets time pass for calls (not for leases). */
  pass(ms: number): void {
    for (let done = 0; done < ms; done += TICK_MS) {
      this.t.clock.advance(Math.min(TICK_MS, ms - done));
      this.wheel.advance(this.t.clock.monotonic());
    }
  }
}
