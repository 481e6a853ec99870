import { Prisma } from '../../../storage/generated/client.js';
import type { AppendAnswer } from '../audit.append.js';
import type { AuditKey } from './chain.keys.js';

/** Bytes of a chain value and of a digest. */
export const MAC_BYTES = 32;

/** The chain value before the first entry. */
export const CHAIN_START: Uint8Array = Buffer.alloc(MAC_BYTES);

/**
 * SHA-256 of a row of audit_entries, computed by Postgres. `record_send` writes each column with its length in Postgres's
 * binary form, which depends on no setting of the session and survives a dump: numbers and times are exact, and jsonb is
 * the text that Postgres itself made canonical. The name of an enum's value stands for its number.
 */
export const ENTRY_DIGEST = Prisma.sql`
  pg_catalog.sha256(pg_catalog.record_send(ROW(
    sequence, recorded_at, occurred_at, kind::text, namespace, action, actor, on_behalf_of, target, caller_namespace,
    capability, instance, outcome, request_id, trace_id, duration_ms, attempts, details
  )))`;

/** The chain value of an entry: it covers the entry and, through the value before it, all that came earlier. */
export function entryMac(key: AuditKey, before: Uint8Array, digest: Uint8Array): Buffer {
  return key.mac(before, digest);
}

/**
 * The statement that adds what `appendRows` appended to the chain; it belongs into the same transaction, in which the head
 * is locked. Undefined when nothing was appended.
 */
export function linkStatement(key: AuditKey, answer: AppendAnswer): Prisma.Sql | undefined {
  const { first, sequence: last, recordedAt, digests } = answer;
  if (digests === null) return undefined;
  const count = Number(last - first + 1n);
  if (digests.length !== count * MAC_BYTES) throw new Error(`${digests.length} bytes of digests for ${count} entries`);
  const macs = Buffer.allocUnsafe(digests.length);
  let before = answer.chain ?? CHAIN_START;
  for (let at = 0; at < digests.length; at += MAC_BYTES) {
    const mac = entryMac(key, before, digests.subarray(at, at + MAC_BYTES));
    mac.copy(macs, at);
    before = mac;
  }
  return Prisma.sql`
    WITH link AS (
      INSERT INTO audit_links (first_sequence, last_sequence, recorded_at, key_id, macs)
      VALUES (${first}::bigint, ${last}::bigint, ${recordedAt}::timestamptz(3), ${key.id}, ${macs}::bytea)
    )
    UPDATE audit_head SET chain = ${before}::bytea WHERE id = 1`;
}
