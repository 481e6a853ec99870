import type { Credential, CredentialStore } from './credential.store.js';

const MAX_BATCH = 500;

interface Waiting {
  readonly promise: Promise<Credential | undefined>;
  readonly resolve: (credential: Credential | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Looks hashes up in the database with one query at a time for all who wait, so that a flood of made-up tokens takes
 * one connection of the pool and not all of them.
 */
export class CredentialLookup {
  readonly #store: Pick<CredentialStore, 'byHashes'>;
  readonly #waiting = new Map<string, Waiting>();
  #running = false;

  constructor(store: Pick<CredentialStore, 'byHashes'>) {
    this.#store = store;
  }

  /** The credential as it stands in the database after this call, or undefined. Throws what the store throws. */
  find(hash: string): Promise<Credential | undefined> {
    const known = this.#waiting.get(hash);
    if (known !== undefined) return known.promise;
    const { promise, resolve, reject } = deferred<Credential | undefined>();
    this.#waiting.set(hash, { promise, resolve, reject });
    if (!this.#running) {
      this.#running = true;
      queueMicrotask(() => void this.#run());
    }
    return promise;
  }

  async #run(): Promise<void> {
    while (this.#waiting.size > 0) {
      const batch = [...this.#waiting].slice(0, MAX_BATCH);
      // Taken out before the query: who asks from now on may know of a newer commit and gets the next query.
      for (const [hash] of batch) this.#waiting.delete(hash);
      try {
        const found = new Map(
          (await this.#store.byHashes(batch.map(([hash]) => hash))).map((credential) => [credential.hash, credential]),
        );
        for (const [hash, { resolve }] of batch) resolve(found.get(hash));
      } catch (error) {
        for (const [, { reject }] of batch) reject(error);
      }
    }
    this.#running = false;
  }
}

function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void; reject: (error: unknown) => void } {
  let resolve: (value: T) => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
