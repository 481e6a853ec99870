import { type DocumentNode, getOperationAST, visit } from 'graphql';
import type { Principal } from '../../governance/access/principal.js';

/** A subscription as it was sent. */
export interface SentOperation {
  readonly query: string;
  readonly operationName?: string | null | undefined;
  readonly variables?: Readonly<Record<string, unknown>> | null | undefined;
}

/**
 * Names what a subscription asks of each event: equal names, equal results. Fields below a subscription may look at the
 * rights of whoever asks, not at who that is. The arguments of the subscription itself say only which events come.
 */
export function operationKey(
  document: DocumentNode,
  { query, operationName, variables }: SentOperation,
  { roles, scope }: Pick<Principal, 'roles' | 'scope'>,
): string {
  const used = variablesOfEvents(document, operationName);
  return JSON.stringify([
    query,
    operationName ?? null,
    used.map((name) => [name, variables?.[name] ?? null]),
    roles.map(({ namespace, role }) => `${role} ${namespace ?? ''}`).sort(),
    scope.all ? null : [...scope.namespaces].sort(),
  ]);
}

/** The variables that the result of an event may depend on. */
function variablesOfEvents(document: DocumentNode, operationName: string | null | undefined): string[] {
  const roots = new Set<object>(getOperationAST(document, operationName)?.selectionSet.selections);
  const used = new Set<string>();
  visit(document, {
    VariableDefinition: () => false,
    Field: (field) => (roots.has(field) ? { ...field, arguments: [] } : undefined),
    Variable: ({ name }) => {
      used.add(name.value);
    },
  });
  return [...used].sort();
}
