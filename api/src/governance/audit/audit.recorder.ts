import type { AuditRecord, AuditRecorder } from '@agent-reach/sdk/protocol';
import type { Journal } from '../../storage/journal.js';

/**
 * Records calls, refusals and transitions in the on-disk journal. What was recorded in a tick is in the file once the
 * composition root has called the journal's `flush`, which it does before any frame of that tick leaves.
 */
export class JournalRecorder implements AuditRecorder {
  readonly #journal: Pick<Journal, 'append'>;
  readonly #onRecord: () => void;

  /** `onRecord` lets the loader know that there is something to load. */
  constructor(journal: Pick<Journal, 'append'>, onRecord: () => void = () => {}) {
    this.#journal = journal;
    this.#onRecord = onRecord;
  }

  record(entry: AuditRecord): void {
    this.#journal.append(entry);
    this.#onRecord();
  }
}
