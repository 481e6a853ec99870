import { Ctx, Query, Resolver } from 'type-graphql';
import { demand } from '../../../governance/access/actions.js';
import type { GraphqlContext } from '../context.js';
import type { GraphqlServices } from '../services.js';
import { AuditHealthType } from '../types/audit-health.types.js';

@Resolver(() => AuditHealthType)
export class AuditHealthResolver {
  constructor(private readonly services: Pick<GraphqlServices, 'auditHealth'>) {}

  /** For all namespaces only: how much is lost and waits says something of each of them. */
  @Query(() => AuditHealthType, {
    description: 'Whether the audit is complete and up to date. Takes the role VIEWER in all namespaces.',
  })
  auditHealth(@Ctx() { principal }: GraphqlContext): AuditHealthType {
    demand(principal, 'audit.read', null);
    const { alarm = null, loaderFailure = null, chainFault = null, ...counts } = this.services.auditHealth();
    return { ...counts, alarm, loaderFailure, chainFault };
  }
}
