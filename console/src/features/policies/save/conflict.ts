import type { PolicyDetail } from '../policies.operations';

/** What a CONFLICT says is stored now, on top of what was known: it may leave out what cannot differ. */
export function theirsOf(current: unknown, base: PolicyDetail): PolicyDetail | undefined {
  if (
    typeof current !== 'object' ||
    current === null ||
    !('version' in current) ||
    typeof current.version !== 'number'
  ) {
    return undefined;
  }
  return { ...base, ...(current as Partial<PolicyDetail>), id: base.id };
}
