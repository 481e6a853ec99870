import { type AgentRef, type JsonObject, ReachError } from '@agent-reach/sdk/protocol';
import type { AgentRecord, AgentVersionRecord, Domain } from '../../perceive/model.js';
import type { RouteTableFeed } from '../../perceive/ports.js';
import type { Prisma } from '../../storage/generated/client.js';
import type { Trials } from '../canary/trials.js';
import type { Actor, Changes } from '../changes.js';
import { InputCheck, MAX_TEXT, notFound, versionConflict } from '../input.js';
import type { RuleBook } from '../permissions/rule-book.js';
import {
  type AgentChange,
  type AgentInput,
  checkAgentChange,
  checkAgentInput,
  labelsOf,
  mergeLabels,
} from './agent.input.js';
import type { AgentStore } from './agent.store.js';
import { domainMove } from './version-domain.js';

const USUAL_WEIGHT = 100;

/** Creates, changes and deletes agents. Who may is the caller's to ask before. */
export class AgentService {
  readonly #store: AgentStore;
  readonly #changes: Changes;
  readonly #feed: Pick<RouteTableFeed, 'putAgent' | 'removeAgent'>;
  readonly #rules: RuleBook;
  readonly #trials: Pick<Trials, 'facts'>;
  readonly #now: () => number;

  constructor(
    store: AgentStore,
    changes: Changes,
    feed: Pick<RouteTableFeed, 'putAgent' | 'removeAgent'>,
    rules: RuleBook,
    trials: Pick<Trials, 'facts'>,
    now: () => number = Date.now,
  ) {
    this.#store = store;
    this.#changes = changes;
    this.#feed = feed;
    this.#rules = rules;
    this.#trials = trials;
    this.#now = now;
  }

