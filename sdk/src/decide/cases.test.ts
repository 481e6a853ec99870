import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { caseFaults, type DecisionCase, runCase } from './case-file.js';

const directory = new URL('./cases/', import.meta.url);

for (const file of readdirSync(directory).sort()) {
  describe(file, () => {
    const cases = parse(readFileSync(new URL(file, directory), 'utf8')) as DecisionCase[];
    it.each(cases)('$name', (data) => {
      const got = runCase(data);
      expect(caseFaults(data.expect, got)).toEqual([]);
      // An error never names an instance.
      if (got.outcome !== 'OK') expect(got.chosen).toBeUndefined();
    });
  });
}
