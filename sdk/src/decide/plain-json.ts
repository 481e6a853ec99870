/** Levels of objects and lists within each other at most. */
const MAX_DEPTH = 32;

/**
 * What keeps a value from being sent as JSON and read again as the same; undefined when nothing does. Its size counts
 * as compact JSON in UTF-8.
 */
export function jsonFault(
  value: unknown,
  maxBytes: number,
): { readonly got: string; readonly allowed: string } | undefined {
  const odd = oddPart(value, MAX_DEPTH);
  if (odd !== undefined) return { got: odd, allowed: 'plain JSON' };
  const bytes = new TextEncoder().encode(JSON.stringify(value)).length;
  return bytes > maxBytes ? { got: `${bytes} bytes`, allowed: `at most ${maxBytes} bytes` } : undefined;
}

function oddPart(value: unknown, depth: number): string | undefined {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return undefined;
    case 'number':
      // Beyond it, whole numbers change on their way through other programs.
      return Math.abs(value) <= Number.MAX_SAFE_INTEGER ? undefined : `the number ${value}`;
    case 'object':
      break;
    default:
      return `a value of type ${typeof value}`;
  }
  if (value === null) return undefined;
  if (depth === 0) return `more than ${MAX_DEPTH} levels`;
  for (const inner of Object.values(value)) {
    const odd = oddPart(inner, depth - 1);
    if (odd !== undefined) return odd;
  }
  return undefined;
}
