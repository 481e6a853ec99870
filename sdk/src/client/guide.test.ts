import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ERRORS } from '../protocol/index.js';

test('the guide lists every error code as the code has it', () => {
  const guide = readFileSync(new URL('../../../docs/GUIDE.md', import.meta.url), 'utf8');
  const table = guide.split('### Error codes')[1]?.split('\n## ')[0] ?? '';
  const rows = table.split('\n').filter((line) => /^\| [A-Z_]+ \|/.test(line));
  expect(rows).toEqual(
    Object.entries(ERRORS).map(
      ([code, { status, retryable, advice }]) => `| ${code} | ${status} | ${retryable ? 'yes' : 'no'} | ${advice} |`,
    ),
  );
});
