import { ReachError } from '@agent-reach/sdk/protocol';
import type { Prisma } from '../../storage/generated/client.js';

/** Counts one use of an enrolment key. Throws DENIED when the key has ended, is used up or is of another namespace. */
export async function takeEnrolmentUse(
  tx: Prisma.TransactionClient,
  key: string,
  namespace: string,
  now: Date,
): Promise<void> {
  const taken = await tx.$executeRaw`
    UPDATE enrolment_keys SET uses = uses + 1
     WHERE uid = ${key}::uuid AND namespace = ${namespace} AND revoked_at IS NULL
       AND (expires_at IS NULL OR expires_at > ${now}) AND (max_uses IS NULL OR uses < max_uses)`;
  if (taken === 1) return;
  throw new ReachError('DENIED', 'The enrolment key has ended or has created as many agents as it may; issue another.');
}
