import type { AgentRef } from '../protocol/index.js';
import { FALLBACK_KINDS, type FallbackStep } from './policy.js';
import type { FieldReader } from './policy-fields.js';
import { isAgentRef } from './policy-rules.js';

/** Steps that a policy may list; each is tried within the call's deadline, so more would rarely have their turn. */
const MAX_STEPS = 5;
/** An answer older than a day says little about now. */
const MAX_STALE_MS = 86_400_000;
/** A fixed answer is kept in every router and in every version. */
const MAX_ANSWER_BYTES = 16_384;

/** Reads `fallback` of a policy's content. Fields of another kind of step than the named one are unknown fields. */
export function readFallback(root: FieldReader): readonly FallbackStep[] {
  return root.objects('fallback', MAX_STEPS).flatMap((entry) => {
    if (!entry.given) return [];
    const kind = entry.has('kind', { allowed: FALLBACK_KINDS.join(', ') })
      ? entry.oneOf('kind', undefined, FALLBACK_KINDS)
      : undefined;
    // Which fields a step has is not known while its kind isn't.
    if (kind === undefined) return [];
    const step = readStep(entry, kind);
    entry.refuseUnknown();
    return step ?? [];
  });
}

/** Undefined when it has a fault. */
function readStep(entry: FieldReader, kind: FallbackStep['kind']): FallbackStep | undefined {
  switch (kind) {
    case 'AGENT': {
      const allowed = 'an agent, namespace/id';
      entry.has('agent', { allowed });
      const agent = entry.text('agent', undefined, isAgentRef, allowed) as AgentRef | undefined;
      return agent === undefined ? undefined : { kind, agent };
    }
    case 'STALE': {
      entry.has('maxAgeMs', { allowed: `a whole number from 1 to ${MAX_STALE_MS}` });
      const maxAgeMs = entry.whole('maxAgeMs', undefined, 1, MAX_STALE_MS);
      return maxAgeMs === undefined ? undefined : { kind, maxAgeMs };
    }
    case 'ANSWER': {
      entry.has('result', { allowed: 'an object' });
      const result = entry.json('result', MAX_ANSWER_BYTES);
      return result === undefined ? undefined : { kind, result };
    }
    default:
      return kind satisfies never;
  }
}
