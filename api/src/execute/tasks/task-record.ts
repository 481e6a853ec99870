import { type AuditRecord, namespaceOfCaller, type TaskView } from '@agent-reach/sdk/protocol';

/** The one audit record of a task that ended. `wall`: ms since 1970 of the end. */
export function taskRecord(task: TaskView, wall: number, cancelledBy: string | undefined): AuditRecord {
  const { taskId, epoch, state, error } = task;
  const startedAt = Date.parse(task.createdAt);
  const callerNamespace = namespaceOfCaller(task.caller);
  return {
    occurredAt: startedAt,
    kind: 'CALL',
    namespace: task.namespace,
    action: 'task',
    actor: task.caller,
    target: task.agent,
    ...(callerNamespace === undefined || callerNamespace === task.namespace ? {} : { callerNamespace }),
    capability: task.capability,
    instance: task.instance,
    outcome: error === undefined ? 'OK' : error.code,
    requestId: task.requestId,
    durationMs: Math.max(0, wall - startedAt),
    details: {
      taskId,
      epoch,
      state,
      ...(cancelledBy === undefined ? {} : { cancelledBy }),
      ...(error === undefined ? {} : { error: { code: error.code, message: error.message, details: error.details } }),
    },
  };
}
