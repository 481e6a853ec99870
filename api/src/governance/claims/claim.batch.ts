import type { KnownClaim } from '../../execute/idempotency/claims.port.js';
import type { Sealer } from '../../storage/sealing.js';
import type { ClaimDatabase } from './claim.connection.js';
import { type ClaimOperation, type ClaimWrite, madeBy } from './claim.operations.js';
import { type ClaimRow, claimOf, encoded } from './claim.rows.js';
import { LOOK_UP, WRITE } from './claim.statements.js';
import { BytesArray, TextArray } from './text-array.js';

/** What became of a batch. */
export type BatchAnswer =
  | { readonly kind: 'FENCED' }
  | {
      readonly kind: 'WRITTEN';
      /** What stands under the keys of claims that are somebody else's, and of what was to be found. All other claims are ours. */
      readonly known: ReadonlyMap<ClaimOperation, KnownClaim>;
      /** Claims and moves whose row went away under them, and what was to be found and is not there. */
      readonly gone: ReadonlySet<ClaimOperation>;
    };

interface Counts {
  readonly head: number;
  readonly claimed: number;
  readonly moved: number;
}

type LookedUp = { readonly position: number } & (ClaimRow | { readonly caller: null });

const NOBODY: ReadonlyMap<ClaimOperation, KnownClaim> = new Map();
const NONE: ReadonlySet<ClaimOperation> = new Set();

const textArrays = (count: number): TextArray[] => Array.from({ length: count }, () => new TextArray());

/**
 * Writes batches, one at a time. A batch whose answer was lost may be written again: what it had done already is then
 * found to be its own.
 */
export class BatchWriter {
  readonly #claims = textArrays(9);
  readonly #moves = textArrays(5);
  readonly #outcomes = textArrays(4);
  readonly #sealed = new BytesArray();
  readonly #releases = textArrays(3);
  readonly #lookUps = textArrays(3);
  readonly #parameters = [...this.#claims, ...this.#moves, ...this.#outcomes, this.#sealed, ...this.#releases];
  readonly #epochText: string;
  /** How many of the batch are only to be found. */
  #finds = 0;

  constructor(
    private readonly database: ClaimDatabase,
    private readonly sealer: Sealer,
    epoch: bigint,
  ) {
    this.#epochText = String(epoch);
  }

  /** Throws what the database throws; then nothing is known of the batch. */
  async write(batch: readonly ClaimOperation[]): Promise<BatchAnswer> {
    const made = this.#fill(batch);
    const values = [this.#epochText, ...this.#parameters.map((array) => array.value)];
    const [counts] = await this.database.query<Counts>(WRITE, values);
    if (counts === undefined || counts.head === 0) return { kind: 'FENCED' };
    const all = counts.claimed + counts.moved === made;
    if (all && this.#finds === 0) return { kind: 'WRITTEN', known: NOBODY, gone: NONE };
    return await this.#lookUp(batch.filter(({ write: { kind } }) => kind === 'FIND' || (!all && isMade(kind))));
  }

  /** Answers how many claims and moves the batch has. */
  #fill(batch: readonly ClaimOperation[]): number {
    for (const array of this.#parameters) array.clear();
    this.#finds = 0;
    let made = 0;
    for (const operation of batch) {
      const { caller } = operation.key;
      const requestId = encoded(operation.key.requestId);
      const { write } = operation;
      switch (write.kind) {
        case 'CLAIM': {
          const { namespace, target, capability, paramsHash, instance, incarnation, dispatchId } = write.claim;
          const asked = JSON.stringify(target);
          const lived = encoded(incarnation);
          add(this.#claims, caller, requestId, namespace, asked, capability, paramsHash, instance, lived, dispatchId);
          made++;
          break;
        }
        case 'FIND':
          this.#finds++;
          break;
        case 'MOVE': {
          const { instance, incarnation, dispatchId } = write.to;
          add(this.#moves, caller, requestId, instance, encoded(incarnation), dispatchId);
          made++;
          break;
        }
        case 'FINISH':
          add(this.#outcomes, caller, requestId, write.dispatchId, write.state);
          this.#sealed.addBytes(write.sealed);
          break;
        case 'RELEASE':
          add(this.#releases, caller, requestId, write.dispatchId);
          break;
        default:
          write satisfies never;
      }
    }
    return made;
  }

  /** Somebody else has a claim of the batch, or it had been written before, or somebody wants to know one. */
  async #lookUp(asked: readonly ClaimOperation[]): Promise<BatchAnswer> {
    for (const array of this.#lookUps) array.clear();
    for (const one of asked) {
      add(this.#lookUps, one.key.caller, encoded(one.key.requestId), madeBy(one) ?? '');
    }
    const values = this.#lookUps.map((array) => array.value);
    const known = new Map<ClaimOperation, KnownClaim>();
    const gone = new Set<ClaimOperation>();
    for (const row of await this.database.query<LookedUp>(LOOK_UP, values)) {
      const one = asked[row.position - 1];
      if (one === undefined) continue;
      if (one.write.kind !== 'MOVE' && row.caller !== null) known.set(one, claimOf(row, this.sealer));
      else gone.add(one);
    }
    return { kind: 'WRITTEN', known, gone };
  }
}

function isMade(kind: ClaimWrite['kind']): boolean {
  return kind === 'CLAIM' || kind === 'MOVE';
}

function add(arrays: readonly TextArray[], ...texts: readonly string[]): void {
  for (let at = 0; at < arrays.length; at++) arrays[at]?.addText(texts[at] ?? '');
}
