import { ReachError } from '@agent-reach/sdk/protocol';
import type { CommittedChange } from '../changes.js';
import { isStorageAway, toReachError } from '../storage-errors.js';
import { type PresetToken, presetPrincipal } from './admin-token.js';
import type { Credential, CredentialStore } from './credential.store.js';
import type { CredentialEnds, EndListener, EndReason } from './credential-ends.js';
import { CredentialLookup } from './credential-lookup.js';
import type { Principal } from './principal.js';
import { hashSecret, secretKind } from './secrets.js';

const TICK_MS = 500;
const NOTE_USES_MS = 60_000;

export interface AuthenticatorOptions {
  readonly store: CredentialStore;
  readonly ends: CredentialEnds;
  /** Tokens that stand outside the database. */
  readonly presets: readonly PresetToken[];
  /** Wall clock, ms since 1970. */
  readonly now?: () => number;
  /** A background read or write failed; it is tried again. */
  readonly onError?: (error: unknown) => void;
}

/**
 * Says who holds a secret. All live tokens are kept in memory, so that known ones work while the database is away;
 * others are looked up. A revocation committed in this process takes effect in the same tick.
 */
export class Authenticator {
  readonly #store: CredentialStore;
  readonly #ends: CredentialEnds;
  readonly #presets: readonly PresetToken[];
  readonly #now: () => number;
  readonly #onError: (error: unknown) => void;
  readonly #lookup: CredentialLookup;
  readonly #byHash = new Map<string, Principal>();
  readonly #hashById = new Map<string, string>();
  readonly #uses = new Map<string, Date>();
  /** Grows with each end, so that a read that began before cannot bring the ended one back. */
  #generation = 0;
  #nextExpiry = Number.POSITIVE_INFINITY;
  #usesNotedAt: number;
  /** What is in memory may differ from the database, which is to be read again as soon as it answers. */
  #inDoubt = false;
  #refreshing = false;
  #timer: NodeJS.Timeout | undefined;
  /** Reads and writes that nobody waits for, one after the other. They never reject. */
  #background: Promise<void> = Promise.resolve();

  constructor(options: AuthenticatorOptions) {
    this.#store = options.store;
    this.#ends = options.ends;
    this.#presets = options.presets;
    this.#now = options.now ?? Date.now;
    this.#onError = options.onError ?? (() => {});
    this.#lookup = new CredentialLookup(options.store);
    this.#usesNotedAt = this.#now();
  }

  /** Loads all live tokens and keys, and watches for expiry until `close`. Throws STORAGE_UNAVAILABLE. */
  async start(): Promise<void> {
    await this.refresh();
    this.#timer = setInterval(() => this.tick(), TICK_MS);
    this.#timer.unref();
  }

