import pg from 'pg';
import { ADMIN_ROLE } from './cluster.js';
import type { HomeRecord } from './home.js';

const ROLE = 'reach';
const DATABASE = 'reach';

/** Address of a database of the embedded server. */
export function databaseUrl(role: string, password: string, port: number, database: string): string {
  return `postgresql://${role}:${password}@127.0.0.1:${port}/${database}`;
}

/** The server's own database, as the role that is not superuser. */
export const workingUrl = (record: HomeRecord, port: number): string =>
  databaseUrl(ROLE, record.password, port, DATABASE);

/** The superuser's way in, for setting up, backups and tests. */
export const adminUrl = (record: HomeRecord, port: number): string =>
  databaseUrl(ADMIN_ROLE, record.adminPassword, port, 'postgres');

/** Makes the working role and its database where they are missing; repeating it changes nothing. */
export async function ensureRoles(record: HomeRecord, port: number): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl(record, port), connectionTimeoutMillis: 10_000 });
  // A connection that breaks rejects the query under way; the event beside it must not end the process.
  client.on('error', () => {});
  await client.connect();
  try {
    const role = await client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [ROLE]);
    if (role.rowCount === 0) {
      const password = client.escapeLiteral(record.password);
      await client.query(`CREATE ROLE ${ROLE} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE PASSWORD ${password}`);
    }
    const database = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [DATABASE]);
    if (database.rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE} OWNER ${ROLE}`);
  } finally {
    await client.end();
  }
}
