import { type ParsedFrame, ReachError, type RegisterFrame, wellShapedRegistration } from '@agent-reach/sdk/protocol';
import type { Principal } from '../../governance/access/principal.js';
import { faultsBeside, invalidRegistration, type Registrant } from '../../perceive/registration.js';

/** Whose registration a connection may send. Throws DENIED. */
export function registrantOf(frame: Pick<RegisterFrame, 'agent'>, principal: Principal): Registrant {
  const { namespace = '', caller: actor, credential } = principal;
  const enrolmentKeyId = credential.kind === 'ENROLMENT_KEY' ? credential.id : undefined;
  return { namespace, agent: agentOf(frame, principal), actor, enrolmentKeyId };
}

/** What to answer to a `register` frame of the wrong shape: all that is wrong with it, or that it is not allowed. */
export function misshapenRegistration(
  { value, error }: Pick<Extract<ParsedFrame, { kind: 'FAULTY' }>, 'value' | 'error'>,
  principal: Principal,
  networkRecoveryMs: number,
): ReachError {
  const { fields = [] } = error;
  try {
    const who = registrantOf(wellShapedRegistration(value), principal);
    return invalidRegistration([...fields, ...faultsBeside(fields, value, who, networkRecoveryMs)]);
  } catch (denied) {
    if (denied instanceof ReachError) return denied;
    throw denied;
  }
}

/** The agent of its token; with an enrolment key the one that it names. */
function agentOf(frame: Pick<RegisterFrame, 'agent'>, principal: Principal): string {
  if (principal.credential.kind === 'ENROLMENT_KEY') return frame.agent ?? '';
  const own = principal.agent?.ref;
  if (own === undefined) {
    throw new ReachError(
      'DENIED',
      `${principal.caller} is not an agent; register with an agent token or an enrolment key.`,
    );
  }
  const id = own.slice(own.indexOf('/') + 1);
  if (frame.agent !== undefined && frame.agent !== id) {
    throw new ReachError('DENIED', `This token is bound to the agent ${own}; it can't register ${frame.agent}.`, {
      fields: [{ path: 'agent', got: frame.agent, allowed: id }],
    });
  }
  return id;
}
