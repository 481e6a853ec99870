import { type AgentRef, type ProgressFrame, ReachError, type ResultFrame } from '@agent-reach/sdk/protocol';
import { type Request, Router } from 'express';
import type { Principal } from '../../governance/access/principal.js';
import type { Registry } from '../../perceive/registry.js';
import { type AuthenticatedDeps, authenticated, principalOf } from './authenticated.js';
import { parseFrameBody, textBody, textOf } from './body.js';
import { type RefusalDeps, recordingRefusals } from './recorded-refusals.js';

/** Takes what an agent without a socket says of a task that it accepted with 202. */
export interface DispatchReports {
  /**
   * How far the task is. False: there is no such dispatch that runs on an agent for which `owns` is true. A sequence that
   * is not higher than the last one changes nothing and is true.
   */
  progress(frame: ProgressFrame, owns: (agent: AgentRef) => boolean): boolean;
  /**
   * The completion. True once it is stored, or was before; false like `progress`, also when the task ended by something
   * else. Rejects with STORAGE_UNAVAILABLE when
   * it could not be stored in time, so that the agent sends it again. `bytes`: size of the body.
   */
  result(frame: ResultFrame, owns: (agent: AgentRef) => boolean, bytes: number): Promise<boolean>;
}

export interface DispatchRoutesDeps extends AuthenticatedDeps, RefusalDeps {
  readonly reports: DispatchReports;
  readonly registry: Pick<Registry, 'agent'>;
  readonly maxBytes: number;
}

const PATH = '/v1/dispatches';

/**
 * For agents that are only an HTTP endpoint: `POST /v1/dispatches/:dispatchId/progress` and `…/result` with the fields of
 * these frames and the agent's token. 204 when taken; a result is stored by then and need not be sent again.
 */
export function dispatchRoutes(deps: DispatchRoutesDeps): Router {
  const router = Router();
  const { reports, registry, maxBytes } = deps;
  router.use(PATH, authenticated(deps), textBody(maxBytes));

  router.post(`${PATH}/:dispatchId/progress`, (request, response) => {
    const { dispatchId } = request.params;
    const { frame, owns } = recordingRefusals(deps, principalOf(response), PATH, () => ({
      owns: ownedBy(principalOf(response), registry),
      frame: progressOf(dispatchId, request),
    }));
    if (!reports.progress(frame, owns)) throw unknown(dispatchId);
    response.status(204).end();
  });

  router.post(`${PATH}/:dispatchId/result`, async (request, response) => {
    const { dispatchId } = request.params;
    const { frame, owns } = recordingRefusals(deps, principalOf(response), PATH, () => ({
      owns: ownedBy(principalOf(response), registry),
      frame: resultOf(dispatchId, request),
    }));
    if (!(await reports.result(frame, owns, Buffer.byteLength(textOf(request))))) throw unknown(dispatchId);
    response.status(204).end();
  });
  return router;
}

const GIVEN = ['dispatchId'] as const;

function progressOf(dispatchId: string, request: Request): ProgressFrame {
  const body = parseFrameBody('progress', request, { example: '{"sequence":1,"progress":{}}', without: GIVEN });
  return { type: 'progress', dispatchId, ...body };
}

function resultOf(dispatchId: string, request: Request): ResultFrame {
  const body = parseFrameBody('result', request, { example: '{"ok":true,"result":{}}', without: GIVEN });
  return { type: 'result', dispatchId, ...body } as ResultFrame;
}

/** An agent reports for itself; an enrolment key for the agents that it created. Throws DENIED for everybody else. */
function ownedBy(principal: Principal, registry: Pick<Registry, 'agent'>): (agent: AgentRef) => boolean {
  const { credential, agent: own } = principal;
  if (own !== undefined) return (agent) => agent === own.ref;
  if (credential.kind !== 'ENROLMENT_KEY') {
    throw new ReachError('DENIED', `${principal.caller} is not an agent; report with the token of the agent.`);
  }
  return (agent) => registry.agent(agent)?.enrolmentKeyId === credential.id;
}

function unknown(dispatchId: string): ReachError {
  return new ReachError(
    'NOT_FOUND',
    `No task of this agent runs as dispatch ${JSON.stringify(dispatchId.slice(0, 64))}; it ended, or was given to another instance.`,
  );
}
