import type { BroadcastPort, CallPort, ExplainPort } from '../../execute/ports.js';
import type { TaskDesk } from '../../execute/tasks/task-desk.js';
import type { TopologyView } from '../../execute/topology/topology.js';
import type { EnrolmentKeys } from '../../governance/access/enrolment-keys.js';
import type { Tokens } from '../../governance/access/tokens.js';
import type { AgentService } from '../../governance/agents/agent.service.js';
import type { AuditFeed } from '../../governance/audit/audit.feed.js';
import type { AuditHealth } from '../../governance/audit/audit.health.js';
import type { AuditStore } from '../../governance/audit/audit.store.js';
import type { CanaryJudge } from '../../governance/canary/canary.judge.js';
import type { NamespaceService } from '../../governance/namespaces/namespace.service.js';
import type { PermissionService } from '../../governance/permissions/permission.service.js';
import type { RuleBook } from '../../governance/permissions/rule-book.js';
import type { Policies } from '../../governance/policies/policies.js';
import type { HealthStreams, InstanceControl, RegistryStreams, RegistryView } from '../../perceive/ports.js';
import type { EndpointDesk } from '../endpoint-desk.js';

/** What the resolvers call. */
export interface GraphqlServices {
  readonly registry: RegistryView;
  readonly control: InstanceControl;
  readonly endpoints: Pick<EndpointDesk, 'register' | 'remove'>;
  readonly health: HealthStreams;
  readonly registered: RegistryStreams;
  readonly calls: Pick<CallPort, 'call'>;
  readonly broadcasts: BroadcastPort;
  readonly tasks: TaskDesk;
  readonly explain: ExplainPort;
  readonly topology: TopologyView;
  readonly namespaces: NamespaceService;
  readonly agents: AgentService;
  readonly canaries: Pick<CanaryJudge, 'view'>;
  readonly policies: Pick<Policies, 'reads' | 'saves' | 'rollouts' | 'drafts'>;
  readonly permissions: PermissionService;
  readonly rules: Pick<RuleBook, 'set'>;
  readonly tokens: Pick<Tokens, 'issue' | 'revoke' | 'page' | 'ofAgents'>;
  readonly enrolmentKeys: Pick<EnrolmentKeys, 'issue' | 'revoke' | 'page'>;
  readonly audit: Pick<AuditStore, 'page' | 'find' | 'succeeded'>;
  readonly auditFeed: Pick<AuditFeed, 'open'>;
  readonly auditHealth: () => AuditHealth;
  /** Wall clock, ms since 1970. */
  readonly now: () => number;
}
