import type { InstanceRef } from '@agent-reach/sdk/protocol';
import type { InstanceRecord } from '../../perceive/model.js';
import type { PrismaClient } from '../../storage/generated/client.js';
import { isStorageAway } from '../storage-errors.js';
import { partsOf } from './agent.record.js';

export interface InstanceWriterOptions {
  readonly prisma: Pick<PrismaClient, '$executeRaw'>;
  /** A write failed; it is tried again when the database was away, and given up otherwise. */
  readonly onError?: (error: unknown) => void;
  /** How long writes are gathered, and how long to wait after a failure, in ms. */
  readonly gatherMs?: number;
  readonly retryMs?: number;
}

/** What is to be written of an instance: its record, or undefined when it is to be forgotten. */
type Pending = Map<InstanceRef, InstanceRecord | undefined>;

const MAX_BATCH = 500;

/**
 * Remembers instances for the next start of the server, in the background: only the newest word on each instance is
 * written, many in one statement, and an outage of the database delays it without loss. Memory grows with the number of
 * instances, not with that of changes.
 */
export class InstanceWriter {
  readonly #options: InstanceWriterOptions;
  #pending: Pending = new Map();
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;
  #closed = false;

  constructor(options: InstanceWriterOptions) {
    this.#options = options;
  }

  remember(record: InstanceRecord): void {
    this.#pending.set(record.ref, record);
    this.#schedule(this.#options.gatherMs ?? 50);
  }

  forget(ref: InstanceRef): void {
    this.#pending.set(ref, undefined);
    this.#schedule(this.#options.gatherMs ?? 50);
  }

  /** Writes everything that waits. Resolves when it is written or the database was found to be away. */
  async flush(): Promise<void> {
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
    });
    await this.#writing;
  }

  /** Writes what waits, once, and stops. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.flush();
  }

  #schedule(delayMs: number): void {
    if (this.#closed || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.flush();
    }, delayMs);
    this.#timer.unref();
  }

  async #write(): Promise<void> {
    while (this.#pending.size > 0) {
      const batch: Pending = new Map([...this.#pending].slice(0, MAX_BATCH));
      for (const ref of batch.keys()) this.#pending.delete(ref);
      try {
        await this.#store(batch);
      } catch (error) {
        this.#options.onError?.(error);
        if (!isStorageAway(error)) {
          // One row that the database refuses must not take the others with it.
          if (batch.size > 1) await this.#storeOneByOne(batch);
          continue;
        }
        // What was said meanwhile is newer and stays.
        this.#pending = new Map([...batch, ...this.#pending]);
        this.#schedule(this.#options.retryMs ?? 1_000);
        return;
      }
    }
  }

  async #storeOneByOne(batch: Pending): Promise<void> {
    for (const [ref, record] of batch) {
      try {
        await this.#store(new Map([[ref, record]]));
      } catch (error) {
        this.#options.onError?.(error);
        // Said again at the next write, unless something newer was said.
        if (isStorageAway(error) && !this.#pending.has(ref)) this.#pending.set(ref, record);
      }
    }
  }

  async #store(batch: Pending): Promise<void> {
    const known = [...batch.values()].filter((record) => record !== undefined);
    const gone = [...batch].filter(([, record]) => record === undefined).map(([ref]) => partsOf(ref));
    if (known.length > 0) await this.#upsert(known);
    if (gone.length > 0) {
      await this.#options.prisma.$executeRaw`
        DELETE FROM instances USING agents, json_to_recordset(${JSON.stringify(gone)}::json)
          AS r (namespace text, agent text, name text)
         WHERE agents.namespace = r.namespace AND agents.id = r.agent
           AND instances.agent_uid = agents.uid AND instances.name = r.name`;
    }
  }

  /** An instance whose agent or version was deleted meanwhile finds no row to belong to, and is left out. */
  async #upsert(records: readonly InstanceRecord[]): Promise<void> {
    const rows = records.map(({ ref, agent: _, registeredAt, endpoint, ...rest }) => ({
      ...rest,
      ...partsOf(ref),
      endpoints: endpoint === undefined ? [] : [endpoint],
      registered_at: registeredAt.toISOString(),
    }));
    await this.#options.prisma.$executeRaw`
      INSERT INTO instances (
        uid, agent_uid, agent_version_uid, name, incarnation, zone, endpoints, settings, paused, registered_at
      )
      SELECT gen_random_uuid(), agents.uid, agent_versions.uid, r.name, r.incarnation, r.zone, r.endpoints, r.settings,
             r.paused,
             r.registered_at
        FROM json_to_recordset(${JSON.stringify(rows)}::json) AS r (
          namespace text, agent text, name text, version text, incarnation text, zone text, endpoints jsonb,
          settings jsonb,
          paused boolean, registered_at timestamptz(3)
        )
        JOIN agents ON agents.namespace = r.namespace AND agents.id = r.agent
        JOIN agent_versions ON agent_versions.agent_uid = agents.uid AND agent_versions.version = r.version
      ON CONFLICT (agent_uid, name) DO UPDATE SET
        agent_version_uid = excluded.agent_version_uid, incarnation = excluded.incarnation, zone = excluded.zone,
        endpoints = excluded.endpoints,
        settings = excluded.settings, paused = excluded.paused, registered_at = excluded.registered_at`;
  }
}
