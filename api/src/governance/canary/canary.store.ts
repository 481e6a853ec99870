import { type AgentRef, ReachError } from '@agent-reach/sdk/protocol';
import type { AgentRecord, CanaryEnd } from '../../perceive/model.js';
import type { AgentStore } from '../agents/agent.store.js';
import type { Changes } from '../changes.js';
import { notFound } from '../input.js';
import { storedEnd } from './canary.end.js';

/** The trial that a verdict is about, as it was read. */
export interface JudgedTrial {
  readonly agent: AgentRef;
  readonly version: string;
  readonly uid: string;
  readonly since: Date | null;
}

/** Makes verdicts durable. */
export class CanaryStore {
  constructor(
    private readonly agents: AgentStore,
    private readonly changes: Pick<Changes, 'run'>,
  ) {}

  /**
   * Ends a trial, if it is still the one that was judged: a decision that came first stands, and then this throws
   * CONFLICT, or NOT_FOUND when the agent is gone. The audit entry (`canary.promote` or `canary.return`) commits with
   * it; whoever is to be told of one that was returned hears of it as of any committed change.
   */
  end({ agent, version, uid, since }: JudgedTrial, end: CanaryEnd & { kind: 'PROMOTED' | 'RETURNED' }) {
    const domain = end.kind === 'PROMOTED' ? 'PRODUCTION' : 'STAGING';
    return this.changes.run<AgentRecord>({ caller: 'system' }, async (tx) => {
      // Everybody who changes a version locks its agent first.
      const before = await this.agents.lock(tx, agent);
      if (before === undefined) throw notFound('agent', agent);
      const { count } = await tx.agentVersion.updateMany({
        where: { uid, domain: 'CANARY', canarySince: since },
        data: { domain, canaryEnd: storedEnd(end) },
      });
      if (count === 0) throw new ReachError('CONFLICT', `Somebody decided about ${agent} ${version} meanwhile.`);
      const { calls, failures, reason } = end;
      return {
        action: end.kind === 'PROMOTED' ? 'canary.promote' : 'canary.return',
        namespace: before.namespace,
        target: agent,
        before: { agentVersion: version, domain: 'CANARY' },
        after: { agentVersion: version, domain, reason, calls, failures },
        result: await this.agents.update(tx, before.uid, {}),
      };
    });
  }
}
