const MAX_LENGTH = 80;

/**
 * What an agent reported, in one line: `42 %` of `percent`, `3 of 7` of `done` and `total`, else each field with its
 * value. Undefined when nothing was reported.
 */
export function progressText(progress: unknown): string | undefined {
  if (typeof progress !== 'object' || progress === null) return undefined;
  const { percent, done, total, ...others }: Readonly<Record<string, unknown>> = { ...progress };
  const asPercent = isNumber(percent);
  const asShare = isNumber(done) && isNumber(total);
  const rest = { ...(asPercent ? {} : { percent }), ...(asShare ? {} : { done, total }), ...others };
  const parts: string[] = [];
  if (asPercent) parts.push(`${Math.round(percent)} %`);
  if (asShare) parts.push(`${done} of ${total}`);
  for (const [name, value] of Object.entries(rest)) {
    if (value === undefined) continue;
    parts.push(`${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`);
  }
  const text = parts.join(' · ');
  if (text === '') return undefined;
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
}

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
