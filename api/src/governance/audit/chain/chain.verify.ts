import type { AuditAnchorModel } from '../../../storage/generated/models.js';
import { anchorMac } from './chain.anchors.js';
import { type ChainFault, FaultCollector } from './chain.faults.js';
import type { AuditKeys } from './chain.keys.js';
import { CHAIN_START, entryMac } from './chain.links.js';
import { type ChainReader, type ChainStretch, hasRightSize, type ReadLink } from './chain.reader.js';
import { macOf, sameBytes } from './chain.values.js';
import type { KeptHead } from './kept-heads.js';

export interface VerifyOptions {
  readonly reader: Pick<ChainReader, 'read' | 'count'>;
  readonly keys: AuditKeys;
  /** Heads that were kept outside Postgres, oldest first. */
  readonly keptHeads: readonly KeptHead[];
  /** Hears of each fault in the order of the sequence. */
  readonly onFault: (fault: ChainFault) => void;
}

/** What a verification looked at. */
export interface Verification {
  /** Entries whose content was compared with the chain. */
  entries: bigint;
  links: number;
  /** Entries that an anchor stands for: dropped by retention, or from before the chain. */
  expired: bigint;
  unchained: bigint;
  keptHeads: number;
  /** Sequence of the last entry. */
  head: bigint;
  faults: number;
}

/**
 * Goes along the chain from the first entry to the last, and compares each entry with its chain value, each anchor with
 * its signature, and the chain with its head and with the heads that were kept elsewhere. Entries that are stored
 * meanwhile are looked at too. Memory is bounded whatever the size of the audit. Throws what the reader throws.
 */
export async function verifyChain(options: VerifyOptions): Promise<Verification> {
  const walk = new ChainWalk(options);
  for (;;) {
    const { head, anchors, links, beyond } = await options.reader.read(walk.next);
    const parts = [...anchors, ...links].sort((a, b) => (a.firstSequence < b.firstSequence ? -1 : 1));
    for (const part of parts) await walk.pass(part);
    if (beyond !== undefined) return walk.end(head, beyond);
  }
}

class ChainWalk {
  readonly #options: VerifyOptions;
  readonly #faults: FaultCollector;
  readonly #seen: Verification;
  readonly #heads: KeptHead[];
  /** The first sequence that was not looked at. */
  next = 1n;
  /** Chain value of the sequence before; undefined where it is lost. */
  #before: Uint8Array | undefined = CHAIN_START;

  constructor(options: VerifyOptions) {
    this.#options = options;
    this.#faults = new FaultCollector(options.onFault);
    this.#heads = [...options.keptHeads].sort((a, b) => (a.sequence < b.sequence ? -1 : 1));
    this.#seen = { entries: 0n, links: 0, expired: 0n, unchained: 0n, keptHeads: 0, head: 0n, faults: 0 };
  }

  /** Goes over a link or an anchor, the one that begins next. */
  async pass(part: ReadLink | AuditAnchorModel): Promise<void> {
    const { firstSequence: first, lastSequence: last } = part;
    const isLink = 'macs' in part;
    // An anchor may have taken the place of links in the middle of which the walk was.
    const joins = first >= this.next || (!isLink && last >= this.next);
    if (!joins || last < first) {
      const kind = isLink ? 'WRONG_LINK' : 'WRONG_ANCHOR';
      this.#faults.add(kind, first, last, 'it overlaps with what comes before it');
      return;
    }
    if (first > this.next) await this.#gap(first - 1n);
    if (isLink) this.#link(part);
    else await this.#anchor(part);
    this.next = last + 1n;
  }

  /** Looks at what should come after the last link. */
  async end(head: ChainStretch['head'], beyond: number): Promise<Verification> {
    const last = this.next - 1n;
    if (head.sequence > last) {
      const stored = await this.#options.reader.count(this.next, head.sequence);
      if (stored > 0) this.#faults.add('ADDED', this.next, head.sequence, `${stored} entries outside the chain`);
      else this.#faults.add('CUT_OFF', this.next, head.sequence, 'the head counts them, and they are gone');
    } else if (head.sequence < last) {
      this.#faults.add('WRONG_HEAD', head.sequence, last, 'the head stands before the last entry');
    } else if (this.#before !== undefined && !sameBytes(head.chain ?? CHAIN_START, this.#before)) {
      this.#faults.add('WRONG_HEAD', last, last, 'its chain value is not that of the last entry');
    }
    this.#seen.keptHeads += this.#heads.length;
    const kept = this.#heads.at(-1);
    if (kept !== undefined) {
      this.#faults.add('CUT_OFF', last + 1n, kept.sequence, `at ${kept.at} they were there, and are gone`);
    }
    if (beyond > 0) this.#faults.add('ADDED', last + 1n, last + 1n, `${beyond} entries after the last one`);
    const stray = await this.#options.reader.count(-(2n ** 63n), 0n);
    if (stray > 0) this.#faults.add('ADDED', 0n, 0n, `${stray} entries under sequences that are never given`);
    this.#faults.flush();
    return { ...this.#seen, head: head.sequence, faults: this.#faults.count };
  }

  async #gap(to: bigint): Promise<void> {
    const from = this.next;
    const stored = await this.#options.reader.count(from, to);
    if (stored > 0) this.#faults.add('ADDED', from, to, `${stored} entries outside the chain`);
    else this.#faults.add('MISSING', from, to, 'the entries and their part of the chain are gone');
    this.#before = undefined;
    this.#checkHeads(to, () => undefined, 'is gone');
  }

