import type { Clock } from '../clock.js';
import type { Instance } from '../instance.js';
import type { Registry } from '../registry.js';
import type { EndpointProbe, ProbeResult } from './endpoint-probe.js';
import { HttpLink } from './http-link.js';

/** Failed probes in a row after which an endpoint is SUSPECT. */
const FAILURES = 3;
/** As many while most endpoints fail, which says more about this server's own network than about them. */
const FAILURES_IN_DOUBT = 6;
/** Good probes in a row with which an endpoint that was lost is back. */
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

/** What is known of one incarnation's probes. */
interface Watched {
  dueAt: number;
  running: Promise<void> | undefined;
  failures: number;
  good: number;
}

/**
 * Probes the instances that are only HTTP endpoints, each at its own interval: a good probe is what a heartbeat is to
 * others. One that was never asked, because it just registered or the server just started, is asked at once.
 */
export class EndpointWatch {
  readonly #watched = new WeakMap<Instance, Watched>();
  #running = 0;
  #inDoubt = false;

  constructor(private readonly deps: EndpointWatchDeps) {}

  /** Starts the probes that are due; the composition root calls it with each sweep of the registry. */
  sweep(): void {
    const now = this.deps.clock.monotonic();
    let watchedNow = 0;
    let failing = 0;
    for (const instance of this.deps.registry.endpoints()) {
      const watched = this.#of(instance);
      if (instance.state.name !== 'PENDING' && !isLost(instance)) {
        watchedNow++;
        if (watched.failures > 0) failing++;
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
    // Somebody says that it is there, so that one good probe proves it.
    watched.good = GOOD_TO_RETURN - 1;
    return watched.running ?? this.#ask(instance, watched);
  }

  #of(instance: Instance): Watched {
    let watched = this.#watched.get(instance);
    if (watched === undefined) {
      watched = { dueAt: 0, running: undefined, failures: 0, good: 0 };
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
    if (result.ok) {
      watched.failures = 0;
      watched.good++;
      if (watched.good >= goodNeeded(instance)) registry.reached(instance, new HttpLink(instance.ref));
      return;
    }
    watched.good = 0;
    watched.failures++;
    if (instance.state.name === 'PENDING') return registry.notReached(instance, `not reached yet: ${result.reason}`);
    if (isLost(instance) || watched.failures < (this.#inDoubt ? FAILURES_IN_DOUBT : FAILURES)) return;
    registry.unreachable(instance, `${watched.failures} probes failed: ${result.reason}`);
  }

  /** Whether most of the endpoints that should answer don't. Those that are known to be lost count no more. */
  #settleDoubt(failing: number, watched: number): void {
    const inDoubt = watched >= LEAST_FOR_DOUBT && failing > watched / 2;
    if (inDoubt === this.#inDoubt) return;
    this.#inDoubt = inDoubt;
    this.deps.onDoubt(inDoubt, failing, watched);
  }
}

/** One that others were told is gone has to convince; what a restart left open is settled by one probe. */
function goodNeeded(instance: Instance): number {
  return isLost(instance) ? GOOD_TO_RETURN : 1;
}

/** SUSPECT, and others know it; after a restart of the server nobody was told yet. */
function isLost({ state, live }: Instance): boolean {
  return state.name === 'SUSPECT' && live.health !== 'UNKNOWN';
}
