import type { AgentRef } from '@agent-reach/sdk/protocol';
import type { ChecklistItemName } from '../perceive/checklist/checklist.js';

/** Where in the console something can be done about a missing item. `path` begins with `/`. */
export interface ChecklistFix {
  readonly label: string;
  readonly path: string;
}

/** undefined where only the agent's own process can do it. `capability`: one that it has declared, for forms. */
export function checklistFix(
  item: ChecklistItemName,
  agent: AgentRef,
  capability: string | undefined,
): ChecklistFix | undefined {
  const [namespace = '', id = ''] = agent.split('/');
  const page = `/agents/${agent}`;
  switch (item) {
    case 'CREDENTIAL':
      return { label: 'Issue a token', path: `${page}?tab=tokens` };
    case 'DESCRIBED':
      return { label: 'See its schemas', path: `${page}?tab=capabilities` };
    case 'IN_SERVICE':
      return { label: 'Open its settings', path: `${page}?tab=settings` };
    case 'IN_PRODUCTION':
      return { label: 'Set the domain of its version', path: page };
    case 'PERMITTED': {
      const query = new URLSearchParams({ ns: namespace, add: '1', target: agent, capability: capability ?? '*' });
      return { label: 'Add a rule', path: `/permissions?${query}` };
    }
    case 'CALLED': {
      if (capability === undefined) return undefined;
      return {
        label: 'Explain a route to it',
        path: `/explain?${new URLSearchParams({ namespace, agent: id, capability })}`,
      };
    }
    case 'CONNECTED':
    case 'DECLARED':
    case 'VERIFIED':
    case 'READY':
      return undefined;
    default:
      return item satisfies never;
  }
}
