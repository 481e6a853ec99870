import { describe, expect, it } from 'vitest';
import { ChangeLog } from './change-log.js';

/** States are texts such as `READY 3`: the word is what filters look at. */
class Fixture {
  readonly log = new ChangeLog<string, string>((a, b) => a === b);

  add(key: string, state: string, bytes = 0): void {
    const [facets = ''] = state.split(' ');
    this.log.add({ key, value: state, facets, isGone: facets === 'GONE', bytes });
  }

  /** What came since: `counter key: facets before → state now`. */
  since(after: number): string[] | undefined {
    return this.log
      .since(after)
      ?.map(({ counter, key, before, value }) => `${counter} ${key}: ${before ?? 'none'} → ${value}`);
  }
}

describe('changes that are kept', () => {
  it('tell the newest state of each thing, and what its facets were when the reader left', () => {
    const x = new Fixture();
    x.add('a', 'READY 1');
    x.add('b', 'READY 1');
    x.add('a', 'SUSPECT 2');
    x.add('a', 'READY 3');
    x.add('b', 'READY 2');
    expect(x.since(0)).toEqual(['4 a: none → READY 3', '5 b: none → READY 2']);
    expect(x.since(1)).toEqual(['4 a: READY → READY 3', '5 b: none → READY 2']);
    expect(x.since(3)).toEqual(['4 a: SUSPECT → READY 3', '5 b: READY → READY 2']);
    expect(x.since(5)).toEqual([]);
  });

  it('know nothing of positions that never were', () => {
    const x = new Fixture();
    x.add('a', 'READY');
    expect([x.since(2), x.since(-1), x.since(0.5), x.since(Number.NaN)]).toEqual(new Array(4).fill(undefined));
  });

  it('keep what ended, and tell it from what comes after under the same name', () => {
    const x = new Fixture();
    x.add('a', 'READY 1');
    x.add('a', 'GONE');
    expect(x.since(1)).toEqual(['2 a: READY → GONE']);
    x.add('a', 'STARTING');
    expect(x.since(1)).toEqual(['3 a: READY → STARTING']);
    expect(x.since(2)).toEqual(['3 a: none → STARTING']);
  });

  it('make no room for steps that filters do not see', () => {
    const x = new Fixture();
    x.add('quiet', 'READY 0');
    x.add('quiet', 'READY 1');
    for (let step = 2; step <= 100_000; step++) x.add('busy', `READY ${step}`);
    // 20,000 changes are kept, and what was busy takes the place of two.
    expect(x.since(1)).toEqual(['2 quiet: READY → READY 1', '100001 busy: none → READY 100000']);
    expect(x.since(50_000)).toEqual(['100001 busy: READY → READY 100000']);
  });

  it('forget the oldest beyond 20,000 changes', () => {
    const x = new Fixture();
    for (let step = 1; step <= 25_000; step++) x.add(`k${step}`, 'READY');
    expect(x.since(4_999)).toBeUndefined();
    expect(x.since(5_000)?.length).toBe(20_000);
    expect(x.since(24_998)).toEqual(['24999 k24999: none → READY', '25000 k25000: none → READY']);
    // What was forgotten is still there, so it is known what it was.
    x.add('k1', 'SUSPECT');
    expect(x.since(25_000)).toEqual(['25001 k1: READY → SUSPECT']);
  });

  it('forget the oldest beyond 32 MiB; what took the place of another counts once', () => {
    const x = new Fixture();
    const MIB = 1024 * 1024;
    for (let step = 0; step < 100; step++) x.add('large', `READY ${step}`, 20 * MIB);
    expect(x.since(1)).toEqual(['100 large: READY → READY 99']);
    x.add('other', 'READY', 20 * MIB);
    expect(x.since(99)).toBeUndefined();
    expect(x.since(100)).toEqual(['101 other: none → READY']);
  });
});
