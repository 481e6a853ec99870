import type { Right } from '@/ui/guarded-button';
import type { Draft } from '../draft/use-draft';

/** Whether a draft can be reviewed and saved, and what is missing when it can't. */
export function reviewNeeds(draft: Draft, right: Right): Right {
  if (!right.allowed) return right;
  if (draft.textFault !== undefined) return { allowed: false, reason: 'Correct the JSON first: it cannot be read.' };
  if (draft.check.content === undefined) return { allowed: false, reason: 'Correct the marked fields first.' };
  if (draft.name.trim() === '') return { allowed: false, reason: 'The policy needs a name first.' };
  if (draft.changes.length === 0) return { allowed: false, reason: 'Nothing is changed yet.' };
  return right;
}
