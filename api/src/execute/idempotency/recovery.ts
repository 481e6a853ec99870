import type { RouteTable } from '@agent-reach/sdk/decide';
import type { ProgressFrame, RecalledFrame, ResultFrame, WireError } from '@agent-reach/sdk/protocol';
import type { Clock } from '../../perceive/clock.js';
import type { Instance, Link } from '../../perceive/instance.js';
import type { Delivery, LaterFrames } from '../attempts/delivery.js';
import { unusableResult } from '../calls/failures.js';
import type { ClaimedAttempt, ClaimedOutcome, ClaimKey, ClaimStore, KnownClaim } from './claims.port.js';
import { type RecoveredClaim, RecoveredClaims, type Resolved } from './recovery-claim.js';
import { RecoveryEndings } from './recovery-endings.js';
import { outcomeOf, type Unknown, unknownOutcome } from './recovery-outcomes.js';

/** How long an instance has to come back and answer after a restart of the server, ms. */
export const RECALL_WAIT_MS = 60_000;
/** Without an answer it is asked again. */
const ASK_AGAIN_MS = 5_000;
/** What an instance says to be running must end within this. */
const RUNNING_MS = 10 * 60_000;

export interface ClaimRecoveryDeps {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly store: Pick<ClaimStore, 'unfinished' | 'finish' | 'release'>;
  readonly delivery: Pick<Delivery, 'recall'>;
  /** The incarnations that live now. */
  readonly instances: Pick<RouteTable<Instance>, 'instance'>;
  /** The claims could not be read, or a listener failed; for the log. */
  readonly onFault: (error: unknown) => void;
  /** Default RECALL_WAIT_MS. */
  readonly waitMs?: number;
}

/**
 * Finds out what became of executions that an earlier server began: their instances are asked when they are back, and
 * what they answer, or that nobody can know, becomes the outcome. Also takes the late results of this server's own claims
 * that ended as OUTCOME_UNKNOWN. Whatever happens, no claim stays open for ever.
 */
export class ClaimRecovery implements LaterFrames {
  readonly #claims = new RecoveredClaims();
  readonly #endings: RecoveryEndings;
  #loading: 'NOT_YET' | 'NOW' | 'DONE' = 'NOT_YET';

  constructor(private readonly deps: ClaimRecoveryDeps) {
    this.#endings = new RecoveryEndings(this.#claims, deps);
  }

  /** Claims without a stored outcome. */
  get open(): number {
    return this.#claims.size;
  }

