import type { AgentRef } from '../protocol/index.js';
import type { Candidate, RouteInstance } from './candidate.js';
import type { Pass } from './pass.js';
import type { PermissionDecision, PermissionScope, PermissionView } from './permission.js';

const ALLOWED: PermissionDecision = { allowed: true, rule: undefined };
const NO_RULE: PermissionDecision = { allowed: false, rule: undefined };

/** Asks for candidates one after the other. Those of one agent mostly stand together and need only one answer. */
export class PermissionAsker<I extends RouteInstance> {
  #view: PermissionView | undefined;
  #scope: PermissionScope['kind'] = 'EACH';
  #capability = '';
  #agent: AgentRef | undefined;
  #answer: PermissionDecision = NO_RULE;

  constructor(private readonly pass: Pass<I>) {}

  check({ instance, capability }: Candidate<I>): PermissionDecision {
    if (this.#view === undefined || capability.name !== this.#capability) this.#turnTo(capability.name);
    if (instance.agent !== this.#agent) {
      this.#agent = instance.agent;
      this.#answer = this.#ask(instance.agent);
    }
    return this.#answer;
  }

  #turnTo(capability: string): void {
    const { request, table } = this.pass;
    this.#capability = capability;
    this.#view = table.permissions.view(request.caller, request.roles, capability);
    this.#scope = this.#view.scope(request.namespace).kind;
    this.#agent = undefined;
  }

  #ask(agent: AgentRef): PermissionDecision {
    if (this.#scope === 'ALL') return ALLOWED;
    if (this.#scope === 'NONE' || this.#view === undefined) return NO_RULE;
    return this.#view.check(agent, this.pass.now.wall);
  }
}

/** Whether the caller may call all candidates, present and future, so that none has to be asked for. */
export function permitsAll<I extends RouteInstance>({ match, table, request }: Pass<I>): boolean {
  if (match.capability === undefined || !match.hasOneName) return false;
  return (
    table.permissions.view(request.caller, request.roles, match.capability).scope(request.namespace).kind === 'ALL'
  );
}
