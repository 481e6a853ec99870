import validRange from 'semver/ranges/valid.js';
import { idFault } from '../protocol/index.js';
import { isPattern } from './pattern.js';

/** How a pattern is written, for messages. */
export const PATTERN = 'an exact text, *, or a prefix ending in * after one of . _ - /';

export function isTag(text: string): boolean {
  return text.length >= 1 && text.length <= 64;
}

export function isCallerPattern(text: string): boolean {
  return text === '*' || (isPattern(text) && /^(?:agent|app|user):[^\s]+$/.test(text));
}

/** `namespace/agent` */
export function isAgentRef(text: string): boolean {
  return isPath(text, 2);
}

/** `namespace/agent/instance` */
export function isInstanceRef(text: string): boolean {
  return isPath(text, 3);
}

function isPath(text: string, parts: number): boolean {
  const ids = text.split('/');
  return ids.length === parts && ids.every((id) => idFault('', id) === undefined);
}

/** A semantic version range. */
export function isSemanticRange(text: string): boolean {
  return text.trim() !== '' && validRange(text) !== null;
}

/** A semantic version range, or the whole of a version that is not a semantic one, such as `nightly` or `2024.1.2.3`. */
export function isVersionRange(text: string): boolean {
  return isSemanticRange(text) || /^[A-Za-z0-9][A-Za-z0-9._+-]*$/.test(text);
}

/** Whether percents make a whole, as far as floating point can tell: 33.3 + 33.3 + 33.4 does. */
export function sumsTo100(sum: number): boolean {
  return Math.abs(sum - 100) < 1e-6;
}

/** A sum as people write it, without the dust of floating point. */
export function shownSum(sum: number): string {
  return String(Number(sum.toFixed(6)));
}
