import type { Principal } from './principal.js';

export type CredentialId = Principal['credential']['id'];
export type EndReason = 'EXPIRED' | 'REVOKED';
export type EndListener = (credential: CredentialId, reason: EndReason) => void;

/** Where everything that ends credentials says so, and everything that holds sockets open on one listens. */
export class CredentialEnds {
  readonly #listeners = new Set<EndListener>();

  /** Hears of each end in the tick in which it takes effect. Returns the function that ends this. */
  onEnded(listener: EndListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  end(credential: CredentialId, reason: EndReason): void {
    for (const listener of this.#listeners) listener(credential, reason);
  }
}
