import {
  bodyFaults,
  type CallerRef,
  type ErrorCode,
  type FieldFault,
  type InstanceRef,
  idFault,
  instanceRef,
  isObject,
  ReachError,
  type RegisterFrame,
  wellShapedRegistration,
} from '@agent-reach/sdk/protocol';
import type { EgressGuard } from '../deliver/egress.js';
import { demand } from '../governance/access/actions.js';
import { inScope, type Principal } from '../governance/access/principal.js';
import type { AgentService } from '../governance/agents/agent.service.js';
import {
  ENDPOINT_DEFAULTS,
  type EndpointDeclaration,
  endpointFaults,
  endpointOf,
  headerFaults,
} from '../perceive/endpoints/endpoint-check.js';
import type { EndpointWatch } from '../perceive/endpoints/endpoint-watch.js';
import { registerEndpoint } from '../perceive/endpoints/register-endpoint.js';
import type { InstanceView } from '../perceive/model.js';
import { checkRegistration, faultsBeside } from '../perceive/registration.js';
import type { Registry } from '../perceive/registry.js';

export interface EndpointDeskDeps {
  readonly registry: Registry;
  readonly watch: Pick<EndpointWatch, 'ask'>;
  readonly guard: Pick<EgressGuard, 'fault'>;
  readonly agents: Pick<AgentService, 'create'>;
  /** Names a new incarnation; unguessable. */
  readonly newId: () => string;
}

/** Which agent a credential acts for, in the words of a registration. */
interface Acting {
  readonly namespace: string;
  readonly agent: string;
  readonly actor: CallerRef;
  readonly enrolmentKeyId: string | undefined;
  /** It acts for any agent of the namespace, and may create it. */
  readonly mayCreate: boolean;
}

/** Registers and removes instances that are only HTTP endpoints, for every way in. */
export class EndpointDesk {
  constructor(private readonly deps: EndpointDeskDeps) {}

  /**
   * Registers an endpoint by its descriptor: the fields of a `register` frame, `endpoint`, and `namespace` for whoever
   * belongs to none. Whoever may change agents creates the agent by it, if there is none. Returns the instance once it
   * was asked for the first time.
   * Throws INVALID_REGISTRATION with all faults at once, DENIED, and what `Registry.join` throws.
   *
   * @param text what the descriptor was parsed from
   */
  async register(principal: Principal, descriptor: unknown, text: string): Promise<InstanceView> {
    const { registry, watch, newId } = this.deps;
    const body = isObject(descriptor) ? descriptor : {};
    const { endpoint, namespace, ...fields } = body;
    const acting = this.#actingFor(principal, { namespace, agent: fields.agent }, 'INVALID_REGISTRATION');
    const { instance, maxConcurrency, maxTasks } = ENDPOINT_DEFAULTS;
    const frame = { instance, maxConcurrency, maxTasks, ...fields, type: 'register', id: '1' };
    const others = [
      ...(await this.#endpointFaults(endpoint)),
      ...headerFaults(wellShapedRegistration(frame).capabilities),
    ];
    const misshapen = bodyFaults('register', descriptor, text, {
      without: ['id'],
      mayLack: ['instance'],
      beside: ['endpoint', 'namespace'],
    });
    if (misshapen.length > 0) throw invalid([...misshapen, ...others, ...faultsBeside(misshapen, frame, acting)]);
    const checked = checkRegistration(frame as RegisterFrame, acting, others);
    const declared = endpointOf(endpoint as EndpointDeclaration);
    if (acting.mayCreate) await this.#create(acting, checked.registration.type);
    const joined = await registerEndpoint({ registry, watch }, checked, declared, newId());
    return registry.instance(joined.instance.ref) ?? gone(joined.instance.ref);
  }

  /** Takes an endpoint out for good. Throws NOT_FOUND, also for an instance that is none; DENIED. */
  remove(principal: Principal, agent: string, instance: string, namespace?: string): InstanceView {
    const { registry } = this.deps;
    const acting = this.#actingFor(principal, { namespace, agent }, 'INVALID_INPUT');
    const { enrolmentKeyId } = acting;
    const record = registry.agent(`${acting.namespace}/${acting.agent}`);
    const ref = instanceRef(`${acting.namespace}/${acting.agent}`, instance);
    if (record === undefined) throw new ReachError('NOT_FOUND', `There is no instance ${ref}.`);
    if (enrolmentKeyId !== undefined && record.enrolmentKeyId !== enrolmentKeyId) {
      throw new ReachError('DENIED', `The agent ${record.ref} was not created with this enrolment key.`);
    }
    return registry.removeEndpoint(ref, acting.actor);
  }

  /** The faults of an endpoint, that of where it leads included. */
  async #endpointFaults(endpoint: unknown): Promise<readonly FieldFault[]> {
    const faults = endpointFaults(endpoint);
    if (faults.length > 0) return faults;
    const leadsAstray = await this.deps.guard.fault((endpoint as EndpointDeclaration).url, 'endpoint.url');
    return leadsAstray === undefined ? [] : [leadsAstray];
  }

