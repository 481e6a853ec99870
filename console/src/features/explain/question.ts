import type { UrlState } from '@/ui/url-state';
import type { ExplainInput } from './explain.operations';

/** The parts of a question, each a parameter of the address. */
export const PARTS = [
  'caller',
  'namespace',
  'capability',
  'agent',
  'type',
  'tags',
  'versions',
  'zone',
  'key',
  'request',
] as const;

/** What is asked: who calls what. An empty part is left open. */
export type Question = Readonly<Record<(typeof PARTS)[number], string>>;

/** The question that the address holds. */
export function readQuestion(url: Pick<UrlState, 'get'>, namespace: string): Question {
  const parts = Object.fromEntries(PARTS.map((part) => [part, url.get(part) ?? ''])) as Question;
  return { ...parts, namespace: parts.namespace === '' ? namespace : parts.namespace };
}

/** Whether it names who calls, and whom. */
export function isComplete({ caller, agent, type, capability }: Question): boolean {
  return caller !== '' && (agent !== '' || type !== '' || capability !== '');
}

export const tagsOf = (text: string): readonly string[] =>
  text
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');

/** The question as the API takes it. */
export function inputOf(question: Question): ExplainInput {
  const tags = tagsOf(question.tags);
  return {
    caller: question.caller,
    target: {
      ...given('namespace', question.namespace),
      ...given('agent', question.agent),
      ...given('type', question.type),
      ...given('capability', question.capability),
      ...given('versions', question.versions),
      ...(tags.length === 0 ? {} : { tags }),
    },
    ...given('affinityKey', question.key),
    ...given('zone', question.zone),
    ...given('requestId', question.request),
  };
}

function given<Name extends string>(name: Name, value: string): { [N in Name]?: string } {
  const text = value.trim();
  return text === '' ? {} : ({ [name]: text } as { [N in Name]: string });
}
