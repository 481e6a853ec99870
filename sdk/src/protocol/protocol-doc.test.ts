import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CLIENT_FRAME_FIELDS, CLOSE_CODES, ERRORS } from './index.js';

const document = new URL('../../../docs/PROTOCOL.md', import.meta.url);
const text = readFileSync(document, 'utf8');
const source = readFileSync(new URL('./frames.ts', import.meta.url), 'utf8');

/** The table of error codes as the page must hold it. Set UPDATE_DOCS=1 to write it. */
function errorTable(): string {
  const rows = Object.entries(ERRORS).map(
    ([code, { status, retryable, retry, breaker, advice }]) =>
      `| \`${code}\` | ${status} | ${retryable ? 'yes' : 'no'} | ${REPEATED[retry]} | ${breaker.toLowerCase()} | ${advice} |`,
  );
  return rows.join('\n');
}

const REPEATED = {
  ANOTHER: 'on another instance first',
  IF_IDEMPOTENT: 'once, if idempotent',
  IF_MARKED: 'if idempotent and marked retryable',
  NEVER: 'never',
} as const;

/** The rows of a section, as [name, second cell]. */
function rowsOf(section: string): [string, string][] {
  const part = text.split(`\n## ${section}\n`)[1]?.split('\n## ')[0] ?? '';
  return [...part.matchAll(/^\| `(\w+)` \| ([^|]*) \|/gm)].map(([, name = '', cell = '']) => [name, cell]);
}

describe('docs/PROTOCOL.md', () => {
  it('has the table of error codes as the code has it', () => {
    const [before = '', rest = ''] = text.split('<!-- errors -->');
    const [inside = '', after = ''] = rest.split('<!-- /errors -->');
    if (process.env.UPDATE_DOCS !== undefined) {
      writeFileSync(document, `${before}<!-- errors -->\n${errorTable()}\n<!-- /errors -->${after}`);
      return;
    }
    expect(inside.trim()).toBe(errorTable());
  });

  it('has every frame of the client with exactly its fields', () => {
    const documented = rowsOf('Frames from the client').map(([type, cell]) => [
      type,
      [...cell.matchAll(/`(\w+)`/g)].map(([, field]) => field),
    ]);
    expect(Object.fromEntries(documented)).toEqual(CLIENT_FRAME_FIELDS);
  });

  it('has every frame of the server', () => {
    const union = /export type ServerFrame =([\s\S]*?);/.exec(source)?.[1] ?? '';
    const types = [...union.matchAll(/\| (\w+)Frame/g)].map(([, name = '']) =>
      name
        .replace(/^(.)/, (first) => first.toLowerCase())
        .replace('heartbeatAnswer', 'heartbeat')
        .replace('cancelDispatch', 'cancel')
        .replace('stream', 'event'),
    );
    expect(
      rowsOf('Frames from the server')
        .map(([type]) => type)
        .sort(),
    ).toEqual(types.sort());
  });

  it('has the close codes as the code has them', () => {
    const rows = [...text.matchAll(/^\| (\d{4}) \| `(\w+)` \|/gm)].map(([, code, name]) => [name, Number(code)]);
    expect(Object.fromEntries(rows)).toEqual(CLOSE_CODES);
  });
});