  async #create({ namespace, agent: id, actor }: Acting, type: string): Promise<void> {
    const { registry, agents } = this.deps;
    if (registry.agent(`${namespace}/${id}`) !== undefined) return;
    try {
      await agents.create({ caller: actor }, { namespace, id, type });
    } catch (error) {
      // Somebody else created it meanwhile.
      if (!(error instanceof ReachError) || error.code !== 'CONFLICT') throw error;
    }
  }

  /**
   * The agent that is registered: the token's own; with an enrolment key the one that the descriptor names; for people
   * and programs too, where they may change agents.
   */
  #actingFor(
    principal: Principal,
    named: { readonly namespace: unknown; readonly agent: unknown },
    code: 'INVALID_REGISTRATION' | 'INVALID_INPUT',
  ): Acting {
    const { credential, caller: actor } = principal;
    const namespace = idOr(named.namespace, 'namespace', principal.namespace, code);
    const own = principal.agent?.ref;
    const ownId = own?.slice(own.indexOf('/') + 1);
    const agent = idOr(named.agent, 'agent', ownId, code);
    if (!inScope(principal.scope, namespace)) {
      throw new ReachError('NOT_FOUND', `There is no namespace ${namespace} that this credential may see.`);
    }
    if (own !== undefined && `${namespace}/${agent}` !== own) {
      throw new ReachError('DENIED', `This token is bound to the agent ${own}; it can't act for ${agent}.`, {
        fields: [{ path: 'agent', got: agent, allowed: ownId ?? '' }],
      });
    }
    const isKey = credential.kind === 'ENROLMENT_KEY';
    const mayCreate = own === undefined && !isKey;
    if (mayCreate) demand(principal, 'agents.write', namespace);
    return { namespace, agent, actor, enrolmentKeyId: isKey ? credential.id : undefined, mayCreate };
  }
}

/** An id that was named, else the one that goes without saying. Throws `code`. */
function idOr(named: unknown, path: 'namespace' | 'agent', fallback: string | undefined, code: ErrorCode): string {
  const id = named ?? fallback;
  const fault = idFault(path, id);
  if (fault !== undefined) throw invalid([fault], code);
  return id as string;
}

function invalid(fields: readonly FieldFault[], code: ErrorCode = 'INVALID_REGISTRATION'): ReachError {
  const [first] = fields;
  const message = `The ${code === 'INVALID_INPUT' ? 'request' : 'descriptor'} has ${fields.length === 1 ? 'a fault' : `${fields.length} faults`}: ${first?.path}: got ${first?.got}, allowed: ${first?.allowed}.`;
  return new ReachError(code, message, { fields });
}

function gone(ref: InstanceRef): never {
  throw new ReachError('CONFLICT', `The instance ${ref} was removed while it registered.`);
}
