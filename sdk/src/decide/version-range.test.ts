import { describe, expect, it } from 'vitest';
import { versionRange } from './version-range.js';

describe('a range of versions', () => {
  it.each([
    ['^1.2', '1.2.0', true],
    ['^1.2', '1.99.3', true],
    ['^1.2', '2.0.0', false],
    ['~1.4.1', '1.4.9', true],
    ['>=1.4 <3', '2.8.1', true],
    ['>=1.4 <3', '3.0.0', false],
    ['1.x || 3.x', '3.1.4', true],
    ['1.2.3', '1.2.3', true],
    ['1.2.3', '1.2.4', false],
    ['*', '0.0.1', true],
  ])('%s has %s: %s', (range, version, expected) => {
    expect(versionRange(range).admits(version)).toBe(expected);
  });

  it('has a preview only when it names one of the same version', () => {
    expect(versionRange('^1.2').admits('1.3.0-rc.1')).toBe(false);
    expect(versionRange('>=1.3.0-rc.0 <2').admits('1.3.0-rc.1')).toBe(true);
  });

  it('has a version that is not semantic only by its exact text', () => {
    expect(versionRange('*').admits('build-77')).toBe(false);
    expect(versionRange('build-77').admits('build-77')).toBe(true);
    expect(versionRange('build-77').admits('build-78')).toBe(false);
    expect(versionRange('build-77').admits('1.0.0')).toBe(false);
    expect(versionRange('^1.2').admits('1.2')).toBe(false);
  });

  it('is parsed once', () => {
    expect(versionRange('^4.5')).toBe(versionRange('^4.5'));
  });

  it('is remembered with a bound', () => {
    const first = versionRange('^7.0.0');
    for (let minor = 1; minor <= 2_000; minor++) versionRange(`^7.${minor}.0`);
    expect(versionRange('^7.0.0')).not.toBe(first);
    expect(versionRange('^7.0.0').admits('7.3.0')).toBe(true);
  });
});
