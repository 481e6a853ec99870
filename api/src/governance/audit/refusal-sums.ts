import type { AuditRecorder } from '@agent-reach/sdk/protocol';

const MINUTE_MS = 60_000;
/** Sources kept apart within a minute; those beyond are summed together, so that a flood costs no memory. */
const MAX_SOURCES = 1_000;
const OTHERS = 'others';

interface Sum {
  count: number;
  readonly firstAt: number;
  lastAt: number;
}

/**
 * Sums refusals that anybody can cause without a credential (failed authentication, foreign or late frames) by source
 * and minute into one REFUSAL record each, so that a flood of them is on record without flooding it.
 */
export class RefusalSums {
  readonly #recorder: AuditRecorder;
  readonly #now: () => number;
  readonly #sums = new Map<string, Map<string, Sum>>();
  #minute: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(recorder: AuditRecorder, options: { readonly now?: () => number } = {}) {
    this.#recorder = recorder;
    this.#now = options.now ?? Date.now;
    this.#minute = Math.floor(this.#now() / MINUTE_MS);
  }

  /** Writes each minute's sums when it is over, until `close`. */
  start(): void {
    this.#timer = setInterval(() => this.tick(), 1_000);
    this.#timer.unref();
  }

  /** Counts one refusal. `source` is an address or an instance; `code` an error code or the kind of frame. */
  count(source: string, code: string): void {
    this.tick();
    const now = this.#now();
    const key = this.#sums.has(source) || this.#sums.size < MAX_SOURCES ? source : OTHERS;
    const byCode = this.#sums.get(key) ?? new Map<string, Sum>();
    this.#sums.set(key, byCode);
    const sum = byCode.get(code) ?? { count: 0, firstAt: now, lastAt: now };
    sum.count += 1;
    sum.lastAt = now;
    byCode.set(code, sum);
  }

  /** Writes the sums of a minute that is over. */
  tick(): void {
    const minute = Math.floor(this.#now() / MINUTE_MS);
    if (minute === this.#minute) return;
    this.#minute = minute;
    this.#write();
  }

  /** Writes what there is and stops. */
  close(): void {
    clearInterval(this.#timer);
    this.#write();
  }

  #write(): void {
    for (const [source, byCode] of this.#sums) {
      for (const [code, { count, firstAt, lastAt }] of byCode) {
        this.#recorder.record({
          occurredAt: lastAt,
          kind: 'REFUSAL',
          namespace: '',
          action: `refusal.${code}`,
          actor: 'system',
          target: source,
          outcome: code,
          details: { source, count, firstAt: new Date(firstAt).toISOString(), lastAt: new Date(lastAt).toISOString() },
        });
      }
    }
    this.#sums.clear();
  }
}