  /** Stops watching and writes down what is known of last uses. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#background;
    await this.noteUses();
  }

  /**
   * The principal of a secret. Throws UNAUTHENTICATED for one that is unknown, revoked or expired, and
   * STORAGE_UNAVAILABLE when only the database could tell.
   */
  async authenticate(secret: string): Promise<Principal> {
    const hash = hashSecret(secret);
    const preset = presetPrincipal(this.#presets, hash);
    if (preset !== undefined) return preset;
    const kind = secretKind(secret);
    if (kind !== 'agent' && kind !== 'app' && kind !== 'enrol') throw unauthenticated('is not a token of this server');
    const principal = this.#byHash.get(hash) ?? (await this.#find(hash));
    if (isExpired(principal, this.#now())) throw unauthenticated(expired(principal));
    if (principal.credential.kind !== 'ENROLMENT_KEY') {
      this.#uses.set(principal.credential.id, new Date(this.#now()));
    }
    return principal;
  }

  /** Hears of each end of a credential, in the tick in which it takes effect. Returns the function that ends this. */
  onEnded(listener: EndListener): () => void {
    return this.#ends.onEnded(listener);
  }

  /** Takes in a committed change; to be given to `Changes.onCommitted`. The target of `agent.delete` is `ns/id`. */
  changed(change: CommittedChange): void {
    switch (change.action) {
      case 'token.revoke':
      case 'enrolmentKey.revoke': {
        const id = change.before?.id;
        if (typeof id === 'string') this.#end(id, 'REVOKED');
        break;
      }
      case 'agent.delete':
        // Its tokens went with it.
        for (const { agent, credential } of [...this.#byHash.values()]) {
          if (agent?.ref === change.target) this.#end(credential.id, 'REVOKED');
        }
        this.#generation += 1;
        break;
      case 'namespace.delete':
        for (const { namespace, credential } of [...this.#byHash.values()]) {
          if (namespace === change.target) this.#end(credential.id, 'REVOKED');
        }
        this.#generation += 1;
        break;
      case 'token.issue':
      case 'enrolmentKey.issue': {
        const id = change.after?.id;
        if (typeof id === 'string') this.#background = this.#background.then(() => this.#learn(id));
        break;
      }
      default:
    }
  }

  /** A change may stand or not: reads everything again as soon as the database answers. */
  doubt(): void {
    this.#inDoubt = true;
  }

  /** Reads all live tokens and keys again; what is gone has ended. Throws STORAGE_UNAVAILABLE. */
  async refresh(): Promise<void> {
    for (;;) {
      const generation = this.#generation;
      const before = new Set(this.#hashById.keys());
      const found = await this.#store.live(new Date(this.#now())).catch((error: unknown) => {
        throw toReachError(error);
      });
      if (generation !== this.#generation) continue;
      for (const credential of found) {
        this.#remember(credential);
        before.delete(credential.principal.credential.id);
      }
      for (const id of before) this.#end(id, 'REVOKED');
      return;
    }
  }

  /** Ends what expired, and now and then writes down last uses. Called by a timer, or by a test with its own clock. */
  tick(): void {
    const now = this.#now();
    if (now >= this.#nextExpiry) {
      this.#nextExpiry = Number.POSITIVE_INFINITY;
      for (const principal of [...this.#byHash.values()]) {
        if (isExpired(principal, now)) this.#end(principal.credential.id, 'EXPIRED');
        else this.#expectExpiry(principal);
      }
    }
    if (this.#inDoubt && !this.#refreshing) this.#background = this.#background.then(() => this.#clearDoubt());
    if (now - this.#usesNotedAt >= NOTE_USES_MS) {
      this.#usesNotedAt = now;
      this.#background = this.#background.then(() => this.noteUses());
    }
  }

  /** Writes down when tokens were last used, all in one statement; what fails is kept for the next time. */
  async noteUses(): Promise<void> {
    if (this.#uses.size === 0) return;
    const uses = new Map(this.#uses);
    this.#uses.clear();
    try {
      await this.#store.noteUses(uses);
    } catch (error) {
      for (const [id, at] of uses) if (!this.#uses.has(id)) this.#uses.set(id, at);
      this.#onError(error);
    }
  }

  async #clearDoubt(): Promise<void> {
    this.#refreshing = true;
    this.#inDoubt = false;
    try {
      await this.refresh();
    } catch (error) {
      this.#inDoubt = true;
      this.#onError(error);
    } finally {
      this.#refreshing = false;
    }
  }

  /** So that a new token works even when the database goes away before its first use. */
  async #learn(id: string): Promise<void> {
    const generation = this.#generation;
    try {
      const found = await this.#store.byId(id);
      // Something ended meanwhile, perhaps this: its first use will look it up.
      if (generation !== this.#generation || found === undefined || found.revokedAt !== null) return;
      this.#remember(found);
    } catch (error) {
      this.#onError(error);
    }
  }

  async #find(hash: string): Promise<Principal> {
    for (;;) {
      const generation = this.#generation;
      let found: Credential | undefined;
      try {
        found = await this.#lookup.find(hash);
      } catch (error) {
        if (!isStorageAway(error)) throw toReachError(error);
        throw new ReachError(
          'STORAGE_UNAVAILABLE',
          'This token is not among those known to the running server, and the database is away; repeat later.',
          { cause: error },
        );
      }
      if (generation !== this.#generation) continue;
      if (found === undefined) throw unauthenticated('is not known');
      if (found.revokedAt !== null) throw unauthenticated(`was revoked at ${found.revokedAt.toISOString()}`);
      if (isExpired(found.principal, this.#now())) throw unauthenticated(expired(found.principal));
      this.#remember(found);
      return found.principal;
    }
  }

  #remember({ hash, principal }: Credential): void {
    this.#byHash.set(hash, principal);
    this.#hashById.set(principal.credential.id, hash);
    this.#expectExpiry(principal);
  }

  #expectExpiry({ credential }: Principal): void {
    if (credential.expiresAt === undefined) return;
    this.#nextExpiry = Math.min(this.#nextExpiry, credential.expiresAt.getTime());
  }

  #end(id: string, reason: EndReason): void {
    this.#generation += 1;
    const hash = this.#hashById.get(id);
    if (hash !== undefined) this.#byHash.delete(hash);
    this.#hashById.delete(id);
    this.#uses.delete(id);
    this.#ends.end(id, reason);
  }
}

function isExpired({ credential }: Principal, now: number): boolean {
  return credential.expiresAt !== undefined && credential.expiresAt.getTime() <= now;
}

function expired({ credential }: Principal): string {
  return `expired at ${credential.expiresAt?.toISOString()}`;
}

function unauthenticated(what: string): ReachError {
  return new ReachError('UNAUTHENTICATED', `The token ${what}.`);
}
