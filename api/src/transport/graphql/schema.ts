import 'reflect-metadata';
import type { GraphQLSchema } from 'graphql';
import { lexicographicSortSchema, printSchema } from 'graphql';
import { buildSchema, type NonEmptyArray } from 'type-graphql';
import { AgentResolver, AgentVersionResolver } from './resolvers/agent.resolver.js';
import { AuditResolver } from './resolvers/audit.resolver.js';
import { AuditHealthResolver } from './resolvers/audit-health.resolver.js';
import { CallResolver } from './resolvers/call.resolver.js';
import { CapabilityResolver } from './resolvers/capability.resolver.js';
import { ChecklistResolver } from './resolvers/checklist.resolver.js';
import { CredentialResolver } from './resolvers/credential.resolver.js';
import { EndpointResolver } from './resolvers/endpoint.resolver.js';
import { HealthResolver } from './resolvers/health.resolver.js';
import { InstanceResolver } from './resolvers/instance.resolver.js';
import { NamespaceResolver } from './resolvers/namespace.resolver.js';
import { PermissionResolver } from './resolvers/permission.resolver.js';
import { PolicyResolver } from './resolvers/policy.resolver.js';
import { PolicyDraftResolver } from './resolvers/policy-draft.resolver.js';
import { PolicyVersionResolver } from './resolvers/policy-version.resolver.js';
import { RegistryResolver } from './resolvers/registry.resolver.js';
import { RouteResolver } from './resolvers/route.resolver.js';
import { TaskResolver } from './resolvers/task.resolver.js';
import { TopologyResolver } from './resolvers/topology.resolver.js';
import { ViewerResolver } from './resolvers/viewer.resolver.js';
import type { GraphqlServices } from './services.js';
import { CallAccepted, CallCompleted, CallFailed } from './types/calls.types.js';

type ResolverClass = new (services: GraphqlServices) => object;

const RESOLVERS = [
  AgentResolver,
  AgentVersionResolver,
  AuditResolver,
  AuditHealthResolver,
  CallResolver,
  CapabilityResolver,
  ChecklistResolver,
  CredentialResolver,
  EndpointResolver,
  HealthResolver,
  InstanceResolver,
  NamespaceResolver,
  PermissionResolver,
  PolicyDraftResolver,
  PolicyResolver,
  PolicyVersionResolver,
  RegistryResolver,
  RouteResolver,
  TaskResolver,
  TopologyResolver,
  ViewerResolver,
] as const satisfies NonEmptyArray<ResolverClass>;

/** type-graphql wants one; every subscription here opens a bounded stream of its own instead. */
const NO_PUB_SUB = {
  publish(): void {},
  subscribe(): never {
    throw new Error('subscriptions open their own streams');
  },
};

/** Builds the executable schema. Without services it can only be printed. */
export function buildReachSchema(services?: GraphqlServices): Promise<GraphQLSchema> {
  const instances = new Map<unknown, object>();
  if (services !== undefined) for (const Resolver of RESOLVERS) instances.set(Resolver, new Resolver(services));
  return buildSchema({
    resolvers: [...RESOLVERS] as unknown as NonEmptyArray<() => unknown>,
    orphanedTypes: [CallAccepted, CallCompleted, CallFailed],
    container: {
      get(resolver) {
        const instance = instances.get(resolver);
        if (instance === undefined) throw new Error('this schema was built to be printed');
        return instance;
      },
    },
    pubSub: NO_PUB_SUB,
    // Inputs are checked where they are used, so that every way in checks the same.
    validate: false,
  });
}

/** The schema as text, sorted, so that it depends on nothing but itself. */
export function printReachSchema(schema: GraphQLSchema): string {
  return `${printSchema(lexicographicSortSchema(schema))}\n`;
}
