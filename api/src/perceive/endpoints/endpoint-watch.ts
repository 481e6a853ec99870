import type { Clock } from '../clock.js';
import type { Instance } from '../instance.js';
import type { Registry } from '../registry.js';
import type { EndpointProbe, ProbeResult } from './endpoint-probe.js';
import { HttpLink } from './http-link.js';

/** Failed probes in a row after which an endpoint is SUSPECT. */
const FAILURES = 3;
/** As many while most endpoints fail, which says more about this server's own network than about them. */
const FAILURES_IN_DOUBT = 6;
/** Good probes in a row with which an endpoint that others were told is gone is back; what a restart left open needs one. */
const GOOD_TO_RETURN = 2;
/** Fewer endpoints say nothing about the server. */
const LEAST_FOR_DOUBT = 4;
/** An endpoint that is not verified yet is asked at least so often, since somebody waits for it. ms */
const PENDING_INTERVAL_MS = 2_000;
/** Share by which intervals vary, so that endpoints which registered together are not asked together for ever. */
const JITTER = 0.1;
/** Probes at once: all endpoints are due after a restart, and each probe is a connection. */
const MAX_RUNNING = 256;

export interface EndpointWatchDeps {
  readonly registry: Pick<Registry, 'endpoints' | 'reached' | 'notReached' | 'unreachable'>;
  readonly probe: EndpointProbe;
  readonly clock: Clock;
  /** From 0 to 1. */
  readonly random: () => number;
  /** Most endpoints fail at once (true), or no longer do; told once each time. */
  readonly onDoubt: (inDoubt: boolean, failing: number, watched: number) => void;
}

export interface WatchStatus {
  /** Endpoints that should answer: neither PENDING nor known to be lost. */
  readonly watched: number;
  /** Those of them whose latest probe failed. */
  readonly failing: number;
  /** Most fail at once, so the server suspects itself. */
  readonly inDoubt: boolean;
}

/** When one incarnation is asked, and whether it is. How its probes went stands on the instance. */
interface Watched {
  dueAt: number;
  running: Promise<void> | undefined;
  /** Somebody says that it is there, so that one good probe proves it. */
  vouchedFor: boolean;
}

/**
 * Probes the instances that are only HTTP endpoints, each at its own interval: a good probe is what a heartbeat is to
 * others. One that was never asked, because it just registered or the server just started, is asked at once.
 */
export class EndpointWatch {
  readonly #watched = new WeakMap<Instance, Watched>();
  #running = 0;
  #inDoubt = false;
  #status: WatchStatus = { watched: 0, failing: 0, inDoubt: false };

  constructor(private readonly deps: EndpointWatchDeps) {}

  /** How the endpoints that should answer do, as of the latest sweep. */
  status(): WatchStatus {
    return this.#status;
  }

  /** Starts the probes that are due; the composition root calls it with each sweep of the registry. */
  sweep(): void {
    const now = this.deps.clock.monotonic();
    let watchedNow = 0;
    let failing = 0;
    for (const instance of this.deps.registry.endpoints()) {
      const watched = this.#of(instance);
      if (instance.state.name !== 'PENDING' && !isLost(instance)) {
        watchedNow++;
        if (instance.probes.failed > 0) failing++;
      }
      if (watched.running === undefined && now >= watched.dueAt && this.#running < MAX_RUNNING) {
        void this.#ask(instance, watched);
      }
    }
    this.#settleDoubt(failing, watchedNow);
  }

  /** Asks one endpoint now, so that whoever registered it learns at once whether it can be reached. Never rejects. */
  ask(instance: Instance): Promise<void> {
    const watched = this.#of(instance);
    watched.vouchedFor = true;
    return watched.running ?? this.#ask(instance, watched);
  }

  #of(instance: Instance): Watched {
    let watched = this.#watched.get(instance);
    if (watched === undefined) {
      watched = { dueAt: 0, running: undefined, vouchedFor: false };
      this.#watched.set(instance, watched);
    }
    return watched;
  }

  #ask(instance: Instance, watched: Watched): Promise<void> {
    const { endpoint } = instance.record;
    if (endpoint === undefined) return Promise.resolve();
    this.#running++;
    watched.running = this.deps.probe.probe(endpoint).then((result) => {
      this.#running--;
      watched.running = undefined;
      // It may have left, or another may have taken its place, while it was asked.
      if (instance.state.name !== 'GONE') this.#judge(instance, watched, result);
      const { probeIntervalMs } = endpoint;
      const interval =
        instance.state.name === 'PENDING' ? Math.min(PENDING_INTERVAL_MS, probeIntervalMs) : probeIntervalMs;
      watched.dueAt = this.deps.clock.monotonic() + interval * (1 + JITTER * (2 * this.deps.random() - 1));
    });
    return watched.running;
  }

  #judge(instance: Instance, watched: Watched, result: ProbeResult): void {
    const { registry } = this.deps;
    const { probes } = instance;
    const needsOne = watched.vouchedFor || !isLost(instance);
    watched.vouchedFor = false;
    if (result.ok) {
      probes.failed = 0;
      probes.good++;
      probes.reason = '';
      if (needsOne || probes.good >= GOOD_TO_RETURN)
        registry.reached(instance, new HttpLink(instance.ref), result.load);
      return;
    }
    probes.good = 0;
    probes.failed++;
    probes.reason = result.reason;
    if (instance.state.name === 'PENDING') return registry.notReached(instance, `not reached yet: ${result.reason}`);
    if (isLost(instance) || probes.failed < (this.#inDoubt ? FAILURES_IN_DOUBT : FAILURES)) return;
    registry.unreachable(instance, `${probes.failed} probes failed: ${result.reason}`);
  }

  /** Whether most of the endpoints that should answer don't. Those that are known to be lost count no more. */
  #settleDoubt(failing: number, watched: number): void {
    const inDoubt = watched >= LEAST_FOR_DOUBT && failing > watched / 2;
    this.#status = { watched, failing, inDoubt };
    if (inDoubt === this.#inDoubt) return;
    this.#inDoubt = inDoubt;
    this.deps.onDoubt(inDoubt, failing, watched);
  }
}

/** SUSPECT, and others know it; after a restart of the server nobody was told yet. */
function isLost({ state, live }: Instance): boolean {
  return state.name === 'SUSPECT' && live.health !== 'UNKNOWN';
}
