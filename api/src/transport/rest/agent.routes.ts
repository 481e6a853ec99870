import { type Request, type Response, Router } from 'express';
import type { InstanceView } from '../../perceive/model.js';
import type { EndpointDesk } from '../endpoint-desk.js';
import { type AuthenticatedDeps, authenticated, principalOf } from './authenticated.js';
import { parseJson, textBody, textOf } from './body.js';
import { type RefusalDeps, recordRefusal } from './recorded-refusals.js';

export interface AgentRoutesDeps extends AuthenticatedDeps, RefusalDeps {
  readonly endpoints: EndpointDesk;
  readonly maxBytes: number;
}

const EXAMPLE = '{"version":"1.0.0","agentType":"shop.orders","capabilities":[…],"endpoint":{"url":"https://…"}}';

/**
 * For agents that are only an HTTP endpoint: `POST /v1/agents` registers one by its descriptor file, and
 * `DELETE /v1/agents/:agent/instances/:instance` takes it out. With the token of the agent, an enrolment key, or a token
 * that may change agents. Both answer `{ agent, instance, lifecycle, reason }`.
 */
export function agentRoutes(deps: AgentRoutesDeps): Router {
  const router = Router();
  const { endpoints, maxBytes } = deps;
  router.use('/v1/agents', authenticated(deps));

  router.post('/v1/agents', textBody(maxBytes), async (request, response) => {
    const view = await recorded(response, '/v1/agents', () => {
      const text = textOf(request);
      return endpoints.register(principalOf(response), parseJson(text, EXAMPLE), text);
    });
    response.status(201).json(answerOf(view));
  });

  router.delete('/v1/agents/:agent/instances/:instance', async (request, response) => {
    const { agent, instance } = request.params;
    const view = await recorded(response, request.path, () =>
      endpoints.remove(principalOf(response), agent, instance, namespaceOf(request)),
    );
    response.json(answerOf(view));
  });

  async function recorded(
    response: Response,
    path: string,
    step: () => InstanceView | Promise<InstanceView>,
  ): Promise<InstanceView> {
    try {
      return await step();
    } catch (error) {
      recordRefusal(deps, principalOf(response), path, error);
      throw error;
    }
  }
  return router;
}

function namespaceOf({ query }: Request): string | undefined {
  return typeof query.namespace === 'string' ? query.namespace : undefined;
}

function answerOf({ agent, name, lifecycle, reason }: InstanceView) {
  return { agent, instance: name, lifecycle, reason };
}
