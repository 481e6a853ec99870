import type { SettingDefinition, SettingValue } from './definition.js';
import { networks, oneOf, path, plainText, url, wholeNumber } from './parsers.js';

const define = <T>(definition: SettingDefinition<T>): SettingDefinition<T> => definition;

/** Every setting of the server. Keys are the names in `reach.yaml`. */
export const SETTINGS = {
  host: define({
    env: 'REACH_HOST',
    fallback: '127.0.0.1',
    allowed: 'an IP address or host name of this machine; 0.0.0.0 or :: for all',
    meaning: 'Address on which API and console listen.',
    parse: plainText(1, 253),
  }),
  port: define({
    env: 'REACH_PORT',
    fallback: '4000',
    allowed: '0 to 65535; 0 takes a free port',
    meaning: 'Port of the API: agents, GraphQL, REST, health and metrics.',
    parse: wholeNumber(0, 65_535),
  }),
  consolePort: define({
    env: 'REACH_CONSOLE_PORT',
    fallback: '3000',
    allowed: '0 to 65535; 0 takes a free port',
    meaning: 'Port of the web console.',
    parse: wholeNumber(0, 65_535),
  }),
  console: define({
    env: 'REACH_CONSOLE',
    fallback: 'on',
    allowed: 'on or off',
    meaning: 'Whether the web console is served; off for a server that only programs use.',
    parse: oneOf(['on', 'off']),
  }),
  publicUrl: define({
    env: 'REACH_PUBLIC_URL',
    fallback: undefined,
    fallbackNote: "the console's own address",
    allowed: 'http(s)://host[:port] without a path',
    meaning: 'Where people reach the console; fixes links, Secure cookies and the allowed Origin.',
    parse: url(['http:', 'https:'], { path: false }),
  }),
  trustedProxies: define({
    env: 'REACH_TRUSTED_PROXIES',
    fallback: '',
    fallbackNote: 'none',
    allowed: 'IP addresses and CIDR ranges, separated by commas',
    meaning: 'Proxies whose X-Forwarded-For counts as the client’s address.',
    parse: networks,
  }),
  dataDir: define({
    env: 'REACH_DATA_DIR',
    fallback: '.reach',
    fallbackNote: '`.reach` in the checkout',
    allowed: 'a directory; relative to the checkout',
    meaning: 'Everything that the server keeps: database, journal, keys, logs. One server at a time.',
    parse: path,
  }),
  adminToken: define({
    env: 'REACH_ADMIN_TOKEN',
    fallback: undefined,
    allowed: '32 to 512 characters without white space',
    meaning: 'Presets an API token with ADMIN everywhere, for automation. Changing it revokes the old one.',
    secret: true,
    parse: plainText(32, 512),
  }),
  secretKey: define({
    env: 'REACH_SECRET_KEY',
    fallback: undefined,
    fallbackNote: 'a file in the data directory',
    allowed: '32 to 512 characters without white space',
    meaning: 'The server key, from which hashes, encryption and chains derive.',
    secret: true,
    parse: plainText(32, 512),
  }),
  databaseUrl: define({
    env: 'DATABASE_URL',
    fallback: undefined,
    fallbackNote: 'embedded Postgres',
    allowed: 'postgresql://user:password@host:port/database, Postgres 15 or later',
    meaning: 'Your own Postgres instead of the embedded one. Its user must own the database.',
    secret: true,
    parse: url(['postgresql:', 'postgres:'], { path: true }),
  }),
  databasePool: define({
    env: 'REACH_DATABASE_POOL',
    fallback: '10',
    allowed: '2 to 100',
    meaning: 'Connections to Postgres at most. More allow more queries at once and cost about 5 MB each there.',
    parse: wholeNumber(2, 100),
  }),
  logLevel: define({
    env: 'REACH_LOG_LEVEL',
    fallback: 'info',
    allowed: 'trace, debug, info, warn, error or fatal',
    meaning: 'Least important log line that is written.',
    parse: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal']),
  }),
  egressAllow: define({
    env: 'REACH_EGRESS_ALLOW',
    fallback: '',
    fallbackNote: 'none; loopback while REACH_HOST is loopback',
    allowed: 'IP addresses and CIDR ranges, separated by commas',
    meaning: 'Private addresses that endpoints and callbacks may have.',
    parse: networks,
  }),
  auditRetentionDays: define({
    env: 'REACH_AUDIT_RETENTION_DAYS',
    fallback: '30',
    allowed: '1 to 3650',
    meaning: 'Days for which audit entries are kept; then whole days (UTC) are dropped. A call takes about 2 kB.',
    parse: wholeNumber(1, 3_650),
  }),
  maxFrameBytes: define({
    env: 'REACH_MAX_FRAME_BYTES',
    fallback: '1048576',
    allowed: '16384 to 16777216',
    meaning: 'Largest frame or request body. Memory for one connection can grow to a small multiple of it.',
    parse: wholeNumber(16_384, 16_777_216),
  }),
  networkRecoveryMs: define({
    env: 'REACH_NETWORK_RECOVERY_MS',
    fallback: '5000',
    allowed: '0 to 300000',
    meaning:
      'How long the network takes to recover from a fault. The TTL of a lease with times of its own must be twice as long, so that such a fault costs no lease; more makes lost instances be noticed later.',
    parse: wholeNumber(0, 300_000),
  }),
  stopTimeoutMs: define({
    env: 'REACH_STOP_TIMEOUT_MS',
    fallback: '5000',
    allowed: '0 to 600000',
    meaning: 'Time that running calls have to finish when the server is stopped.',
    parse: wholeNumber(0, 600_000),
  }),
} as const;

type Table = typeof SETTINGS;

/** Settings that have no value when nothing sets them. */
type Optional = 'publicUrl' | 'adminToken' | 'secretKey' | 'databaseUrl';

/** The server's settings, checked. `dataDir` is absolute. */
export type Settings = {
  readonly [K in keyof Table]: SettingValue<Table[K]> | (K extends Optional ? undefined : never);
};
