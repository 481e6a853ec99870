/** What is wrong with the sequences `first` to `last` of the audit. */
export interface ChainFault {
  readonly kind: ChainFaultKind;
  readonly first: bigint;
  readonly last: bigint;
  /** For a person. */
  readonly reason: string;
}

export type ChainFaultKind =
  /** What is stored is not what was stored then. */
  | 'CHANGED'
  /** It was stored, and is not there. */
  | 'MISSING'
  /** It is there, and no server with the key stored it. */
  | 'ADDED'
  /** The end of the audit is gone, or was replaced. */
  | 'CUT_OFF'
  /** The chain's own records are not those that a server with the key wrote. */
  | 'WRONG_LINK'
  | 'WRONG_ANCHOR'
  | 'WRONG_HEAD';

/** Hands faults on, those of the same kind in consecutive sequences as one. */
export class FaultCollector {
  readonly #onFault: (fault: ChainFault) => void;
  #open: ChainFault | undefined;
  #count = 0;

  constructor(onFault: (fault: ChainFault) => void) {
    this.#onFault = onFault;
  }

  /** Faults handed on so far. */
  get count(): number {
    return this.#count;
  }

  add(kind: ChainFaultKind, first: bigint, last: bigint, reason: string): void {
    const open = this.#open;
    if (open?.kind === kind && open.reason === reason && open.last + 1n === first) {
      this.#open = { ...open, last };
      return;
    }
    this.flush();
    this.#open = { kind, first, last, reason };
  }

  /** Hands on what may still have been growing. */
  flush(): void {
    if (this.#open === undefined) return;
    this.#count += 1;
    this.#onFault(this.#open);
    this.#open = undefined;
  }
}
