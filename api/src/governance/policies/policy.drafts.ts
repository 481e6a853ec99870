import {
  createPolicySet,
  DEFAULT_POLICY_CONTENT,
  type Policy,
  type PolicyContent,
  type PolicyFieldChange,
  type PolicySet,
  type PolicyTestResult,
  policyDiff,
  worstCaseMs,
} from '@agent-reach/sdk/decide';
import type { CallerRef, FieldFault } from '@agent-reach/sdk/protocol';
import type { Scope } from '../access/principal.js';
import { InputCheck, notFound } from '../input.js';
import { failedTestFaults, type Judgement, type PolicyDraft, type PolicyJudge } from './policy.judge.js';
import type { PolicyReads } from './policy.reads.js';
import type { PolicyView } from './policy.view.js';
import type { PolicyBook } from './policy-book.js';
import type { RecentCalls } from './recent-calls.js';
import type { Replays } from './replay.js';
import type { ReplaySummary } from './replay-tally.js';

/** A policy that is not saved. */
export interface PolicyDraftInput {
  readonly namespace: string;
  /** The policy that it would replace. */
  readonly id?: string | null | undefined;
  /** Default: the name of that one, or `draft`. */
  readonly name?: string | null | undefined;
  readonly content: unknown;
  /** Default: the saved tests of that one. */
  readonly tests?: unknown;
}

/** What a save of the draft would come to. */
export interface PolicyCheck {
  /** Paths from the draft, such as `content.timeoutMs`. */
  readonly faults: readonly FieldFault[];
  readonly warnings: readonly string[];
  /** null while there are faults. */
  readonly worstCaseMs: number | null;
  readonly tests: readonly PolicyTestResult[];
  /** Against the policy that it would replace, else against the defaults. */
  readonly changes: readonly PolicyFieldChange[];
}

export interface DraftReplay extends ReplaySummary {
  /** Recorded calls to agents of the draft's namespace. */
  readonly recorded: number;
  /** One of so many calls is recorded at present. */
  readonly recordedEvery: number;
}

/** A new draft's id: no policy has such a one. */
const NEW_ID = 'draft';

/** Tries policies before they are saved: by their tests, on a request, on recent calls. Who may is asked before. */
export class PolicyDrafts {
  readonly #reads: Pick<PolicyReads, 'find'>;
  readonly #judge: PolicyJudge;
  readonly #book: Pick<PolicyBook, 'policies'>;
  readonly #recent: RecentCalls;
  readonly #replays: Pick<Replays, 'run'>;
  readonly #now: () => number;

  constructor(parts: {
    readonly reads: Pick<PolicyReads, 'find'>;
    readonly judge: PolicyJudge;
    readonly book: Pick<PolicyBook, 'policies'>;
    readonly recent: RecentCalls;
    readonly replays: Pick<Replays, 'run'>;
    /** Wall clock, ms since 1970. */
    readonly now: () => number;
  }) {
    this.#reads = parts.reads;
    this.#judge = parts.judge;
    this.#book = parts.book;
    this.#recent = parts.recent;
    this.#replays = parts.replays;
    this.#now = parts.now;
  }

  /** What a save would say, without saving. Throws NOT_FOUND for the policy that it would replace. */
  async check(input: PolicyDraftInput, scope: Scope): Promise<PolicyCheck> {
    const { draft, replaced } = await this.#resolve(input, scope);
    const { content, faults, warnings, results } = this.#judge.judge(draft, scope);
    return {
      faults: [...this.#nameFaults(draft), ...faults, ...failedTestFaults(results)],
      warnings,
      worstCaseMs: content === undefined ? null : worstCaseMs(content),
      tests: results,
      changes: content === undefined ? [] : policyDiff(replaced?.content ?? DEFAULT_POLICY_CONTENT, content),
    };
  }

  /**
   * The policies that would be in force. Throws NOT_FOUND, and INVALID_INPUT for a draft with faults, whose paths begin
   * with `path`.
   */
  async policySet(input: PolicyDraftInput, scope: Scope, path: string): Promise<PolicySet> {
    const { policy, others } = await this.#evaluated(input, scope, path);
    return createPolicySet([...others, policy]);
  }

  /**
   * What would have become of recent calls to agents of the draft's namespace. Throws like `policySet`, and what
   * `Replays.run` throws.
   */
  async replay(
    input: PolicyDraftInput,
    scope: Scope,
    path: string,
    by: CallerRef,
    signal?: AbortSignal,
  ): Promise<DraftReplay> {
    const { policy, others, replaced } = await this.#evaluated(input, scope, path);
    const calls = this.#recent.snapshot(input.namespace, this.#now());
    const recordedEvery = this.#recent.every;
    const alike = replaced !== undefined && routesAlike(replaced.content, policy.content);
    const draft = alike ? { ...policy, version: replaced.version } : policy;
    const summary = await this.#replays.run({ draft: draft.id, policies: [...others, draft] }, calls, by, signal);
    return { ...summary, recorded: calls.length, recordedEvery };
  }

  /** The draft as routers would take it, for all calls, and the namespace's other policies. */
  async #evaluated(input: PolicyDraftInput, scope: Scope, path: string) {
    const { draft, replaced } = await this.#resolve(input, scope);
    const content = demandContent(this.#judge.judge({ ...draft, tests: [] }, scope), path);
    const id = draft.id ?? NEW_ID;
    const { namespace, name } = draft;
    const version = (replaced?.version ?? 0) + 1;
    const policy = { id, namespace, name, version, content, rolloutPercent: 100, stable: undefined } satisfies Policy;
    return { policy, others: this.#othersOf(draft), replaced };
  }

  async #resolve(
    { namespace, id, name, content, tests }: PolicyDraftInput,
    scope: Scope,
  ): Promise<{ readonly draft: PolicyDraft; readonly replaced: PolicyView | undefined }> {
    const replaced = id == null ? undefined : await this.#reads.find(scope, id);
    if (id != null && replaced?.namespace !== namespace) throw notFound('policy', id);
    const draft = {
      namespace,
      id: replaced?.id,
      name: name?.trim() ?? replaced?.name ?? NEW_ID,
      content,
      tests: tests === undefined ? (replaced?.tests ?? []) : tests,
    };
    return { draft, replaced };
  }

  #othersOf({ namespace, id }: PolicyDraft): readonly Policy[] {
    return this.#book.policies.filter((policy) => policy.namespace === namespace && policy.id !== id);
  }

  #nameFaults(draft: PolicyDraft): FieldFault[] {
    const { name, namespace } = draft;
    const taken = this.#othersOf(draft).some((policy) => policy.name === name);
    return taken
      ? [{ path: 'name', got: JSON.stringify(name), allowed: `a name that no other in ${namespace} has` }]
      : [];
  }
}

/**
 * Whether two contents choose instances alike. A draft that does so is replayed under the version that it would replace:
 * the replay then starts from what that one remembered (whose turn it was) and repeats its choices.
 */
function routesAlike(one: PolicyContent, other: PolicyContent): boolean {
  return policyDiff(one, other).every(({ path }) => /^(?:timeoutMs$|retry\.|breaker\.)/.test(path));
}

function demandContent({ content, faults }: Judgement, path: string): PolicyContent {
  const check = new InputCheck();
  for (const fault of faults) check.add({ ...fault, path: `${path}.${fault.path}` });
  check.finish('The draft');
  if (content === undefined) throw new Error('a draft without faults has no content');
  return content;
}
