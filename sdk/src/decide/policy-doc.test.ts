import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { DEFAULT_POLICY_CONTENT, FALLBACK_KINDS, STRATEGY_NAMES } from './policy.js';
import { runPolicyTests, validatePolicyTests } from './policy-tests.js';
import { validatePolicyContent } from './policy-validation.js';

const text = readFileSync(new URL('../../../docs/POLICIES.md', import.meta.url), 'utf8');

/** The cells of a section's table, row by row, without its head. */
function rowsOf(section: string): string[][] {
  const part = text.split(`\n## ${section}\n`)[1]?.split('\n## ')[0] ?? '';
  const lines = part.split('\n').filter((line) => line.startsWith('| `'));
  return lines.map((line) => line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '').trim()));
}

const inCode = (cell: string): string => /^`(.*)`$/.exec(cell)?.[1] ?? '';

/** The example that a section shows. */
function exampleOf(section: string): unknown {
  const part = text.split(`\n## ${section}\n`)[1]?.split('\n## ')[0] ?? '';
  return JSON.parse(/```json\n(.*?)```/s.exec(part)?.[1] ?? 'null');
}

/** The fields of a content by path; a strategy's own settings have their own table. */
function leaves(value: object, path = ''): [string, unknown][] {
  return Object.entries(value).flatMap(([field, inner]): [string, unknown][] => {
    const here = `${path}${field}`;
    if (here === 'strategy') return [['strategy.name', inner.name]];
    const isObject = typeof inner === 'object' && inner !== null && !Array.isArray(inner);
    return isObject ? leaves(inner, `${here}.`) : [[here, inner]];
  });
}

function contentWith(path: string, value: unknown): unknown {
  return path.split('.').reduceRight<unknown>((inner, field) => ({ [field]: inner }), value);
}

describe('docs/POLICIES.md', () => {
  it('has every field with its default', () => {
    const documented = rowsOf('Fields').map(([path = '', usual = '']) => [inCode(path), inCode(usual)]);
    expect(documented).toEqual(leaves(DEFAULT_POLICY_CONTENT).map(([path, usual]) => [path, JSON.stringify(usual)]));
  });

  const ranges = rowsOf('Fields').flatMap(([path = '', , allowed = '']) => {
    const [, min, max] = /^(-?\d+) to (\d+)$/.exec(allowed) ?? [];
    return min === undefined ? [] : [[inCode(path), Number(min), Number(max)] as const];
  });
  it.each(ranges)('has the range of %s: %s to %s', (path, min, max) => {
    const isAllowed = (value: number): boolean => validatePolicyContent(contentWith(path, value)).faults.length === 0;
    expect([min - 1, min, max, max + 1].map(isAllowed)).toEqual([false, true, true, false]);
  });

  /** Groups that are null or complete: each field with its range. */
  const groups = rowsOf('Fields').flatMap(([path = '', , allowed = '']) => {
    const fields = [...allowed.matchAll(/`(\w+)` (\d+) to (\d+)/g)];
    return fields.length === 0 ? [] : [[inCode(path), fields.map(([, f = '', ...range]) => [f, ...range.map(Number)])]];
  });
  it.each(groups as [string, [string, number, number][]][])('has the ranges of %s', (path, fields) => {
    const least = Object.fromEntries(fields);
    const isAllowed = (more: object): boolean =>
      validatePolicyContent(contentWith(path, { ...least, ...more })).faults.length === 0;
    expect(isAllowed({})).toBe(true);
    for (const [field, min, max] of fields) {
      const allowed = [min - 1, min, max, max + 1].map((value) => isAllowed({ [field]: value }));
      expect([field, ...allowed]).toEqual([field, false, true, true, false]);
    }
  });

  it('has every kind of fallback', () => {
    expect(rowsOf('Fallback').map(([kind = '']) => inCode(kind))).toEqual([...FALLBACK_KINDS]);
  });

  it('has a fallback that can be saved', () => {
    const { content, faults } = validatePolicyContent(exampleOf('Fallback'));
    expect([faults, content?.fallback.map(({ kind }) => kind)]).toEqual([[], ['AGENT', 'STALE']]);
  });

  it('has every strategy with the defaults of its settings', () => {
    const rows = rowsOf('Strategies');
    expect(rows.map(([name = '']) => inCode(name))).toEqual([...STRATEGY_NAMES]);
    for (const [name = '', , settings = ''] of rows) {
      const given = inCode(name) === 'PRIORITY_RATIO' ? { agents: [{ agent: 'shop/a', ratio: 100 }] } : {};
      const { content } = validatePolicyContent({ strategy: { name: inCode(name), ...given } });
      const own = leaves({ ...content?.strategy }).filter(([path]) => path !== 'name' && path !== 'agents');
      const documented = [...settings.matchAll(/`([a-zA-Z.]+)` `([^`]+)`/g)].map(([, path, usual]) => [path, usual]);
      expect(documented).toEqual(own.map(([path, usual]) => [path, JSON.stringify(usual)]));
    }
  });

  it('has a test that runs', () => {
    const { tests = [], faults } = validatePolicyTests([exampleOf('Tests')]);
    expect(faults).toEqual([]);
    const { content = DEFAULT_POLICY_CONTENT } = validatePolicyContent({ candidates: ['shop/orders'] });
    expect(runPolicyTests('shop', content, tests, 'orders')).toEqual([
      { name: 'orders stay with the agent that is listed', passed: true, faults: [] },
    ]);
  });
});
