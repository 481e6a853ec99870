import type { AgentRef } from '@agent-reach/sdk/protocol';
import type { CapabilityRecord } from '../model.js';
import { createDocument, type Document, documentKey } from './document.js';
import { TextIndex } from './text-index.js';

/** An instance as far as its capabilities are looked for. Known by identity. */
export interface Offerer {
  readonly namespace: string;
  readonly agent: AgentRef;
  /** The same list for all instances of one version, so that 10,000 of them cost one indexing. */
  readonly capabilities: readonly { readonly record: CapabilityRecord }[];
}

/** One list of capabilities, and how many instances offer it. */
interface Offer {
  readonly namespace: string;
  readonly agent: AgentRef;
  readonly documents: readonly Document[];
  instances: number;
}

/** A document, and the agents that offer it: how many of their versions do. */
interface Entry {
  readonly document: Document;
  readonly agents: Map<AgentRef, number>;
}

interface Namespace {
  readonly index: TextIndex;
  readonly entries: Map<string, Entry>;
}

/**
 * What live instances offer, by namespace, with its texts indexed. Counts references on the way: instance → list of a
 * version → description; a text is indexed when the first offers it and leaves the index with the last.
 */
export class Catalogue {
  readonly #byInstance = new Map<Offerer, Offerer['capabilities']>();
  readonly #offers = new Map<Offerer['capabilities'], Offer>();
  readonly #namespaces = new Map<string, Namespace>();

  /** To be called when an instance came, went, or changed what it offers; what it offers counts while it lives. */
  follow(instance: Offerer, lives: boolean): void {
    const before = this.#byInstance.get(instance);
    const after = lives ? instance.capabilities : undefined;
    if (before === after) return;
    // The new first, so that what stays the same is not taken out and indexed again.
    if (after !== undefined) this.#offered(instance, after);
    if (before !== undefined) this.#withdrawn(before);
    if (after === undefined) this.#byInstance.delete(instance);
    else this.#byInstance.set(instance, after);
  }

  namespaces(): Iterable<string> {
    return this.#namespaces.keys();
  }

  index(namespace: string): TextIndex | undefined {
    return this.#namespaces.get(namespace)?.index;
  }

  /** The agents that offer a document now. */
  agentsOf(namespace: string, document: Document): Iterable<AgentRef> {
    return this.#namespaces.get(namespace)?.entries.get(document.key)?.agents.keys() ?? [];
  }

  #offered({ namespace, agent }: Offerer, capabilities: Offerer['capabilities']): void {
    const known = this.#offers.get(capabilities);
    if (known !== undefined) {
      known.instances++;
      return;
    }
    const documents = capabilities.map(({ record }) => this.#add(namespace, agent, record));
    this.#offers.set(capabilities, { namespace, agent, documents, instances: 1 });
  }

  #withdrawn(capabilities: Offerer['capabilities']): void {
    const offer = this.#offers.get(capabilities);
    if (offer === undefined || --offer.instances > 0) return;
    this.#offers.delete(capabilities);
    for (const document of offer.documents) this.#remove(offer.namespace, offer.agent, document);
  }

  #add(namespace: string, agent: AgentRef, record: CapabilityRecord): Document {
    let space = this.#namespaces.get(namespace);
    if (space === undefined) {
      space = { index: new TextIndex(), entries: new Map() };
      this.#namespaces.set(namespace, space);
    }
    const key = documentKey(record);
    let entry = space.entries.get(key);
    if (entry === undefined) {
      entry = { document: createDocument(key, namespace, record), agents: new Map() };
      space.entries.set(key, entry);
      space.index.add(entry.document);
    }
    entry.agents.set(agent, (entry.agents.get(agent) ?? 0) + 1);
    return entry.document;
  }

  #remove(namespace: string, agent: AgentRef, document: Document): void {
    const space = this.#namespaces.get(namespace);
    const entry = space?.entries.get(document.key);
    if (space === undefined || entry === undefined) return;
    const versions = (entry.agents.get(agent) ?? 0) - 1;
    if (versions > 0) {
      entry.agents.set(agent, versions);
      return;
    }
    entry.agents.delete(agent);
    if (entry.agents.size > 0) return;
    space.entries.delete(document.key);
    space.index.remove(document);
    if (space.entries.size === 0) this.#namespaces.delete(namespace);
  }
}
