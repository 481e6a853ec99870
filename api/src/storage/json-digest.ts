import { createHash } from 'node:crypto';

/** Size and hash of a value's JSON. */
export interface JsonDigest {
  readonly bytes: number;
  /** SHA-256, hex. */
  readonly sha256: string;
}

type Step = { readonly text: string } | { readonly value: unknown } | { readonly leave: object };

/**
 * The digest of what JSON.stringify would print if it could, of values that nest too deeply for it; it does without the
 * stack. Undefined for what is no JSON: a circle, a BigInt.
 */
export function jsonDigest(value: unknown): JsonDigest | undefined {
  const hash = createHash('sha256');
  let bytes = 0;
  const print = (text: string): void => {
    bytes += Buffer.byteLength(text);
    hash.update(text);
  };
  const open = new Set<object>();
  const steps: Step[] = [{ value }];
  for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
    if ('text' in step) print(step.text);
    else if ('leave' in step) open.delete(step.leave);
    else if (typeof step.value === 'bigint') return undefined;
    else if (typeof step.value !== 'object' || step.value === null) print(JSON.stringify(step.value) ?? 'null');
    else if (open.has(step.value)) return undefined;
    else {
      open.add(step.value);
      // Reversed, since the last one is taken first.
      steps.push(...childrenOf(step.value).reverse());
    }
  }
  return { bytes, sha256: hash.digest('hex') };
}

function childrenOf(value: object): Step[] {
  const end: Step = { leave: value };
  if (Array.isArray(value)) {
    const inner = value.flatMap((one, index): Step[] => [{ text: index === 0 ? '' : ',' }, { value: one }]);
    return [{ text: '[' }, ...inner, { text: ']' }, end];
  }
  const fields = Object.entries(value).filter(([, one]) => one !== undefined && typeof one !== 'function');
  const inner = fields.flatMap(([key, one], index): Step[] => [
    { text: `${index === 0 ? '' : ','}${JSON.stringify(key)}:` },
    { value: one },
  ]);
  return [{ text: '{' }, ...inner, { text: '}' }, end];
}
