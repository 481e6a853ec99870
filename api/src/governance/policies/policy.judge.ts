import {
  type PolicyContent,
  type PolicyTest,
  type PolicyTestResult,
  policyWarnings,
  runPolicyTests,
  validatePolicyContent,
  validatePolicyTests,
} from '@agent-reach/sdk/decide';
import type { AgentRef, FieldFault } from '@agent-reach/sdk/protocol';
import type { RegistryView } from '../../perceive/ports.js';
import { inScope, type Scope } from '../access/principal.js';
import { answerWarnings, type OfferedCapabilities } from './fallback-answers.js';
import type { PolicyBook } from './policy-book.js';
import { unstorableFaults } from './unstorable.js';

const MAX_NAME = 100;

/** What somebody wants a policy to be. */
export interface PolicyDraft {
  readonly namespace: string;
  /** The policy that it would replace; undefined: a new one. */
  readonly id: string | undefined;
  readonly name: string;
  readonly content: unknown;
  readonly tests: unknown;
}

/** What a draft is worth. `content` is there when there are no faults. */
export interface Judgement {
  /** The content with every default filled in. */
  readonly content: PolicyContent | undefined;
  readonly tests: readonly PolicyTest[];
  /** Paths begin with `name`, `content` or `tests`. A test that fails is no fault here. */
  readonly faults: readonly FieldFault[];
  readonly warnings: readonly string[];
  /** How each test ended; empty while there are faults. */
  readonly results: readonly PolicyTestResult[];
}

/** Who a policy could be for. */
export type KnownAgents = Pick<RegistryView, 'agent'> & OfferedCapabilities;

/** Says what a draft is worth: its faults, what is remarkable about it, and how its tests end. */
export class PolicyJudge {
  readonly #book: Pick<PolicyBook, 'policies'>;
  readonly #registry: KnownAgents;

  constructor(book: Pick<PolicyBook, 'policies'>, registry: KnownAgents) {
    this.#book = book;
    this.#registry = registry;
  }

  /** `scope`: whose eyes; an agent outside it is as unknown as one that doesn't exist. */
  judge(draft: PolicyDraft, scope: Scope): Judgement {
    const { namespace, id, name } = draft;
    const { content, faults, warnings } = validatePolicyContent(draft.content);
    const { tests = [], faults: testFaults } = validatePolicyTests(draft.tests ?? []);
    const all = [
      ...nameFaults(name),
      ...missingFault(draft.content),
      ...faults,
      ...testFaults,
      ...unstorableFaults('content', draft.content),
      ...unstorableFaults('tests', draft.tests),
    ];
    if (content === undefined || all.length > 0) {
      return { content: undefined, tests: [], faults: all, warnings: [], results: [] };
    }
    const surroundings = {
      namespace,
      name,
      others: this.#book.policies.filter((other) => other.namespace === namespace && other.id !== id),
      knownAgents: (ref: AgentRef) =>
        inScope(scope, ref.slice(0, ref.indexOf('/'))) && this.#registry.agent(ref) !== undefined,
    };
    return {
      content,
      tests,
      faults: all,
      warnings: [
        ...warnings,
        ...policyWarnings(content, surroundings),
        ...answerWarnings(content, namespace, this.#registry),
      ],
      results: runPolicyTests(namespace, content, tests, name),
    };
  }
}

/** What keeps a policy from being saved: each difference of each test that fails. */
export function failedTestFaults(results: readonly PolicyTestResult[]): FieldFault[] {
  return results.flatMap(({ faults }, index) =>
    faults.map(({ path, expected, got }) => ({
      path: `tests.${index}.${path}`,
      got: got ?? 'nothing',
      allowed: expected ?? 'nothing',
    })),
  );
}

function nameFaults(name: string): FieldFault[] {
  if (name.length < 1 || name.length > MAX_NAME) {
    return [{ path: 'name', got: `${name.length} characters`, allowed: `1 to ${MAX_NAME} characters` }];
  }
  return /\p{Cc}/u.test(name) ? [{ path: 'name', got: 'a control character', allowed: 'printable text' }] : [];
}

/** `validatePolicyContent` takes nothing for defaults alone; who saves has to say that it wants them, by an object. */
function missingFault(content: unknown): FieldFault[] {
  return content == null ? [{ path: 'content', got: String(content), allowed: 'an object' }] : [];
}
