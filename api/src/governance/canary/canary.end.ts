import type { CanaryEnd } from '../../perceive/model.js';
import { Prisma } from '../../storage/generated/client.js';

/** As it is stored: times are text in JSON. */
export function storedEnd(end: CanaryEnd): Prisma.InputJsonObject {
  return { ...end, at: end.at.toISOString() };
}

/** What clears it. */
export const NO_END = Prisma.DbNull;

/** Stored by this server only, and so in the form that it was stored in. */
export function endOf(json: Prisma.JsonValue): CanaryEnd | null {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return null;
  const { at, ...rest } = json as unknown as Omit<CanaryEnd, 'at'> & { readonly at: string };
  return { ...rest, at: new Date(at) };
}
