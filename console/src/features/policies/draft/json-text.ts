import { faultyPlace } from './json-place';

export type ReadJson =
  | { readonly value: Readonly<Record<string, unknown>>; readonly fault?: undefined }
  | { readonly value?: undefined; readonly fault: string };

/** A value as the text that is edited. */
export const writeJson = (value: unknown): string => JSON.stringify(value, null, 2) ?? '';

/** Reads an object that somebody types as JSON; a fault says where the text stops being that. */
export function readJson(text: string): ReadJson {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { fault: `This is no JSON yet: ${placeOf(text)}.` };
  }
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? { value: value as Readonly<Record<string, unknown>> }
    : { fault: 'The JSON must be an object, { … }.' };
}

function placeOf(text: string): string {
  const at = faultyPlace(text) ?? text.length;
  const lines = text.slice(0, at).split('\n');
  const found = at >= text.length ? 'the text ends too early' : `did not expect ${text[at]}`;
  return `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}, ${found}`;
}
