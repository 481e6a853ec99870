import type { Candidate, RouteInstance } from './candidate.js';
import { inRanges } from './draw.js';
import { STAGES, type Stage } from './explanation.js';
import type { Pass } from './pass.js';
import { PermissionAsker } from './permission-asker.js';
import { whyDropped } from './reasons.js';
import { notDrawn } from './run-pass.js';
import { stageOfPlace, stageThatDrops, THROUGH } from './stages.js';

/**
 * Tells why those candidates were not chosen that a decision did not look at: excluded with the target, or left out of
 * its sample. The latter are judged as the others were, so that an operator sees who would have fallen anyway.
 */
export function judgeOthers<I extends RouteInstance>(
  pass: Pass<I>,
  looked: ReadonlySet<Candidate<I>>,
  dropped: (candidate: Candidate<I>, stage: Stage, reason: string) => void,
): void {
  const { match, policy, ranges, sampled, drawn } = pass;
  const listed = policy.content.candidates;
  const asker = new PermissionAsker(pass);
  const missed = drawn
    ? `was not among the ${sampled} that ${policy.content.strategy.name} looked at`
    : notDrawn(sampled);
  for (const candidate of match.candidates) {
    if (looked.has(candidate)) continue;
    const { agent, version } = candidate.instance;
    const excluded = (listed.length > 0 && !listed.includes(agent)) || !inRanges(version, ranges);
    const place = excluded
      ? THROUGH
      : stageThatDrops(candidate, pass, asker, stageOfPlace(candidate.instance, pass), true);
    const stage = excluded ? 'TARGET' : STAGES[place];
    if (place === THROUGH && !excluded) dropped(candidate, 'STRATEGY', missed);
    else if (stage !== undefined) dropped(candidate, stage, whyDropped(stage, candidate, pass, asker));
  }
}
