import { isObject } from '@agent-reach/sdk/protocol';
import type { LoadReport } from '../../perceive/model.js';

/** Characters of an endpoint's own words that people are shown. */
const MAX_REASON = 200;

/** What a health path says beyond its status. */
export interface HealthAnswer {
  /** It answered, but says that it is not well: `"ok": false`. */
  readonly isUnwell: boolean;
  /** Why, in its own words; empty when it says none. */
  readonly reason: string;
  readonly load: LoadReport;
}

const SILENT: HealthAnswer = { isUnwell: false, reason: '', load: {} };

/**
 * Reads the body of a health answer: JSON with any of `ok`, `reason`, `busy`, `pool` and `queueDepth`. What isn't that,
 * or is out of range, says nothing: the path may have been there before, with words of its own.
 */
export function healthAnswerOf(body: string | undefined): HealthAnswer {
  const said = parsed(body);
  if (!isObject(said)) return SILENT;
  const { ok, reason, busy, pool, queueDepth } = said;
  return {
    isUnwell: ok === false,
    reason: typeof reason === 'string' ? oneLine(reason) : '',
    load: { busy: shareOf(busy), pool: shareOf(pool), queueDepth: countOf(queueDepth) },
  };
}

function parsed(body: string | undefined): unknown {
  try {
    return body === undefined ? undefined : JSON.parse(body);
  } catch {
    return undefined;
  }
}

function oneLine(text: string): string {
  return text
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, MAX_REASON);
}

function shareOf(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 && value <= 1 ? value : undefined;
}

function countOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
