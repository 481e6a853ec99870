import type { DocumentNode } from 'graphql';

/** Of ordinary subscriptions; larger documents are read each time. */
const MAX_LENGTH = 8_192;
const MAX_DOCUMENTS = 100;

/**
 * Documents that were found within the limits and valid. After a cut in the network thousands of subscribers send the same
 * few within a moment, and reading each for a millisecond would hold everybody else up.
 */
export class KnownDocuments {
  readonly #known = new Map<string, DocumentNode>();

  get(query: string): DocumentNode | undefined {
    const document = this.#known.get(query);
    if (document !== undefined) this.keep(query, document);
    return document;
  }

  /** The one that was not asked for longest goes first. */
  keep(query: string, document: DocumentNode): void {
    if (query.length > MAX_LENGTH) return;
    this.#known.delete(query);
    this.#known.set(query, document);
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= MAX_DOCUMENTS) return;
      this.#known.delete(oldest);
    }
  }
}
