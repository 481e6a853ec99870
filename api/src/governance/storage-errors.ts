import { ReachError } from '@agent-reach/sdk/protocol';

interface Unique {
  /** Which of them there can be one only. */
  readonly what: string;
  readonly fields: readonly string[];
}

/** What a unique constraint of the durable model protects, in the words of the API. */
const UNIQUE: Readonly<Record<string, Unique>> = {
  namespaces_pkey: { what: 'namespace', fields: ['id'] },
  agents_namespace_id_key: { what: 'agent', fields: ['id'] },
  agent_versions_agent_uid_version_key: { what: 'version of the agent', fields: ['version'] },
  capabilities_agent_version_uid_name_key: { what: 'capability', fields: ['name'] },
  instances_agent_uid_name_key: { what: 'instance', fields: ['instance'] },
  policies_namespace_name_key: { what: 'policy', fields: ['name'] },
  policy_versions_pkey: { what: 'version of the policy', fields: ['version'] },
  permissions_namespace_caller_target_capability_effect_key: {
    what: 'rule',
    fields: ['caller', 'target', 'capability', 'effect'],
  },
  users_name_key: { what: 'user', fields: ['name'] },
};

/** Prisma's codes for a database that is away, too slow to hand out a connection, or gone in mid-transaction. */
const AWAY_CODES = new Set([
  'P1000',
  'P1001',
  'P1002',
  'P1003',
  'P1008',
  'P1010',
  'P1011',
  'P1017',
  'P2024',
  'P2028',
  'P2037',
]);
/** Connection exceptions, too many connections, shutting down or starting up, read-only after a failover, disk full. */
const AWAY_SQLSTATE = /^(?:08|57P0|53|25006|58)/;
const AWAY_MESSAGE =
  /ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|Connection terminated|connection timeout|Client has encountered a connection error|not queryable|Server has closed the connection/i;

interface Diagnosis {
  readonly code: string | undefined;
  readonly sqlState: string | undefined;
  readonly kind: string | undefined;
  readonly constraint: string | undefined;
  readonly message: string;
}

function property(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function diagnose(error: unknown): Diagnosis {
  const cause = property(property(property(error, 'meta'), 'driverAdapterError'), 'cause') ?? property(error, 'cause');
  return {
    code: text(property(error, 'code')),
    sqlState: text(property(cause, 'originalCode')) ?? text(property(cause, 'code')),
    kind: text(property(cause, 'kind')),
    constraint: text(property(property(cause, 'constraint'), 'index')),
    message: `${text(property(error, 'message')) ?? ''} ${text(property(cause, 'originalMessage')) ?? ''}`,
  };
}

/** Whether the database is away: nothing is wrong with the request, repeating it later can succeed. */
export function isStorageAway(error: unknown): boolean {
  if (error instanceof ReachError) return error.code === 'STORAGE_UNAVAILABLE';
  const { code, sqlState, kind, message } = diagnose(error);
  if (code !== undefined && AWAY_CODES.has(code)) return true;
  if (sqlState !== undefined && /^[0-9A-Z]{5}$/.test(sqlState)) return AWAY_SQLSTATE.test(sqlState);
  if (kind === 'DatabaseNotReachable' || kind === 'ConnectionClosed' || kind === 'SocketTimeout') return true;
  return AWAY_MESSAGE.test(`${code ?? ''} ${message}`);
}

/** Whether two transactions got in each other's way, so that running this one again can succeed. */
export function isTransientConflict(error: unknown): boolean {
  const { code, sqlState } = diagnose(error);
  return code === 'P2034' || sqlState === '40001' || sqlState === '40P01';
}

/**
 * Turns what Prisma throws into a ReachError: a unique constraint into CONFLICT with the fields, a missing row into
 * NOT_FOUND, a row still in use into CONFLICT, an unreachable database into a retryable STORAGE_UNAVAILABLE. ReachErrors
 * pass; everything else is INTERNAL with its cause kept for the log and out of the message.
 */
export function toReachError(error: unknown): ReachError {
  if (error instanceof ReachError) return error;
  if (isStorageAway(error)) {
    return new ReachError('STORAGE_UNAVAILABLE', 'The database is away; repeat this later.', { cause: error });
  }
  const { code, sqlState, constraint, message } = diagnose(error);
  if (code === 'P2002' || sqlState === '23505') {
    const { what, fields } = UNIQUE[constraint ?? ''] ?? { what: 'thing', fields: [constraint ?? 'id'] };
    return new ReachError('CONFLICT', `There is a ${what} with this ${fields.join(', ')} already.`, {
      fields: fields.map((path) => ({
        path,
        got: `the ${path} of another ${what}`,
        allowed: `one that no other ${what} has`,
      })),
      cause: error,
    });
  }
  if (code === 'P2025' || code === 'P2001') {
    return new ReachError('NOT_FOUND', 'There is no such thing, or this credential may not see it.', { cause: error });
  }
  if (code === 'P2003' || sqlState === '23503' || sqlState === '23001') {
    // The same code stands for both ends of a reference; only Postgres's own words tell them apart.
    return /update or delete on table/.test(message)
      ? new ReachError('CONFLICT', 'It is still in use; delete first what belongs to it.', { cause: error })
      : new ReachError('NOT_FOUND', 'What this refers to does not exist.', { cause: error });
  }
  if (isTransientConflict(error)) {
    return new ReachError('CONFLICT', 'Others changed the same things at the same time; repeat this.', {
      retryable: true,
      cause: error,
    });
  }
  return new ReachError('INTERNAL', 'A fault of the server; its log has the details.', { cause: error });
}
