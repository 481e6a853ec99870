import { createHmac, createSecretKey, hkdfSync } from 'node:crypto';

/** What the audit chain is made with. */
export interface AuditKey {
  /** Tells the key apart from others, and says nothing of it. */
  readonly id: string;
  /** HMAC-SHA-256 of the parts, one after the other: 32 bytes. */
  mac(...parts: readonly (Uint8Array | string)[]): Buffer;
}

/** The key that the chain goes on with, and those that earlier parts of it were made with. */
export interface AuditKeys {
  readonly current: AuditKey;
  /** The key of an id; undefined when it is none of them. */
  find(id: string): AuditKey | undefined;
}

/** Derives the audit's keys from the server keys, the current one first. */
export function auditKeys(current: Buffer, ...earlier: readonly Buffer[]): AuditKeys {
  const key = auditKey(current);
  const byId = new Map([key, ...earlier.map(auditKey)].map((one) => [one.id, one]));
  return { current: key, find: (id) => byId.get(id) };
}

/** HKDF-SHA-256 (RFC 5869), so that what is known of one use of the server key says nothing of another. */
function auditKey(serverKey: Buffer): AuditKey {
  const key = createSecretKey(Buffer.from(hkdfSync('sha256', serverKey, '', 'agent-reach audit chain', 32)));
  const mac = (...parts: readonly (Uint8Array | string)[]): Buffer => {
    const hmac = createHmac('sha256', key);
    for (const part of parts) hmac.update(part);
    return hmac.digest();
  };
  return { id: mac('key id').toString('hex').slice(0, 16), mac };
}
