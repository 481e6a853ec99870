import type { AuditRecord } from '@agent-reach/sdk/protocol';
import type { JournalAlarm } from '../../storage/journal.js';

/** What the audit says of the entries that it lacks, once it can say anything again. */
export function gapRecord({ reason, since, dropped }: JournalAlarm, now: number): AuditRecord {
  return {
    occurredAt: now,
    kind: 'TRANSITION',
    namespace: '',
    action: 'audit.dropped',
    actor: 'system',
    target: 'journal',
    outcome: 'INTERNAL',
    details: { reason, since: since.toISOString(), until: new Date(now).toISOString(), dropped },
  };
}
