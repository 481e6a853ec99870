import type { JournalAlarm, JournalStatus } from '../../storage/journal.js';
import type { AuditLoaderStatus } from './audit.loader.js';

/** Whether the audit is complete and up to date. */
export interface AuditHealth {
  /** Entries are being lost now. */
  readonly alarm: JournalAlarm | undefined;
  /** Entries lost since the server started. */
  readonly dropped: number;
  /** Bytes of entries that are on the disk and not in Postgres yet. */
  readonly bytesPending: number;
  /** Why none is moved to Postgres now. */
  readonly loaderFailure: string | undefined;
  /** Why what is stored cannot be trusted. */
  readonly chainFault: string | undefined;
}

export function auditHealth(
  journal: JournalStatus,
  loader: AuditLoaderStatus,
  chainFault: string | undefined,
): AuditHealth {
  return { ...journal, loaderFailure: loader.failure, chainFault };
}