  /** Reads what earlier servers left; when that fails, `tick` tries again. Never rejects. */
  async start(): Promise<void> {
    this.#loading = 'NOW';
    try {
      for (const claim of await this.deps.store.unfinished()) {
        if (this.#claims.get(claim) === undefined) this.#askIfHere(this.#adopt(claim));
      }
      this.#loading = 'DONE';
    } catch (error) {
      this.#loading = 'NOT_YET';
      this.deps.onFault(error);
    }
  }

  /** A repetition waits for what became of an execution that an earlier server began. Returns how to stop waiting. */
  wait(claim: KnownClaim, resolved: Resolved): () => void {
    const known = this.#claims.get(claim);
    const recovered = known?.claim.dispatchId === claim.dispatchId ? known : this.#adopt(claim, known);
    recovered.waiters.add(resolved);
    if (recovered !== known) this.#askIfHere(recovered);
    return () => recovered.waiters.delete(resolved);
  }

  /** A claim of this server ended as OUTCOME_UNKNOWN; a result that still comes replaces that. */
  unknown(key: ClaimKey, attempt: ClaimedAttempt): void {
    this.#endings.unknown(key, attempt);
  }

  /** Called every second: asks again, and gives up what takes too long. */
  tick(): void {
    if (this.#loading === 'NOT_YET') void this.start();
    const now = this.deps.clock.monotonic();
    this.#endings.expire();
    for (const recovered of this.#claims.open()) {
      const { phase } = recovered;
      if (phase.name === 'RUNNING') {
        if (now >= phase.until) this.#endUnknown(recovered, 'TOO_LONG');
      } else if (now >= recovered.waitUntil) {
        this.#endUnknown(recovered, 'ABSENT');
      } else if (phase.name === 'ASKED' && now - phase.askedAt >= ASK_AGAIN_MS) {
        this.#askIfHere(recovered);
      }
    }
  }

  // --- instances -----------------------------------------------------------------------------------------------

  /** An instance came, or came back over another connection. */
  joined(instance: Instance): void {
    for (const recovered of this.#claims.on(instance.ref)) this.#ask(recovered, instance);
    if (instance.record.endpoint !== undefined) return;
    // Its answer may have been lost with a connection that broke unseen.
    for (const { key, attempt } of this.#endings.unknownOn(instance.ref))
      this.#recall(instance, key, attempt.dispatchId);
  }

  /** The incarnation is gone. */
  lost(instance: Instance): void {
    for (const recovered of this.#claims.on(instance.ref)) {
      const { phase } = recovered;
      if (phase.name === 'ASKED' && phase.instance === instance) recovered.phase = { name: 'ABSENT' };
      if (phase.name === 'RUNNING' && phase.instance === instance) this.#endUnknown(recovered, 'LOST');
    }
  }

  // --- frames --------------------------------------------------------------------------------------------------

  recalled(frame: RecalledFrame, link: Link): boolean {
    if (frame.state === 'DONE') return this.#ended(frame.dispatchId, link, (claim) => outcomeOf(frame, claim));
    const recovered = this.#claims.of(frame.dispatchId);
    const instance = recovered === undefined ? undefined : this.#speaker(recovered.claim, link);
    if (recovered === undefined || instance === undefined) return false;
    switch (frame.state) {
      case 'UNKNOWN':
        this.#endUnknown(recovered, 'FORGOTTEN');
        break;
      case 'RUNNING':
        if (recovered.phase.name !== 'RUNNING' || recovered.phase.instance !== instance) {
          recovered.phase = { name: 'RUNNING', instance, until: this.deps.clock.monotonic() + RUNNING_MS };
        }
        break;
      case 'NEVER_SEEN':
        this.#neverSeen(recovered, instance);
        break;
      default:
        frame satisfies never;
    }
    return true;
  }

  completed(frame: ResultFrame, link: Link): boolean {
    return this.#ended(frame.dispatchId, link, (claim) => outcomeOf(frame, claim));
  }

  faulty(dispatchId: string, link: Link, error: WireError): boolean {
    return this.#ended(dispatchId, link, ({ instance }) => {
      return { ok: false, error: unusableResult(error), instance, attempts: 1 };
    });
  }

  progressed(_frame: ProgressFrame, _link: Link): boolean {
    return false;
  }

  /** An execution came to its end, whether it is still waited for or was given up. */
  #ended(dispatchId: string, link: Link, outcome: (claim: ClaimedAttempt) => ClaimedOutcome): boolean {
    const recovered = this.#claims.of(dispatchId);
    const attempt = recovered?.claim ?? this.#endings.unknownAttempt(dispatchId);
    if (attempt === undefined || this.#speaker(attempt, link) === undefined) return false;
    if (recovered === undefined) this.#endings.replace(dispatchId, outcome(attempt));
    else this.#endings.end(recovered, outcome(attempt));
    return true;
  }

  /**
   * The present incarnation of the claim's instance, if it is the one that speaks. Another incarnation than the claim's
   * counts as well: it reads the record of the one before it, and nobody else knows the dispatchId.
   */
  #speaker({ instance }: Pick<ClaimedAttempt, 'instance'>, link: Link): Instance | undefined {
    const present = this.deps.instances.instance(instance);
    return present?.link === link ? present : undefined;
  }

  // --- what becomes of a claim ---------------------------------------------------------------------------------

  #adopt(claim: KnownClaim, instead?: RecoveredClaim): RecoveredClaim {
    const waitUntil = this.deps.clock.monotonic() + (this.deps.waitMs ?? RECALL_WAIT_MS);
    // The earlier server had moved the claim to another attempt: who waited for that one waits for this one.
    const waiters = new Set(instead?.waiters);
    if (instead !== undefined) {
      instead.waiters.clear();
      this.#claims.remove(instead);
    }
    const recovered: RecoveredClaim = { claim, waitUntil, waiters, phase: { name: 'ABSENT' } };
    this.#claims.add(recovered);
    return recovered;
  }

  #askIfHere(recovered: RecoveredClaim): void {
    const instance = this.deps.instances.instance(recovered.claim.instance);
    if (instance !== undefined) this.#ask(recovered, instance);
  }

  /** One that runs is asked again as well when it comes back: its result may have been lost with the connection. */
  #ask(recovered: RecoveredClaim, instance: Instance): void {
    // It answered the request that the earlier server had made, or nobody; there is nothing to ask it by.
    if (instance.record.endpoint !== undefined) return this.#endUnknown(recovered, 'ENDPOINT');
    if (instance.link === undefined || !instance.link.isOpen) return;
    const { claim } = recovered;
    if (recovered.phase.name !== 'RUNNING') {
      recovered.phase = { name: 'ASKED', instance, askedAt: this.deps.clock.monotonic() };
    }
    this.#recall(instance, claim, claim.dispatchId, claim.capability);
  }

  #recall(instance: Instance, { caller, requestId }: ClaimKey, dispatchId: string, capability?: string): void {
    const { ref } = instance;
    const frame = { type: 'recall', instance: ref, dispatchId, caller, requestId } as const;
    this.deps.delivery.recall(instance, capability === undefined ? frame : { ...frame, capability });
  }

  #neverSeen(recovered: RecoveredClaim, instance: Instance): void {
    const { claim, phase } = recovered;
    if (phase.name === 'RUNNING') return this.#endUnknown(recovered, 'FORGOTTEN');
    // Of what the incarnation before it did without keeping a record, this one can't know.
    if (instance.record.incarnation !== claim.incarnation) return this.#endUnknown(recovered, 'REPLACED');
    this.#endings.free(recovered);
  }

  #endUnknown(recovered: RecoveredClaim, why: Unknown): void {
    this.#endings.end(recovered, unknownOutcome(recovered.claim, why));
  }
}
