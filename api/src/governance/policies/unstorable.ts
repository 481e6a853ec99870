import type { FieldFault } from '@agent-reach/sdk/protocol';

/** What Postgres takes neither in text nor in jsonb: NUL and halves of surrogate pairs. */
const UNSTORABLE = /\p{Surrogate}|\0/u;

/** Faults for each text and each field name somewhere in JSON that the database cannot store. */
export function unstorableFaults(path: string, value: unknown): FieldFault[] {
  if (typeof value === 'string') return UNSTORABLE.test(value) ? [faultAt(path)] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    UNSTORABLE.test(name) ? [faultAt(path)] : unstorableFaults(`${path}.${name}`, inner),
  );
}

function faultAt(path: string): FieldFault {
  return { path, got: 'a character that cannot be stored (NUL, or half of a surrogate pair)', allowed: 'other text' };
}
