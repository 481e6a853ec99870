import { ERRORS, type ErrorCode } from '@agent-reach/sdk/protocol';
import { describe, expect, it } from 'vitest';
import { concernsAll, EqualCalls } from './equal-calls.js';

/** Begins a call that tells into `told` what it waited for. */
function joining(calls: EqualCalls<string, string>, told: string[]) {
  return (run: string, depth = 0) => {
    const equal = calls.begin('k', run, depth);
    return equal?.join((outcome) => told.push(`${run} after ${equal.first}: ${outcome}`), 100);
  };
}

describe('equal calls', () => {
  it('the first runs, the others hear what it came to; then nothing of it is left', () => {
    const calls = new EqualCalls<string, string>();
    const told: string[] = [];
    const begin = joining(calls, told);
    expect(begin('one')).toBeUndefined();
    expect([begin('two'), begin('three')]).not.toContain(undefined);
    expect(calls.begin('other', 'four', 0)).toBeUndefined();
    calls.end('k', 'one', 'sent');
    expect(told).toEqual(['two after one: sent', 'three after one: sent']);
    calls.end('other', 'four', 'sent');
    expect(calls.size).toBe(0);
    expect(begin('five')).toBeUndefined();
  });

  it('one who leaves hears nothing, and the last knows that nobody waits', () => {
    const calls = new EqualCalls<string, string>();
    const told: string[] = [];
    const begin = joining(calls, told);
    begin('one');
    const [two, three] = [begin('two'), begin('three')];
    expect([calls.awaited('k', 'one'), two?.(), three?.(), calls.awaited('k', 'one')]).toEqual([
      true,
      false,
      true,
      false,
    ]);
    calls.end('k', 'one', 'sent');
    expect(told).toEqual([]);
  });

  it('who cannot use the outcome begins anew, and the others wait for the first of these', () => {
    const calls = new EqualCalls<string, string>();
    const roles: string[] = [];
    const again = (run: string) => {
      const equal = calls.begin('k', run, 0);
      roles.push(equal === undefined ? `${run} runs` : `${run} waits for ${equal.first}`);
      equal?.join((outcome) => (outcome === 'CANCELLED' ? again(run) : roles.push(`${run}: ${outcome}`)), 100);
    };
    for (const run of ['one', 'two', 'three']) again(run);
    calls.end('k', 'one', 'CANCELLED');
    calls.end('k', 'two', 'sent');
    expect(roles).toEqual([
      'one runs',
      'two waits for one',
      'three waits for one',
      'two runs',
      'three waits for two',
      'three: sent',
    ]);
    expect(calls.size).toBe(0);
  });

  it('a nested call never waits for one that is nested less, which may be waiting for it', () => {
    const calls = new EqualCalls<string, string>();
    const told: string[] = [];
    const begin = joining(calls, told);
    begin('outer', 0);
    expect(begin('nested', 1)).toBeUndefined();
    // It ran beside the first: its end is nobody's but its own.
    calls.end('k', 'nested', 'sent');
    expect(calls.size).toBe(1);
    expect(calls.awaited('k', 'nested')).toBe(false);
    calls.end('k', 'outer', 'sent');

    begin('deep', 2);
    expect([begin('outer', 0), begin('as deep', 2)]).not.toContain(undefined);
    expect(begin('deeper', 3)).toBeUndefined();
  });
});

it('what came of an attempt concerns all who wait, what is about the call itself does not', () => {
  const codes = Object.keys(ERRORS) as ErrorCode[];
  expect(codes.filter(concernsAll)).toEqual([
    'CONNECT_FAILED',
    'REFUSED',
    'ACK_TIMEOUT',
    'RESPONSE_TIMEOUT',
    'CONNECTION_LOST',
    'AGENT_ERROR',
    'INVALID_RESULT',
    'BUSINESS_ERROR',
    'OUTCOME_UNKNOWN',
  ]);
});
