import type {
  ClaimAnswer,
  ClaimedAttempt,
  ClaimedOutcome,
  ClaimKey,
  ClaimStore,
  KnownClaim,
  NewClaim,
} from '../../execute/idempotency/claims.port.js';
import type { Sealer } from '../../storage/sealing.js';
import { BatchLoop, type BatchLoopDeps } from './batch.loop.js';
import { type BatchAnswer, BatchWriter } from './claim.batch.js';
import type { ClaimDatabase } from './claim.connection.js';
import { ClaimOperation, type ClaimWrite, idOf, madeBy } from './claim.operations.js';
import { sealOutcome } from './claim.outcome.js';

/** What may wait for claims to be made or found. Only that can become too much while the database is away; all else belongs to calls that run. */
const MAX_WAITING = 100_000;

export interface ClaimWriterDeps {
  readonly database: ClaimDatabase;
  readonly sealer: Sealer;
  /** This server's number, from `raiseNodeEpoch`. */
  readonly epoch: bigint;
  /** Claims of smaller epochs that never came to an end. */
  readonly unfinished: () => Promise<readonly KnownClaim[]>;
  /** Another server took over the database; told once. Nothing is written any more. */
  readonly onFenced: () => void;
  readonly log: BatchLoopDeps['log'];
}

export interface ClaimWriterStatus {
  /** Operations that are not durable yet. */
  readonly waiting: number;
  /** Why nothing can be written now; undefined while all is well. */
  readonly failure: string | undefined;
  /** Another server took over. */
  readonly fenced: boolean;
}

/**
 * Claims in Postgres, with group commit. In a server that was superseded only claims are answered, as FENCED: a result
 * that it can't keep must not be given to the caller as if it were kept, so that `finish` and `move` stay unanswered, and
 * so does `find`.
 */
export class ClaimWriter implements ClaimStore {
  readonly #loop: BatchLoop;
  /** Dispatches whose claims were too many; each until its call gives up, and releases what it does not have. */
  readonly #refused = new Set<string>();
  #fenced = false;

  constructor(private readonly deps: ClaimWriterDeps) {
    const batches = new BatchWriter(deps.database, deps.sealer, deps.epoch);
    this.#loop = new BatchLoop({
      write: (batch) => batches.write(batch),
      written: (batch, answer) => this.#written(batch, answer),
      log: deps.log,
    });
  }

  claim(claim: NewClaim, answered: (answer: ClaimAnswer) => void): void {
    if (this.#fenced) queueMicrotask(() => answered(FENCED));
    else if (this.#loop.queue.size < MAX_WAITING) this.#push(claim, { kind: 'CLAIM', claim, answered });
    else this.#refused.add(claim.dispatchId);
  }

  find(key: ClaimKey, found: (claim: KnownClaim | undefined) => void): () => void {
    const { queue } = this.#loop;
    if (this.#fenced || queue.size >= MAX_WAITING) return () => {};
    const operation = new ClaimOperation(key, { kind: 'FIND', found });
    this.#loop.push(operation);
    return () => {
      if (queue.latest(operation.id) === operation) queue.remove(operation);
      else operation.abandoned = true;
    };
  }

  move(key: ClaimKey, to: ClaimedAttempt, done: () => void): void {
    this.#push(key, { kind: 'MOVE', to, done });
  }

  /** Also `done` when the database does not hold the claim any more: nothing is gained by keeping the answer back. */
  finish(key: ClaimKey, dispatchId: string, outcome: ClaimedOutcome, done: () => void): void {
    if (this.#fenced) return;
    const { state, sealed } = sealOutcome(key, outcome, this.deps.sealer);
    this.#push(key, { kind: 'FINISH', dispatchId, state, sealed, done });
  }

  release(key: ClaimKey, dispatchId: string): void {
    if (this.#refused.delete(dispatchId)) return;
    const id = idOf(key);
    const waiting = this.#loop.queue.latest(id);
    if (waiting?.write.kind === 'CLAIM' && waiting.write.claim.dispatchId === dispatchId) {
      this.#loop.queue.remove(waiting);
      return;
    }
    for (const open of [waiting, this.#loop.underWay.find((one) => one.id === id)]) {
      if (open !== undefined && madeBy(open) === dispatchId) open.abandoned = true;
    }
    this.#push(key, { kind: 'RELEASE', dispatchId });
  }

  unfinished(): Promise<readonly KnownClaim[]> {
    return this.deps.unfinished();
  }

  status(): ClaimWriterStatus {
    const { queue, underWay, failure } = this.#loop;
    return { waiting: queue.size + underWay.length, failure, fenced: this.#fenced };
  }

  /** Writes what waits, for so many ms at most, and ends the connection. */
  async close(withinMs: number): Promise<void> {
    await this.#loop.stop(withinMs);
    await this.deps.database.close();
  }

  #push(key: ClaimKey, write: ClaimWrite): void {
    if (!this.#fenced) this.#loop.push(new ClaimOperation(key, write));
  }

  #written(batch: readonly ClaimOperation[], answer: BatchAnswer): void {
    if (answer.kind === 'FENCED') return this.#fence(batch);
    for (const operation of batch) {
      if (operation.abandoned) continue;
      // A listener that fails must not keep the others from hearing of theirs.
      try {
        this.#tell(operation, answer);
      } catch (error) {
        this.#failed(error);
      }
    }
  }

  #tell(operation: ClaimOperation, { known, gone }: Extract<BatchAnswer, { kind: 'WRITTEN' }>): void {
    const { write } = operation;
    const claim = known.get(operation);
    switch (write.kind) {
      case 'CLAIM':
        // Whoever had it let go of it in this moment.
        if (gone.has(operation)) this.claim(write.claim, write.answered);
        else write.answered(claim === undefined ? CLAIMED : { kind: 'KNOWN', claim });
        break;
      case 'FIND':
        write.found(claim);
        break;
      case 'MOVE':
        if (!gone.has(operation)) write.done();
        else this.deps.log.warn({ requestId: operation.key.requestId }, 'a claim is gone, so its call may not go on');
        break;
      case 'FINISH':
        write.done();
        break;
      case 'RELEASE':
        break;
      default:
        write satisfies never;
    }
  }

  #fence(batch: readonly ClaimOperation[]): void {
    if (this.#fenced) return;
    this.#fenced = true;
    this.deps.log.error({}, 'another server took over the database; this one writes no claim any more');
    const waiting = [...batch, ...this.#loop.queue.clear()];
    for (const { write, abandoned } of waiting) {
      if (write.kind !== 'CLAIM' || abandoned) continue;
      try {
        write.answered(FENCED);
      } catch (error) {
        this.#failed(error);
      }
    }
    this.deps.onFenced();
  }

  #failed(error: unknown): void {
    this.deps.log.error({ err: error }, 'a listener of a claim failed');
  }
}

const CLAIMED: ClaimAnswer = { kind: 'CLAIMED' };
const FENCED: ClaimAnswer = { kind: 'FENCED' };
