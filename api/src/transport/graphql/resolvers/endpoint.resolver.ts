import { isObject } from '@agent-reach/sdk/protocol';
import { Arg, Ctx, Mutation, Resolver } from 'type-graphql';
import { notFound } from '../../../governance/input.js';
import { demandRef, invalid } from '../access.js';
import type { GraphqlContext } from '../context.js';
import { JsonScalar } from '../scalars/json.scalar.js';
import type { GraphqlServices } from '../services.js';
import { InstanceType } from '../types/instances.types.js';
import { instanceNode } from './registry.mapping.js';

@Resolver()
export class EndpointResolver {
  constructor(private readonly services: Pick<GraphqlServices, 'endpoints'>) {}

  @Mutation(() => InstanceType, {
    description:
      'Registers an instance that is only an HTTP endpoint, and creates its agent if there is none. It is PENDING until the server reached its health path. Another descriptor under the same instance name replaces it whole. Needs OPERATOR.',
  })
  async registerEndpoint(
    @Ctx() { principal }: GraphqlContext,
    @Arg('agent', () => String, { description: 'The agent, `namespace/id`.' }) agent: string,
    @Arg('descriptor', () => JsonScalar, {
      description: 'What `POST /v1/agents` takes: the fields of a registration, and `endpoint`.',
    })
    descriptor: unknown,
  ): Promise<InstanceType> {
    demandRef(principal, 'agents.write', agent, 'agent');
    const [namespace, id] = agent.split(/\/(.*)/s);
    if (!isObject(descriptor)) invalid('descriptor', typeof descriptor, 'a JSON object');
    const whole = { ...descriptor, namespace, agent: id };
    return instanceNode(await this.services.endpoints.register(principal, whole, JSON.stringify(whole)));
  }

  @Mutation(() => InstanceType, {
    description: 'Takes an instance that is only an HTTP endpoint out for good. Returns what it was. Needs OPERATOR.',
  })
  removeEndpoint(
    @Ctx() { principal }: GraphqlContext,
    @Arg('instance', () => String, { description: 'The instance, `namespace/agent/instance`.' }) instance: string,
  ): InstanceType {
    demandRef(principal, 'agents.write', instance, 'instance');
    const [namespace = '', agent = '', name, ...more] = instance.split('/');
    if (name === undefined || more.length > 0) throw notFound('instance', instance);
    return instanceNode(this.services.endpoints.remove(principal, agent, name, namespace));
  }
}
