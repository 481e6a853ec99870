import type { AuditRecord } from '@agent-reach/sdk/protocol';
import type { StoredAuditEntry } from './audit.entry.js';

/** A record for tests; what is given replaces the defaults. */
export function callRecord(overrides: Partial<AuditRecord> = {}): AuditRecord {
  return {
    occurredAt: Date.parse('2026-03-01T10:00:00.000Z'),
    kind: 'CALL',
    namespace: 'default',
    action: 'call',
    actor: 'agent:default/shop',
    target: 'default/orders',
    outcome: 'OK',
    details: {},
    ...overrides,
  };
}

/** Sequences of entries as numbers, for comparisons that can be read. */
export function sequences(entries: readonly StoredAuditEntry[]): number[] {
  return entries.map((entry) => Number(entry.sequence));
}
