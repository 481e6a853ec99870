import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type DecisionCase, runCase } from './case-file.js';

const directory = new URL('./cases/', import.meta.url);

for (const file of readdirSync(directory).sort()) {
  describe(file, () => {
    const cases = parse(readFileSync(new URL(file, directory), 'utf8')) as DecisionCase[];
    it.each(cases)('$name', (data) => {
      const got = runCase(data);
      expect(got.outcome).toBe(data.expect.outcome);
      expect(got.chosen).toBe(data.expect.chosen);
      if (data.expect.policy !== undefined) expect(got.policy.name).toBe(data.expect.policy);
      if (data.expect.message !== undefined) expect(got.message).toBe(data.expect.message);
      if (data.expect.candidates !== undefined) {
        const shown = got.candidates.map((each) => [
          each.instance,
          each.kept ? 'kept' : `${each.stage}: ${each.reason}`,
        ]);
        expect(Object.fromEntries(shown)).toEqual(data.expect.candidates);
      }
    });
  });
}
