import { DEFAULT_POLICY_CONTENT, type Policy, type PolicyContent } from '@agent-reach/sdk/decide';
import { ReachError } from '@agent-reach/sdk/protocol';
import { openTestDatabase, type TestDatabase } from '../../storage/testing.js';
import type { Scope } from '../access/principal.js';
import { Changes } from '../changes.js';
import { wipe } from '../testing.js';
import { createPolicies, type Policies } from './policies.js';
import type { PolicySaved } from './policy.changes.js';
import type { PolicyInput } from './policy.saves.js';
import { RecentCalls } from './recent-calls.js';
import type { Replays } from './replay.js';

export const ANN = { caller: 'user:ann' };
export const BOB = { caller: 'user:bob' };
export const ALL: Scope = { all: true };

/** The feature on a Postgres of its own; what routers are told is kept. */
export class PolicyScene {
  readonly database: TestDatabase;
  readonly changes: Changes;
  readonly recentCalls = new RecentCalls();
  readonly policies: Policies;
  /** Each set of policies that routers were given, oldest first. */
  readonly sets: (readonly Policy[])[] = [];

  static async open(options: { readonly replays?: Replays } = {}): Promise<PolicyScene> {
    return new PolicyScene(await openTestDatabase(), options.replays);
  }

  private constructor(database: TestDatabase, replays: Replays | undefined) {
    this.database = database;
    this.changes = new Changes(database.prisma);
    this.policies = createPolicies({
      prisma: database.prisma,
      changes: this.changes,
      registry: {
        agent: () => undefined,
        agents: () => [],
        instances: () => [],
        setPolicies: (policies) => this.sets.push(policies),
      },
      recentCalls: this.recentCalls,
      now: Date.now,
      ...(replays === undefined ? {} : { replays }),
    });
  }

  /** Empties everything and makes two namespaces, shop and bank. */
  async reset(): Promise<void> {
    await wipe(this.database.prisma);
    await this.database.prisma.namespace.createMany({ data: [{ id: 'shop' }, { id: 'bank' }] });
    this.policies.book.replace([]);
    this.recentCalls.expire(Number.MAX_SAFE_INTEGER);
    this.sets.length = 0;
  }

  /** Creates a policy in shop. */
  create(input: Partial<PolicyInput> = {}): Promise<PolicySaved> {
    return this.policies.saves.create(ANN, { namespace: 'shop', name: 'quick', content: {}, ...input }, ALL);
  }

  /** What routers use now. */
  get inForce(): readonly Policy[] {
    return this.sets.at(-1) ?? [];
  }

  /** Audit entries of changes, oldest first. */
  async audited(action: string): Promise<readonly { actor: string; details: unknown }[]> {
    const entries = await this.database.prisma.auditEntry.findMany({ where: { action }, orderBy: { sequence: 'asc' } });
    return entries.map(({ actor, details }) => ({ actor, details }));
  }
}

/** A content with every default filled in. */
export function contentOf(content: Partial<PolicyContent>): PolicyContent {
  return { ...DEFAULT_POLICY_CONTENT, ...content };
}

/** The error of work that must fail. */
export async function failure(work: Promise<unknown>): Promise<ReachError> {
  const thrown = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(thrown instanceof ReachError)) throw new Error(`not a ReachError: ${String(thrown)}`, { cause: thrown });
  return thrown;
}