  #link(link: ReadLink): void {
    const { firstSequence: first, lastSequence: last, keyId, entries } = link;
    this.#seen.links += 1;
    const key = this.#options.keys.find(keyId);
    if (key === undefined || !hasRightSize(link)) {
      const reason = key === undefined ? `made with an unknown key (${keyId})` : 'its size is wrong';
      this.#faults.add('WRONG_LINK', first, last, reason);
      this.#before = undefined;
      this.#checkHeads(last, () => undefined, 'cannot be told');
      return;
    }
    let at = 0;
    for (let sequence = first; sequence <= last; sequence += 1n) {
      const mac = macOf(link, sequence);
      const entry = entries[at]?.sequence === sequence ? entries[at] : undefined;
      if (entry === undefined) {
        this.#faults.add('MISSING', sequence, sequence, 'the entry is gone');
      } else {
        at += 1;
        this.#seen.entries += 1n;
        if (this.#before !== undefined && !sameBytes(entryMac(key, this.#before, entry.digest), mac)) {
          this.#faults.add('CHANGED', sequence, sequence, 'it, or its place, is not what was stored');
        }
      }
      for (; entries[at]?.sequence === sequence; at += 1) {
        this.#faults.add('ADDED', sequence, sequence, 'a second entry under this sequence');
      }
      this.#before = mac;
    }
    this.#checkHeads(last, (sequence) => macOf(link, sequence), 'was replaced');
  }

  async #anchor(anchor: AuditAnchorModel): Promise<void> {
    const { firstSequence: first, lastSequence: last, reason, entries, before, chain, keyId, mac } = anchor;
    const count = last - first + 1n;
    const key = this.#options.keys.find(keyId);
    const wrong = (why: string): void => this.#faults.add('WRONG_ANCHOR', first, last, why);
    if (key === undefined) wrong(`made with an unknown key (${keyId})`);
    else if (!sameBytes(anchorMac(key, anchor), mac)) wrong('its signature is wrong');
    else if (first === this.next && this.#before !== undefined && !sameBytes(this.#before, before))
      wrong('it does not join on what comes before');
    if (reason === 'EXPIRED') {
      this.#seen.expired += entries;
      if (entries !== count) {
        const kind = entries < count ? 'MISSING' : 'ADDED';
        this.#faults.add(
          kind,
          first,
          last,
          `${entries} entries were there when they expired, and there had been ${count}`,
        );
      }
    } else {
      this.#seen.unchained += entries;
      const stored = BigInt(await this.#options.reader.count(first, last));
      if (stored > entries)
        this.#faults.add('ADDED', first, last, `${stored} entries, and ${entries} were there before the chain`);
    }
    this.#before = chain;
    // Of expired entries only the last one's value is known.
    this.#checkHeads(
      last,
      (sequence) => (sequence === last || reason === 'UNCHAINED' ? chain : 'EXPIRED'),
      'was replaced',
    );
  }

  /** Compares the kept heads up to a sequence with the values that the chain has for them; tells of the last that differs. */
  #checkHeads(upTo: bigint, valueAt: (sequence: bigint) => Uint8Array | 'EXPIRED' | undefined, what: string): void {
    let wrong: KeptHead | undefined;
    for (let head = this.#heads[0]; head !== undefined && head.sequence <= upTo; head = this.#heads[0]) {
      this.#heads.shift();
      this.#seen.keptHeads += 1;
      const value = valueAt(head.sequence);
      if (value === 'EXPIRED' || (value !== undefined && Buffer.from(value).toString('hex') === head.chain)) continue;
      wrong = head;
    }
    if (wrong === undefined) return;
    this.#faults.add('CUT_OFF', wrong.sequence, wrong.sequence, `it was the last entry at ${wrong.at}, and ${what}`);
  }
}
