import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import * as engine from '@prisma/schema-engine-wasm/schema_engine_bg';
import pg from 'pg';
import { expect, test } from 'vitest';
import { CHECKOUT } from '../settings.js';
import { migrate } from './migrate.js';
import { openEmptyDatabase } from './testing.js';

// Part of Node, but its types come with the browser's.
declare const WebAssembly: {
  instantiate(code: Uint8Array, imports: object): Promise<{ instance: { exports: Record<string, unknown> } }>;
};

/** What the migrations add on purpose because schema.prisma cannot say it. */
const BEYOND_PRISMA = [
  'constraint audit_head.audit_head_one_row CHECK ((id = 1))',
  'constraint role_bindings.role_bindings_one_subject CHECK ((num_nonnulls(user_uid, token_uid) = 1))',
  'index CREATE UNIQUE INDEX role_bindings_subject_namespace_key ON public.role_bindings USING btree (user_uid, token_uid, namespace) NULLS NOT DISTINCT',
  'index CREATE INDEX audit_entries_on_behalf_of_sequence_idx ON public.audit_entries USING btree (on_behalf_of, sequence) WHERE (on_behalf_of IS NOT NULL)',
];

// Everything of the public schema that a client can notice; a partitioned table counts as a table.
const CATALOG = `
  SELECT 'column ' || table_name || '.' || column_name || ' ' || udt_name || coalesce(' ' || datetime_precision, '')
         || ' ' || is_nullable || ' ' || coalesce(column_default, '') AS line
    FROM information_schema.columns WHERE table_schema = 'public'
  UNION ALL
  SELECT 'constraint ' || conrelid::regclass || '.' || conname || ' ' || pg_get_constraintdef(oid)
    FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND contype <> 'n'
  UNION ALL
  SELECT 'index ' || replace(indexdef, ' ON ONLY ', ' ON ') FROM pg_indexes WHERE schemaname = 'public'
  UNION ALL
  SELECT 'enum ' || typname || ' ' || string_agg(enumlabel, ',' ORDER BY enumsortorder)
    FROM pg_enum JOIN pg_type ON pg_type.oid = enumtypid GROUP BY typname
  ORDER BY 1`;

async function catalogAfter(fill: (url: string) => Promise<unknown>): Promise<string[]> {
  const { url, drop } = await openEmptyDatabase();
  const client = new pg.Client({ connectionString: url });
  try {
    await fill(url);
    await client.connect();
    const { rows } = await client.query<{ line: string }>(CATALOG);
    return rows.map(({ line }) => line).filter((line) => !line.includes('_prisma_migrations'));
  } finally {
    await client.end();
    await drop();
  }
}

/** The script that makes what schema.prisma describes, by Prisma's own engine. */
async function scriptOfSchema(url: string): Promise<string> {
  const require = createRequire(import.meta.url);
  const code = require.resolve('@prisma/schema-engine-wasm/schema_engine_bg');
  const binary = readFileSync(code.replace(/\.js$/, '.wasm'));
  const { instance } = await WebAssembly.instantiate(binary, { './schema_engine_bg.js': { ...engine } });
  const start = instance.exports.__wbindgen_start;
  // The package's typings leave out the two functions that a bundler would call.
  const { __wbg_set_wasm: setWasm } = engine as unknown as { __wbg_set_wasm(exports: object): void };
  setWasm(instance.exports);
  if (typeof start === 'function') start();

  const path = join(CHECKOUT, 'prisma/schema.prisma');
  const files = [{ path, content: readFileSync(path, 'utf8') }];
  const adapter = bindMigrationAwareSqlAdapterFactory(new PrismaPg(url));
  const datamodels = files.map(({ path, content }): [string, string] => [path, content]);
  const schemaEngine = await engine.SchemaEngine.new({ datamodels }, () => {}, adapter);
  const { stdout } = await schemaEngine.diff({
    from: { tag: 'empty' },
    to: { tag: 'schemaDatamodel', files },
    script: true,
    exitCode: null,
    filters: { externalTables: [], externalEnums: [] },
  });
  schemaEngine.free();
  return stdout ?? '';
}

test('migrations make what schema.prisma describes, and what they add on purpose', async () => {
  const migrated = await catalogAfter((url) => migrate(url, join(CHECKOUT, 'prisma/migrations')));
  const described = await catalogAfter(async (url) => {
    const script = await scriptOfSchema(url);
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(script);
    await client.end();
  });
  expect(described.length).toBeGreaterThan(100);
  expect(migrated).toEqual([...described, ...BEYOND_PRISMA].sort(byCodePoint));
});

test('audit entries are partitioned by the time they were recorded', async () => {
  const { url, drop } = await openEmptyDatabase();
  const client = new pg.Client({ connectionString: url });
  await migrate(url, join(CHECKOUT, 'prisma/migrations'));
  await client.connect();
  const { rows } = await client.query("SELECT pg_get_partkeydef('audit_entries'::regclass) AS key");
  await client.end();
  await drop();
  expect(rows).toEqual([{ key: 'RANGE (recorded_at)' }]);
});

function byCodePoint(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
