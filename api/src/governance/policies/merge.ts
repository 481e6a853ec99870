type JsonRecord = Readonly<Record<string, unknown>>;

function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Merges a patch into JSON: objects merge, lists and values replace, null takes the field away (so that it falls back to
 * its default). Keys such as `__proto__` are plain data.
 */
export function mergeJson(before: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  const merged = new Map<string, unknown>(isRecord(before) ? Object.entries(before) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else merged.set(name, mergeJson(merged.get(name), value));
  }
  return Object.fromEntries(merged);
}
