/** An operation that comes with the explorer. */
export interface SavedOperation {
  readonly id: string;
  readonly group: 'Health' | 'Tasks' | 'Audit';
  readonly label: string;
  readonly query: string;
  /** Made when it is opened, because some name times. `now` in ms since 1970. */
  readonly variables: (now: number) => Readonly<Record<string, unknown>>;
}

const HOUR_MS = 3_600_000;

export const SAVED_OPERATIONS: readonly SavedOperation[] = [
  {
    id: 'agents',
    group: 'Health',
    label: 'Agents and their instances',
    query: `query AgentsAndInstances($namespace: String) {
  agents(namespace: $namespace, first: 50) {
    nodes {
      ref
      health
      healthReason
      readyCount
      instanceCount
      inFlight
      instances { ref lifecycle health reason inFlight maxConcurrency utilisation lastHeardMs breaker }
    }
    pageInfo { hasNextPage endCursor }
  }
}`,
    variables: () => ({ namespace: null }),
  },
  {
    id: 'unwell',
    group: 'Health',
    label: 'Instances that are not healthy',
    query: `query NotHealthy($namespace: String) {
  instances(namespace: $namespace, filter: { health: [DEGRADED, OFFLINE, UNKNOWN] }, first: 100) {
    nodes { ref lifecycle health reason changedAt breaker breakerReason }
  }
}`,
    variables: () => ({ namespace: null }),
  },
  {
    id: 'health-stream',
    group: 'Health',
    label: 'Follow health changes (subscription)',
    query: `subscription FollowHealth($after: String, $filter: HealthFilterInput) {
  healthChanges(after: $after, filter: $filter) {
    kind
    position
    reason
    instances { instance lifecycle health reason inFlight utilisation changedAt }
  }
}`,
    variables: () => ({ after: null, filter: null }),
  },
  {
    id: 'explain',
    group: 'Health',
    label: 'Why a call would go where it goes',
    query: `query ExplainRoute($input: ExplainRouteInput!) {
  explainRoute(input: $input) {
    outcome
    chosen
    message
    policy { name version strategy }
    stages { stage entered kept }
    candidates { instance kept stage reason score parts }
  }
}`,
    variables: () => ({
      input: { caller: 'agent:NAMESPACE/AGENT', target: { namespace: 'NAMESPACE', capability: 'CAPABILITY' } },
    }),
  },
  {
    id: 'open-tasks',
    group: 'Tasks',
    label: 'Tasks that have not ended',
    query: `query OpenTasks($namespace: String) {
  tasks(namespace: $namespace, filter: { states: [ACCEPTED, RUNNING] }, first: 50) {
    nodes { taskId state agent instance capability caller epoch progress createdAt updatedAt deadlineAt }
    pageInfo { hasNextPage endCursor }
  }
}`,
    variables: () => ({ namespace: null }),
  },
  {
    id: 'task-stream',
    group: 'Tasks',
    label: 'Follow tasks (subscription)',
    query: `subscription FollowTasks($after: String, $filter: TaskStreamFilter) {
  taskUpdates(after: $after, filter: $filter) {
    kind
    position
    reason
    tasks { taskId state agent instance capability progress result error { code message } updatedAt }
  }
}`,
    variables: () => ({ after: null, filter: null }),
  },
  {
    id: 'failed',
    group: 'Audit',
    label: 'Failed calls of the last hour',
    query: `query FailedCalls($namespace: String, $from: DateTime) {
  auditEntries(namespace: $namespace, filter: { kinds: [CALL], outcome: "FAILED", from: $from }, first: 50) {
    nodes { sequence occurredAt actor target capability outcome attempts durationMs requestId traceId details }
    pageInfo { hasNextPage endCursor }
  }
}`,
    variables: (now) => ({ namespace: null, from: new Date(now - HOUR_MS).toISOString() }),
  },
  {
    id: 'changes',
    group: 'Audit',
    label: 'Who changed what',
    query: `query Changes($namespace: String) {
  auditEntries(namespace: $namespace, filter: { kinds: [CHANGE] }, first: 50) {
    nodes { sequence occurredAt actor action target details }
    pageInfo { hasNextPage endCursor }
  }
}`,
    variables: () => ({ namespace: null }),
  },
  {
    id: 'request',
    group: 'Audit',
    label: 'Everything about one request',
    query: `query OneRequest($requestId: String!) {
  auditEntries(filter: { requestId: $requestId }, first: 20) {
    nodes { sequence occurredAt kind action actor target instance outcome attempts durationMs traceId details }
  }
}`,
    variables: () => ({ requestId: 'REQUEST_ID' }),
  },
  {
    id: 'audit-stream',
    group: 'Audit',
    label: 'Follow the audit (subscription)',
    query: `subscription FollowAudit($after: String, $namespace: String, $filter: AuditFilter) {
  auditFeed(after: $after, namespace: $namespace, filter: $filter) {
    kind
    position
    entries { sequence occurredAt kind action actor target outcome }
  }
}`,
    variables: () => ({ after: null, namespace: null, filter: null }),
  },
];
