import type { RecordedDecision, RouteExplanation } from '@agent-reach/sdk/decide';
import { describe, expect, it } from 'vitest';
import { ReplayTally } from './replay-tally.js';

type Policy = 'default' | 'draft' | 'other';
const idOf = (policy: Policy): string | null => (policy === 'default' ? null : policy);

const was = (policy: Policy, chosen: string | undefined, outcome = 'OK'): RecordedDecision =>
  ({ policy: { id: idOf(policy), version: 1 }, chosen, outcome }) as unknown as RecordedDecision;

const would = (policy: Policy, chosen: string | undefined, outcome = 'OK', unknown: readonly string[] = []) =>
  ({ policy: { id: idOf(policy) }, chosen, outcome, unknown }) as unknown as RouteExplanation;

describe('ReplayTally', () => {
  it('counts calls that would go elsewhere, from where to where, the most frequent first', () => {
    const tally = new ReplayTally('draft');
    tally.add(30, was('default', 'shop/a/1'), would('draft', 'shop/b/1'));
    tally.add(20, was('default', 'shop/a/1'), would('draft', 'shop/a/2'));
    tally.add(10, was('draft', 'shop/a/1'), would('draft', 'shop/b/1'));
    tally.add(40, was('draft', 'shop/a/1'), would('draft', 'shop/a/1'));
    tally.add(50, was('draft', 'shop/a/1'), would('draft', undefined, 'OVERLOADED'));
    expect(tally.summary).toEqual({
      replayed: 5,
      concerned: 5,
      moved: 4,
      unknown: 0,
      since: 10,
      moves: [
        {
          from: 'shop/a',
          fromInstance: 'shop/a/1',
          fromOutcome: 'OK',
          to: 'shop/b',
          toInstance: 'shop/b/1',
          toOutcome: 'OK',
          calls: 2,
        },
        {
          from: 'shop/a',
          fromInstance: 'shop/a/1',
          fromOutcome: 'OK',
          to: 'shop/a',
          toInstance: 'shop/a/2',
          toOutcome: 'OK',
          calls: 1,
        },
        {
          from: 'shop/a',
          fromInstance: 'shop/a/1',
          fromOutcome: 'OK',
          to: null,
          toInstance: null,
          toOutcome: 'OVERLOADED',
          calls: 1,
        },
      ],
      movesLeftOut: 0,
      unknownReasons: [],
    });
  });

  it('leaves out calls that neither the draft decides nor the policy that it replaces decided', () => {
    const tally = new ReplayTally('draft');
    tally.add(1, was('other', 'shop/a/1'), would('other', 'shop/b/1'));
    tally.add(2, was('draft', 'shop/a/1'), would('default', 'shop/b/1'));
    expect(tally.summary).toMatchObject({ replayed: 2, concerned: 1, moved: 1 });
  });

  it('counts what cannot be told apart from the rest, with each reason', () => {
    const tally = new ReplayTally('draft');
    tally.add(1, was('draft', 'shop/a/1'), would('draft', 'shop/b/1', 'OK', ['the tags', 'the tags', 'the states']));
    tally.add(2, was('draft', 'shop/a/1'), would('draft', 'shop/b/1', 'OK', ['the tags']));
    tally.addFailure(3, 'it broke');
    expect(tally.summary).toMatchObject({
      replayed: 3,
      concerned: 0,
      moved: 0,
      unknown: 3,
      unknownReasons: [
        { reason: 'the tags', calls: 2 },
        { reason: 'the states', calls: 1 },
        { reason: 'it broke', calls: 1 },
      ],
    });
  });

  it('stays small: 200 ways and 51 reasons, and the rest in sum', () => {
    const tally = new ReplayTally('draft');
    for (let index = 0; index < 500; index += 1) {
      tally.add(1, was('draft', `shop/a/${index}`), would('draft', 'shop/b/1'));
      tally.addFailure(1, `reason ${index}`);
    }
    const { moves, movesLeftOut, moved, unknownReasons, since } = tally.summary;
    expect([moves.length, movesLeftOut, moved, since]).toEqual([200, 300, 500, 1]);
    expect([unknownReasons.length, unknownReasons[0]]).toEqual([51, { reason: 'other reasons', calls: 450 }]);
  });

  it('has nothing to say of no calls', () => {
    expect(new ReplayTally('draft').summary).toMatchObject({ replayed: 0, since: null, moves: [] });
  });
});
