import { describe, expect, it } from 'vitest';
import { meaningOf } from './answer.js';

const WALL = Date.parse('2026-01-01T00:00:00.000Z');

function read(status: number, body: string | Buffer = '', headers: Record<string, string> = {}, isTask = false) {
  return meaningOf({ status, headers, body: Buffer.from(body) }, { dispatchId: 'd', isTask }, WALL);
}

const result = (value: unknown) => ({
  kind: 'RESULT',
  frame: { type: 'result', dispatchId: 'd', ok: true, result: value },
});
const failure = (error: object) => ({ kind: 'RESULT', frame: { type: 'result', dispatchId: 'd', ok: false, error } });
const refusal = (retryAfterMs?: number) => ({
  kind: 'ACK',
  frame: {
    type: 'ack',
    dispatchId: 'd',
    accepted: false,
    reason: 'BUSY',
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  },
});

describe("an endpoint's answer", () => {
  it('of 2xx is the result', () => {
    expect(read(200, '{"status":"sent"}')).toEqual(result({ status: 'sent' }));
    expect(read(201, '7')).toEqual(result(7));
    expect(read(200, '﻿{"a":1}')).toEqual(result({ a: 1 }));
    expect(read(204)).toEqual(result(null));
    expect(read(202, '{"queued":true}')).toEqual(result({ queued: true }));
  });

  it('of 202 accepts a task', () => {
    expect(read(202, 'whatever', {}, true)).toEqual({
      kind: 'ACK',
      frame: { type: 'ack', dispatchId: 'd', accepted: true },
    });
    expect(read(200, '{"done":1}', {}, true)).toEqual(result({ done: 1 }));
  });

  it.each([
    ['hello', 'the body is not JSON.'],
    [Buffer.from([0x22, 0xff, 0x22]), 'the body is compressed or not UTF-8.'],
    [
      '{"id":9007199254740993}',
      'result.id: got a number beyond ±2^53, allowed: numbers within ±(2^53 − 1); send larger ones as strings.',
    ],
    [
      '{"x":1e400}',
      'result.x: got a number beyond ±2^53, allowed: numbers within ±(2^53 − 1); send larger ones as strings.',
    ],
    ['['.repeat(500) + ']'.repeat(500), 'the body is nested too deeply; allowed are 100 levels.'],
  ])('that would have to be changed is refused (%#)', (body, message) => {
    expect(read(200, body)).toMatchObject({ kind: 'FAULTY', error: { code: 'INVALID_RESULT', message } });
  });

  it('that is compressed, though nobody asked for it, is refused', () => {
    expect(read(200, '{}', { 'content-encoding': 'gzip' })).toMatchObject({ kind: 'FAULTY' });
  });

  it('keeps keys like __proto__ as data', () => {
    const meaning = read(200, '{"__proto__":{"a":1}}');
    expect(JSON.stringify(meaning)).toContain('"result":{"__proto__":{"a":1}}');
  });

  it.each([
    ['2', 2_000],
    ['0', 0],
    ['Thu, 01 Jan 2026 00:00:30 GMT', 30_000],
    ['Wed, 31 Dec 2025 23:00:00 GMT', 0],
    ['999999', 3_600_000],
    ['99999999999999999999', 3_600_000],
  ])('of 503 with Retry-After %s refuses', (retryAfter, ms) => {
    expect(read(503, 'busy', { 'retry-after': retryAfter })).toEqual(refusal(ms));
    expect(read(429, 'busy', { 'retry-after': retryAfter })).toEqual(refusal(ms));
  });

  it.each(['-5', '1.5', '+1', '1e3', ' ', '2026-01-01T00:00:30Z', 'Thu, 40 Jan 2026 00:00:30 GMT'])(
    'of 503 with Retry-After %j, which is none, does not say that nothing was done',
    (retryAfter) => {
      expect(read(503, 'lost', { 'retry-after': retryAfter })).toEqual(
        failure({ code: 'AGENT_ERROR', message: 'lost', retryable: false }),
      );
      expect(read(429, 'busy', { 'retry-after': retryAfter })).toEqual(refusal());
    },
  );

  it('of 429 refuses whatever it says, of 503 only when it says until when', () => {
    expect(read(429)).toEqual(refusal());
    expect(read(429, '', { 'retry-after': 'soon' })).toEqual(refusal());
    expect(read(503, 'upstream connection lost')).toEqual(
      failure({ code: 'AGENT_ERROR', message: 'upstream connection lost', retryable: false }),
    );
  });

  it.each([
    [
      404,
      '{"error":{"message":"no such order","details":{"id":"7"}}}',
      { message: 'no such order', details: { id: '7' } },
    ],
    [422, '{"message":"already shipped"}', { message: 'already shipped' }],
    [400, '{"error":"Bad Request"}', { message: 'Bad Request' }],
    [409, 'out of stock', { message: 'out of stock' }],
    [418, '', { message: 'The endpoint answered with status 418 and no message.' }],
    [422, '{"error":{"message":"big","details":{"n":1e300}}}', { message: 'big' }],
  ])('of %i is a business error: %s', (status, body, error) => {
    expect(read(status, body)).toEqual(failure({ code: 'BUSINESS_ERROR', ...error }));
  });

  it('cuts a message to 8 KiB', () => {
    const meaning = read(422, 'x'.repeat(10_000));
    expect(meaning).toEqual(failure({ code: 'BUSINESS_ERROR', message: 'x'.repeat(8_192) }));
  });

  it('of 5xx is a failure of the agent, which may say that it can be repeated, or that it does not know', () => {
    expect(read(500, '{"error":{"message":"deadlock","retryable":true}}')).toEqual(
      failure({ code: 'AGENT_ERROR', message: 'deadlock', retryable: true }),
    );
    expect(read(502, '{"retryable":"yes"}')).toEqual(
      failure({ code: 'AGENT_ERROR', message: '{"retryable":"yes"}', retryable: false }),
    );
    expect(read(500, '{"error":{"code":"OUTCOME_UNKNOWN","message":"lost the bank"}}')).toEqual(
      failure({ code: 'OUTCOME_UNKNOWN', message: 'lost the bank', retryable: false }),
    );
  });

  it('that redirects is a failure that says what to do', () => {
    expect(read(307, '', { location: 'http://bob:hunter2@169.254.169.254/?token=hunter2' })).toEqual(
      failure({
        code: 'AGENT_ERROR',
        message:
          'The endpoint answered with status 307, to http://169.254.169.254/; redirects are not followed, register the final address.',
      }),
    );
  });
});
