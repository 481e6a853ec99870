import type {
  ClaimAnswer,
  ClaimedAttempt,
  ClaimedOutcome,
  ClaimKey,
  ClaimStore,
  KnownClaim,
  NewClaim,
} from './claims.port.js';

/** Claims in memory. Answers at once, unless it is `away`: then everything waits, in order, until `back`. */
export class TestClaims implements ClaimStore {
  readonly stored = new Map<string, KnownClaim>();
  away = false;
  /** The epoch that new claims get. */
  epoch = 1n;

  /** What waits for the database. */
  get waiting(): number {
    return this.#waiting.length;
  }

  #waiting: { readonly key: string; readonly run: () => void }[] = [];

  claim(claim: NewClaim, answered: (answer: ClaimAnswer) => void): void {
    this.#soon(claim, () => {
      const known = this.stored.get(textOf(claim));
      if (known !== undefined && known.dispatchId !== claim.dispatchId)
        return answered({ kind: 'KNOWN', claim: known });
      const agent = claim.instance.slice(0, claim.instance.lastIndexOf('/')) as KnownClaim['agent'];
      this.stored.set(textOf(claim), { ...claim, agent, nodeEpoch: this.epoch, outcome: undefined });
      answered({ kind: 'CLAIMED' });
    });
  }

  find(key: ClaimKey, found: (claim: KnownClaim | undefined) => void): () => void {
    const waits = { key: textOf(key), run: () => found(this.stored.get(textOf(key))) };
    if (this.away) this.#waiting.push(waits);
    else waits.run();
    return () => {
      this.#waiting = this.#waiting.filter((each) => each !== waits);
    };
  }

  move(key: ClaimKey, to: ClaimedAttempt, done: () => void): void {
    this.#soon(key, () => {
      const known = this.stored.get(textOf(key));
      if (known !== undefined) this.stored.set(textOf(key), { ...known, ...to });
      done();
    });
  }

  finish(key: ClaimKey, _dispatchId: string, outcome: ClaimedOutcome, done: () => void): void {
    this.#soon(key, () => {
      const known = this.stored.get(textOf(key));
      if (known !== undefined) this.stored.set(textOf(key), { ...known, outcome });
      done();
    });
  }

  release(key: ClaimKey, dispatchId: string): void {
    this.#waiting = this.#waiting.filter((each) => each.key !== textOf(key));
    this.#soon(key, () => {
      if (this.stored.get(textOf(key))?.dispatchId === dispatchId) this.stored.delete(textOf(key));
    });
  }

  async unfinished(): Promise<readonly KnownClaim[]> {
    return [...this.stored.values()].filter((claim) => claim.outcome === undefined);
  }

  /** The database answers again. */
  back(): void {
    this.away = false;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { run } of waiting) run();
  }

  #soon(key: ClaimKey, run: () => void): void {
    if (this.away) this.#waiting.push({ key: textOf(key), run });
    else run();
  }
}

function textOf({ caller, requestId }: ClaimKey): string {
  return `${caller} ${requestId}`;
}