  /** Throws INVALID_INPUT, NOT_FOUND when the namespace doesn't exist, CONFLICT when the id is taken. */
  async create(actor: Actor, input: AgentInput): Promise<AgentRecord> {
    const check = new InputCheck();
    checkAgentInput(check, input);
    check.finish('The agent');
    const record = await this.#changes.run(actor, async (tx) => {
      const after = await this.#store.create(tx, {
        namespaceId: input.namespace,
        id: input.id,
        type: input.type,
        kind: input.kind ?? 'AGENT',
        description: input.description ?? '',
        owner: input.owner ?? '',
        labels: labelsOf(input.labels),
      });
      return {
        action: 'agent.create',
        namespace: after.namespace,
        target: after.ref,
        after: agentForAudit(after),
        result: after,
      };
    });
    this.#feed.putAgent(record);
    return record;
  }

  /** Throws INVALID_INPUT, NOT_FOUND, CONFLICT with the current state when `expectedVersion` is an older one. */
  async update(actor: Actor, ref: string, patch: AgentChange, expectedVersion: number): Promise<AgentRecord> {
    const check = new InputCheck();
    checkAgentChange(check, patch);
    check.finish('The change');
    return this.#change(actor, ref, 'agent.update', async (before) => {
      if (before.version !== expectedVersion) {
        throw versionConflict(`Agent ${ref}`, expectedVersion, agentForAudit(before));
      }
      return {
        ...(patch.weight === undefined ? {} : { weight: patch.weight ?? USUAL_WEIGHT }),
        ...(patch.roles === undefined ? {} : { roles: [...new Set(patch.roles ?? [])] }),
        ...(patch.description === undefined ? {} : { description: patch.description ?? '' }),
        ...(patch.owner === undefined ? {} : { owner: patch.owner ?? '' }),
        ...(patch.labelOverrides === undefined
          ? {}
          : { labelOverrides: mergeLabels(before.settings.labelOverrides, patch.labelOverrides) }),
      };
    });
  }

  /**
   * Pauses or resumes an agent: whether its instances take new calls. Survives restarts. The reason is kept in audit.
   * Throws INVALID_INPUT, NOT_FOUND.
   */
  setPaused(actor: Actor, ref: string, paused: boolean, reason: string): Promise<AgentRecord> {
    const check = new InputCheck();
    check.text('reason', reason, MAX_TEXT);
    check.finish('The change');
    return this.#change(actor, ref, paused ? 'agent.pause' : 'agent.resume', async () => ({ paused }), {
      after: () => (reason === '' ? {} : { reason }),
    });
  }

  /**
   * Says which traffic a version of an agent gets, for its live instances at once. Registering again doesn't undo it.
   * Throws NOT_FOUND for an unknown agent or version, and CONFLICT with the version's domain when it is no longer the
   * `expected` one: somebody, or its trial as a canary, came first.
   */
  setVersionDomain(
    actor: Actor,
    ref: string,
    version: string,
    domain: Domain,
    expected?: Domain | null,
  ): Promise<AgentRecord> {
    const domainForAudit = (agent: AgentRecord) => ({
      agentVersion: version,
      domain: agent.versions.get(version)?.domain,
    });
    return this.#change(
      actor,
      ref,
      'agent.domain',
      async (before, tx) => {
        const found = before.versions.get(version);
        if (found === undefined) throw notFound('version', `${ref} ${version}`);
        if (expected != null && found.domain !== expected) throw movedMeanwhile(ref, found, expected);
        const data = domainMove({
          version: found,
          to: domain,
          by: actor.caller,
          tries: await this.#store.triesVersions(tx, before.namespace),
          facts: this.#trials.facts(ref, version, found.canarySince),
          now: new Date(this.#now()),
        });
        return { versions: { update: { where: { uid: found.uid }, data } } };
      },
      { before: domainForAudit, after: domainForAudit },
    );
  }

  /**
   * Deletes an agent with its versions, credentials and instances, and the permission rules that name it exactly, so
   * that another agent under the same id inherits none. Throws NOT_FOUND.
   */
  async delete(actor: Actor, ref: string): Promise<AgentRecord> {
    const { record, rules } = await this.#changes.run(actor, async (tx) => {
      const before = await this.#store.lock(tx, ref);
      if (before === undefined) throw notFound('agent', ref);
      const removed = await this.#store.removeRulesNaming(tx, before.ref);
      await tx.agent.delete({ where: { uid: before.uid } });
      return {
        action: 'agent.delete',
        namespace: before.namespace,
        target: before.ref,
        before: {
          ...agentForAudit(before),
          permissions: removed.filter((rule) => rule.namespace === before.namespace),
        },
        related: removed
          .filter((rule) => rule.namespace !== before.namespace)
          .map(({ namespace, ...rule }) => ({
            action: 'permission.delete',
            namespace,
            target: rule.id,
            before: { ...rule, reason: `agent ${before.ref} was deleted` },
          })),
        result: { record: before, rules: removed },
      };
    });
    this.#rules.remove(rules.map((rule) => rule.id));
    this.#feed.removeAgent(record.ref);
    return record;
  }

  async #change(
    actor: Actor,
    ref: string,
    action: string,
    dataOf: (before: AgentRecord, tx: Prisma.TransactionClient) => Promise<Prisma.AgentUpdateInput>,
    /** What audit shows beside the agent itself. */
    more: Partial<Record<'before' | 'after', (agent: AgentRecord) => JsonObject>> = {},
  ): Promise<AgentRecord> {
    const record = await this.#changes.run(actor, async (tx) => {
      const before = await this.#store.lock(tx, ref);
      if (before === undefined) throw notFound('agent', ref);
      const after = await this.#store.update(tx, before.uid, await dataOf(before, tx));
      return {
        action,
        namespace: before.namespace,
        target: before.ref,
        before: { ...agentForAudit(before), ...more.before?.(before) },
        after: { ...agentForAudit(after), ...more.after?.(after) },
        result: after,
      };
    });
    this.#feed.putAgent(record);
    return record;
  }
}

function movedMeanwhile(ref: string, { version, domain }: AgentVersionRecord, expected: Domain): ReachError {
  return new ReachError(
    'CONFLICT',
    `Version ${version} of ${ref} is in ${domain} by now, not ${expected}; look at the current state and decide anew.`,
    { details: { current: { version, domain } } },
  );
}

/** What audit and conflicts show of an agent. */
export function agentForAudit(agent: AgentRecord): JsonObject & { readonly ref: AgentRef; readonly version: number } {
  const { ref, type, kind, description, owner, labels, settings, version } = agent;
  return { ref, type, kind, description, owner, labels, ...settings, version };
}
