import { idFault } from '@agent-reach/sdk/protocol';
import { InputCheck } from '../input.js';
import { RESERVED_APP_NAMES } from './admin-token.js';
import { ENROLMENT_NAME_PREFIX } from './credential.store.js';
import type { Role } from './principal.js';

export interface IssueTokenInput {
  readonly namespace: string;
  readonly kind: 'AGENT' | 'APP';
  /** For an agent's token: its id, or `namespace/id`. */
  readonly agent?: string | null | undefined;
  readonly name: string;
  /** For a program's token: its role in the namespace. */
  readonly role?: Role | null | undefined;
  readonly expiresAt?: Date | null | undefined;
}

/** Throws INVALID_INPUT with all faults at once. Answers the agent's id, for an agent's token. */
export function checkTokenInput(input: IssueTokenInput, now: number): string | undefined {
  const check = new InputCheck();
  check.add(idFault('input.name', input.name));
  const agent = input.kind === 'AGENT' ? checkAgent(check, input) : undefined;
  if (input.kind === 'APP') checkApp(check, input);
  check.future('input.expiresAt', input.expiresAt, now);
  check.finish('The token');
  return agent;
}

function checkAgent(check: InputCheck, input: IssueTokenInput): string | undefined {
  const own = `${input.namespace}/`;
  const agent = input.agent?.startsWith(own) === true ? input.agent.slice(own.length) : (input.agent ?? undefined);
  check.add(idFault('input.agent', agent));
  if (input.role != null) {
    check.add({ path: 'input.role', got: input.role, allowed: 'nothing: a role is for a token of kind APP' });
  }
  return agent;
}

function checkApp(check: InputCheck, input: IssueTokenInput): void {
  if (input.agent != null) {
    check.add({ path: 'input.agent', got: input.agent, allowed: 'nothing: an agent is for a token of kind AGENT' });
  }
  if (RESERVED_APP_NAMES.includes(input.name) || input.name.startsWith(ENROLMENT_NAME_PREFIX)) {
    const reserved = [...RESERVED_APP_NAMES, `${ENROLMENT_NAME_PREFIX}*`].join(', ');
    check.add({ path: 'input.name', got: input.name, allowed: `a name other than ${reserved}` });
  }
}
