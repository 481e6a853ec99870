import { enumType } from '../enum-type.js';

export const AgentKindEnum = enumType('AgentKind', 'What kind of thing can be reached.', {
  AGENT: 'An agent.',
  TOOL: 'A tool that agents use.',
  API: 'An interface of another system.',
  DATASOURCE: 'A source of data.',
});

export const HealthEnum = enumType('Health', 'How well an instance can be reached now.', {
  HEALTHY: 'Takes calls.',
  DEGRADED: 'Takes calls, but is loaded or slow; chosen less often.',
  OFFLINE: 'Cannot be reached.',
  UNKNOWN: 'Not heard since the server restarted.',
});

export const LifecycleEnum = enumType('Lifecycle', 'Where an instance is in its life. Only READY is routed to.', {
  PENDING: 'Registered, not yet verified.',
  STARTING: 'Verified, in its startup grace.',
  READY: 'Takes calls.',
  DRAINING: 'Takes no new calls and finishes its running ones.',
  PAUSED: 'Paused by an operator; takes no new calls.',
  SUSPECT: 'Its lease was lost; kept for observation.',
  GONE: 'Left, or lost for good.',
});

export const DomainEnum = enumType('Domain', 'Which traffic an agent version gets.', {
  CANARY: 'A small share, while the version proves itself.',
  STAGING: 'None, until an operator releases it.',
  PRODUCTION: 'The regular traffic.',
});

export const CapabilityModeEnum = enumType('CapabilityMode', 'When a call of a capability completes.', {
  SYNC: 'The result is the answer of the call.',
  TASK: 'The call is accepted, and its completion comes later.',
});

export const TaskStateEnum = enumType(
  'TaskState',
  'How far a task is. After COMPLETED, FAILED, CANCELLED nothing follows.',
  {
    ACCEPTED: 'An instance took it.',
    RUNNING: 'Its instance reported progress.',
    COMPLETED: 'It came to its result.',
    FAILED: 'It failed, or its time ran out.',
    CANCELLED: 'Its caller or an operator stopped it.',
    UNKNOWN:
      'Its instance was lost, and nobody can tell whether it was done; a result that comes after all still counts.',
  },
);

export const FallbackKindEnum = enumType('FallbackKind', 'Where an answer came from, when the call itself failed.', {
  AGENT: 'From the backup agent.',
  STALE: 'It is the last good answer, no longer fresh.',
  ANSWER: 'It is the fixed answer of the policy.',
});

export const RoleEnum = enumType('Role', 'What a person or program may do; each role includes those before it.', {
  VIEWER: 'Reads.',
  OPERATOR: 'Also drains, pauses, edits agents and policies, and dispatches calls.',
  ADMIN: 'Also decides on permissions, credentials and namespaces.',
});

export const StreamEventKindEnum = enumType('StreamEventKind', 'What an item of a stream is.', {
  SNAPSHOT: 'The whole state at this position; replaces everything known before.',
  CHANGE: 'What changed since the position before.',
  CHECKPOINT: 'Nothing changed; the stream is alive and this is its position.',
  RESYNC: 'The position asked for is not known any more; a snapshot follows.',
});
