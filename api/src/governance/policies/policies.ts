import type { RouteTableFeed } from '../../perceive/ports.js';
import type { PrismaClient } from '../../storage/generated/client.js';
import type { Changes } from '../changes.js';
import { PolicyChanges } from './policy.changes.js';
import { PolicyDrafts } from './policy.drafts.js';
import { type KnownAgents, PolicyJudge } from './policy.judge.js';
import { PolicyReads } from './policy.reads.js';
import { PolicyRollouts } from './policy.rollouts.js';
import { PolicySaves } from './policy.saves.js';
import { PolicyStore } from './policy.store.js';
import { PolicyBook } from './policy-book.js';
import { PolicyVersionStore } from './policy-version.store.js';
import type { RecentCalls } from './recent-calls.js';
import { Replays } from './replay.js';

export interface PoliciesDeps {
  readonly prisma: PrismaClient;
  readonly changes: Changes;
  readonly registry: KnownAgents & Pick<RouteTableFeed, 'setPolicies'>;
  /** What drafts are replayed on; the executor fills it. */
  readonly recentCalls: RecentCalls;
  readonly replays?: Replays;
  /** Wall clock, ms since 1970. */
  readonly now: () => number;
}

export type Policies = ReturnType<typeof createPolicies>;

/** Wires the feature. */
export function createPolicies({ prisma, changes, registry, recentCalls, replays, now }: PoliciesDeps) {
  const store = new PolicyStore(prisma);
  const versions = new PolicyVersionStore(prisma);
  const book = new PolicyBook(registry);
  const judge = new PolicyJudge(book, registry);
  const each = new PolicyChanges(store, changes, book, judge);
  const reads = new PolicyReads(store, versions);
  return {
    /** For the loader: what there is, and where it is in force. */
    store,
    book,
    reads,
    saves: new PolicySaves(store, each),
    rollouts: new PolicyRollouts(store, versions, each, judge),
    drafts: new PolicyDrafts({ reads, judge, book, recent: recentCalls, replays: replays ?? new Replays(), now }),
  };
}
