import { idFault, ReachError } from '@agent-reach/sdk/protocol';
import { inScope, type Scope } from '../access/principal.js';
import type { CanaryBook } from '../canary/canary.book.js';
import {
  type CanaryPatch,
  type CanarySettings,
  canaryColumns,
  canaryOf,
  checkCanary,
  patchedCanary,
} from '../canary/canary.settings.js';
import type { Actor, Changes } from '../changes.js';
import { InputCheck, MAX_TEXT, notFound, versionConflict } from '../input.js';
import type { Page, PageRequest } from '../page.js';
import { toReachError } from '../storage-errors.js';
import type { NamespaceContents, NamespaceRow, NamespaceStore } from './namespace.store.js';

export interface NamespaceView {
  readonly id: string;
  readonly description: string;
  readonly canary: CanarySettings;
  readonly version: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface NamespaceChange {
  readonly description?: string | null | undefined;
  readonly canary?: CanaryPatch | null | undefined;
}

const viewOf = (row: NamespaceRow): NamespaceView => {
  const { id, description, version, createdAt, updatedAt } = row;
  return { id, description, canary: canaryOf(row), version, createdAt, updatedAt };
};
const auditOf = ({ id, description, canary, version }: NamespaceView) => ({
  id,
  description,
  canary: { ...canary },
  version,
});

/** Creates, changes and deletes namespaces. Who may is the caller's to ask before. */
export class NamespaceService {
  readonly #store: NamespaceStore;
  readonly #changes: Changes;
  readonly #canaries: Pick<CanaryBook, 'put' | 'remove'>;
  readonly #now: () => number;

  constructor(
    store: NamespaceStore,
    changes: Changes,
    canaries: Pick<CanaryBook, 'put' | 'remove'>,
    now: () => number = Date.now,
  ) {
    this.#store = store;
    this.#changes = changes;
    this.#canaries = canaries;
    this.#now = now;
  }

  /** One namespace; undefined when there is none, or none in this scope. */
  async find(scope: Scope, id: string): Promise<NamespaceView | undefined> {
    if (!inScope(scope, id)) return undefined;
    try {
      const row = await this.#store.find(id);
      return row === null ? undefined : viewOf(row);
    } catch (error) {
      throw toReachError(error);
    }
  }

  async list(scope: Scope, request: PageRequest): Promise<Page<NamespaceView>> {
    try {
      const page = await this.#store.page(scope, request);
      return { ...page, items: page.items.map(viewOf) };
    } catch (error) {
      throw toReachError(error);
    }
  }

  /** Throws INVALID_INPUT, CONFLICT when the id is taken. */
  create(actor: Actor, input: { readonly id: string; readonly description?: string | null }): Promise<NamespaceView> {
    const check = new InputCheck();
    check.add(idFault('input.id', input.id));
    check.text('input.description', input.description, MAX_TEXT);
    check.finish('The namespace');
    return this.#changes.run(actor, async (tx) => {
      const row = await tx.namespace.create({ data: { id: input.id, description: input.description ?? '' } });
      const after = viewOf(row);
      return { action: 'namespace.create', namespace: row.id, target: row.id, after: auditOf(after), result: after };
    });
  }

  /** Throws INVALID_INPUT, NOT_FOUND, CONFLICT with the current state when `expectedVersion` is an older one. */
  async update(actor: Actor, id: string, patch: NamespaceChange, expectedVersion: number): Promise<NamespaceView> {
    const check = new InputCheck();
    check.text('patch.description', patch.description, MAX_TEXT);
    checkCanary(check, 'patch.canary', patch.canary);
    check.finish('The change');
    const view = await this.#changes.run(actor, async (tx) => {
      const row = await this.#store.lock(tx, id);
      if (row === null) throw notFound('namespace', id);
      const before = viewOf(row);
      if (row.version !== expectedVersion) throw versionConflict(`Namespace ${id}`, expectedVersion, before);
      const data = {
        ...(patch.description === undefined ? {} : { description: patch.description ?? '' }),
        ...(patch.canary === undefined ? {} : canaryColumns(patchedCanary(before.canary, patch.canary))),
      };
      const after = viewOf(await tx.namespace.update({ where: { id }, data: { ...data, version: { increment: 1 } } }));
      return {
        action: 'namespace.update',
        namespace: id,
        target: id,
        before: auditOf(before),
        after: auditOf(after),
        result: after,
      };
    });
    this.#canaries.put({ namespace: id, version: view.version, settings: view.canary });
    return view;
  }

  /** Throws NOT_FOUND, and CONFLICT with what is in it while there is anything. */
  async delete(actor: Actor, id: string): Promise<NamespaceView> {
    const view = await this.#changes.run(actor, async (tx) => {
      const row = await this.#store.lock(tx, id);
      if (row === null) throw notFound('namespace', id);
      const contents = await this.#store.contents(tx, id, new Date(this.#now()));
      const held = describeContents(contents);
      if (held.length > 0) {
        throw new ReachError('CONFLICT', `Namespace ${id} still holds ${held.join(', ')}; delete them first.`, {
          details: { current: contents },
        });
      }
      await this.#store.removeWithEndedCredentials(tx, id);
      const before = viewOf(row);
      return { action: 'namespace.delete', namespace: id, target: id, before: auditOf(before), result: before };
    });
    this.#canaries.remove(id);
    return view;
  }
}

const NAMES: Readonly<Record<keyof NamespaceContents, readonly [one: string, many: string]>> = {
  agents: ['agent', 'agents'],
  policies: ['policy', 'policies'],
  permissions: ['permission', 'permissions'],
  tokens: ['token', 'tokens'],
  enrolmentKeys: ['enrolment key', 'enrolment keys'],
};

function describeContents(contents: NamespaceContents): readonly string[] {
  const kinds = Object.keys(NAMES) as (keyof NamespaceContents)[];
  return kinds
    .filter((kind) => contents[kind] > 0)
    .map((kind) => `${contents[kind]} ${NAMES[kind][contents[kind] === 1 ? 0 : 1]}`);
}
