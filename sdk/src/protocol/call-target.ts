import validRange from 'semver/ranges/valid.js';
import type { FieldFault } from './errors.js';
import { WIRE_LIMITS } from './frames.js';
import { type Check, isObject, optional, type Shape, shapeFaults, text, texts } from './shape.js';

/** Longest text that names versions, in characters. */
const MAX_VERSIONS_LENGTH = 128;

/** What registration takes as the version of an agent. */
const VERSION = /^[A-Za-z0-9][A-Za-z0-9.+-]{0,63}$/;

/**
 * Checks the `versions` of a target: a semantic version range (as npm writes them), or one exact version, which need
 * not be semantic, because agents may name theirs as they like.
 */
export const versionsText: Check = (value) =>
  typeof value === 'string' &&
  value.length <= MAX_VERSIONS_LENGTH &&
  value.trim() !== '' &&
  (VERSION.test(value) || validRange(value) !== null)
    ? undefined
    : `a semantic version range such as "^1.2" or ">=1.4 <3", or one exact version; at most ${MAX_VERSIONS_LENGTH} characters`;

const TARGET: Shape = {
  namespace: optional(text(1, 64)),
  agent: optional(text(1, 64)),
  type: optional(text(1, 64)),
  capability: optional(text(1, 64)),
  need: optional(text(1, WIRE_LIMITS.maxSearchText)),
  tags: optional(texts(16)),
  versions: optional(versionsText),
};

/** Fields that say whom a call is for; the others narrow it. */
const ADDRESSES = ['agent', 'type', 'capability', 'need'] as const;

/** The faults of a target: of each field, and of what they make together. */
export function targetFaults(value: unknown, path: string): FieldFault[] {
  const faults = shapeFaults(value, TARGET, path);
  if (faults.length > 0 || !isObject(value)) return faults;
  if (ADDRESSES.every((field) => value[field] === undefined)) {
    faults.push({ path, got: `none of ${ADDRESSES.join(', ')}`, allowed: `at least one of ${ADDRESSES.join(', ')}` });
  }
  if (value.need !== undefined && value.capability !== undefined) {
    faults.push({ path: `${path}.need`, got: 'a need beside a capability', allowed: 'one of capability and need' });
  }
  return faults;
}
