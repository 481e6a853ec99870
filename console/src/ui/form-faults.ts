import type { FieldFault } from '@agent-reach/sdk/protocol';

/**
 * The server's faults as errors of a form's fields. The server writes paths from the root of the arguments
 * (`input.content.timeoutMs`); a form knows its own (`timeoutMs`), so each field takes the fault whose path ends with it.
 * What belongs to no field comes back under `rest`.
 */
export function formFaults(
  faults: readonly FieldFault[],
  fields: readonly string[],
): { readonly errors: Readonly<Record<string, string>>; readonly rest: readonly FieldFault[] } {
  const errors: Record<string, string> = {};
  const rest: FieldFault[] = [];
  for (const fault of faults) {
    // The longest name wins: `retry.baseMs` before `baseMs`.
    const field = fields
      .filter((name) => fault.path === name || fault.path.endsWith(`.${name}`))
      .sort((a, b) => b.length - a.length)[0];
    if (field === undefined) rest.push(fault);
    else errors[field] = faultText(fault);
  }
  return { errors, rest };
}

/** A fault as a sentence beside its field. */
export function faultText(fault: Pick<FieldFault, 'got' | 'allowed'>): string {
  return `Got ${fault.got}; allowed: ${fault.allowed}`;
}
