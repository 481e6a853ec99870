import type { PolicySet } from '@agent-reach/sdk/decide';
import type { AgentRef } from '@agent-reach/sdk/protocol';
import type { Clock } from './clock.js';
import type { Instance } from './instance.js';

export interface SlowStartsDeps {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly policies: () => PolicySet;
  /** The instances of an agent. */
  readonly siblings: (agent: AgentRef) => Iterable<Instance>;
}

/**
 * Lets an instance come to its share of the calls slowly when it begins to serve: a new incarnation, whose caches are
 * cold, and one that comes back after it was lost, of which nobody knows yet whether it stays.
 *
 * Only beside one of the same agent that has served for the time of a slow start already. Where all are new, after a
 * start of the whole fleet, there is nobody who could take their calls meanwhile.
 */
export class SlowStarts {
  constructor(private readonly deps: SlowStartsDeps) {}

  /** To be called before the instance becomes READY, while its state still tells where it comes from. */
  begin(instance: Instance): void {
    const { live } = instance;
    const isBack = live.lifecycle === 'SUSPECT';
    // It was only paused or drained, and is as warm as it was.
    if (instance.servesSince !== undefined && !isBack) return;
    if (isBack && live.health === 'UNKNOWN') {
      // The server was away, not the instance.
      instance.servesSince = Number.NEGATIVE_INFINITY;
      return;
    }
    const now = this.deps.clock.monotonic();
    instance.servesSince = now;
    const slowStartMs = this.#durationFor(instance);
    if (slowStartMs === 0 || !this.#isBesideOneSince(now - slowStartMs, instance)) return;
    live.rampMs = slowStartMs;
    live.rampUntil = now + slowStartMs;
  }

  /** The longest that a policy for one of its capabilities asks for. */
  #durationFor({ agent, namespace, capabilities }: Instance): number {
    const policies = this.deps.policies();
    let longest = 0;
    for (const { name, tags } of capabilities) {
      const { content } = policies.find(namespace, name, tags, `agent:${agent}`, '');
      longest = Math.max(longest, content.breaker.slowStartMs);
    }
    return longest;
  }

  #isBesideOneSince(since: number, instance: Instance): boolean {
    for (const { live, servesSince } of this.deps.siblings(instance.agent)) {
      if (live.lifecycle === 'READY' && servesSince !== undefined && servesSince <= since) return true;
    }
    return false;
  }
}
