import { isIP } from 'node:net';
import type { Parsed } from './definition.js';

const REFUSED: Parsed<never> = { ok: false };

/** Reads a whole decimal number from `min` to `max`. */
export function wholeNumber(min: number, max: number): (text: string) => Parsed<number> {
  return (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    return value >= min && value <= max ? { ok: true, value } : REFUSED;
  };
}

/** Reads one of `values`. */
export function oneOf<const T extends string>(values: readonly T[]): (text: string) => Parsed<T> {
  return (text) => {
    const value = values.find((candidate) => candidate === text);
    return value === undefined ? REFUSED : { ok: true, value };
  };
}

/** Reads text of `min` to `max` characters that has no white space in it. */
export function plainText(min: number, max: number): (text: string) => Parsed<string> {
  return (text) => (text.length >= min && text.length <= max && !/\s/.test(text) ? { ok: true, value: text } : REFUSED);
}

/** Reads any path; whether it can be used is found out where it is used. */
export function path(text: string): Parsed<string> {
  return text.includes('\0') ? REFUSED : { ok: true, value: text };
}

/** Reads an absolute URL of one of `protocols` (with their colon); without `path`, its path, query and fragment must be empty. */
export function url(
  protocols: readonly string[],
  options: { readonly path: boolean },
): (text: string) => Parsed<string> {
  return (text) => {
    const parsed = URL.canParse(text) ? new URL(text) : undefined;
    if (parsed === undefined || !protocols.includes(parsed.protocol)) return REFUSED;
    if (options.path) return { ok: true, value: text };
    if (parsed.pathname !== '/' || parsed.search !== '' || parsed.hash !== '' || parsed.username !== '') return REFUSED;
    return { ok: true, value: parsed.origin };
  };
}

/** Reads a comma-separated list of IP addresses and CIDR ranges. */
export function networks(text: string): Parsed<readonly string[]> {
  const entries = text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  return entries.every(isNetwork) ? { ok: true, value: entries } : REFUSED;
}

function isNetwork(entry: string): boolean {
  const [address = '', prefix, ...more] = entry.split('/');
  const family = isIP(address);
  if (family === 0 || more.length > 0) return false;
  return prefix === undefined || wholeNumber(0, family === 4 ? 32 : 128)(prefix).ok;
}
