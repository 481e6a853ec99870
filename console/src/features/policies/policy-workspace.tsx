'use client';

import { useMemo, useState } from 'react';
import { useRights } from '@/features/shell/use-rights';
import { request } from '@/graphql/request';
import { useMutation } from '@/graphql/use-mutation';
import { say, sayWarning } from '@/ui/say';
import { partsOf, rebaseParts } from './draft/draft-parts';
import { useKeptDraft } from './draft/use-kept-draft';
import { POLICY, type PolicyDetail, UPDATE_POLICY } from './policies.operations';
import { PolicyEditor } from './policy-editor';
import { PolicyHeader } from './policy-header';
import { theirsOf } from './save/conflict';
import { PolicyConflict } from './save/policy-conflict';
import { restOfCalls, shareText } from './save/rest-of-calls';
import { RolloutControl } from './versions/rollout-control';
import { VersionsPanel } from './versions/versions-panel';

/** A stored policy: edited, tried, tested, and its versions. A save needs the version that was read. */
export function PolicyWorkspace({ policy }: { policy: PolicyDetail }) {
  const [base, setBase] = useState(policy);
  const baseParts = useMemo(() => partsOf(base), [base]);
  const { draft, wasKept } = useKeptDraft(base.id, baseParts);
  const right = useRights(base.namespace)('policies.write');
  const update = useMutation(UPDATE_POLICY);
  const theirs = update.failure?.code === 'CONFLICT' ? theirsOf(update.failure.current, base) : undefined;

  const take = (stored: PolicyDetail) => {
    draft.reset(partsOf(stored));
    setBase(stored);
    update.reset();
  };
  /** What is stored now comes under the draft; what was edited stays on top. */
  const adopt = (stored: PolicyDetail) => {
    draft.reset(rebaseParts(baseParts, draft, partsOf(stored)));
    setBase(stored);
    update.reset();
    completeBase();
  };
  /** A conflict tells what is stored now, but not when it was saved, nor which version the rest of the calls uses. */
  const completeBase = () => {
    request(POLICY, { id: base.id })
      .then(({ policy: stored }) => setBase((old) => (old.version === stored?.version ? stored : old)))
      // The header then says what the conflict said; whoever saves next is told of any failure.
      .catch(() => undefined);
  };
  return (
    <>
      <PolicyHeader policy={base} right={right} />
      <RolloutControl key={`${base.version} ${base.rolloutPercent}`} policy={base} right={right} onSaved={adopt} />
      <PolicyEditor
        place={{ namespace: base.namespace, id: base.id }}
        draft={draft}
        wasKept={wasKept}
        right={right}
        review={{
          buttonLabel: 'Review and save',
          title: theirs === undefined ? `Save as version ${base.version + 1}` : 'Not saved: somebody was faster',
          beforeTitle: `Version ${base.version}`,
          saveLabel: 'Save policy',
          rest: restOfCalls(base.rolloutPercent === 100 ? base.version : base.stableVersion),
          saving: update.running,
          failure: theirs === undefined ? update.failure : undefined,
          conflict: theirs !== undefined && (
            <PolicyConflict
              author={theirs.author}
              version={theirs.version}
              comment={theirs.comment}
              base={baseParts}
              theirs={partsOf(theirs)}
              yours={draft}
              onTakeTheirs={() => {
                take(theirs);
                completeBase();
              }}
              onKeepMine={() => adopt(theirs)}
            />
          ),
          onSave: async (toSave) => {
            const answer = await update.run({ id: base.id, patch: toSave, expectedVersion: base.version });
            if (answer === undefined) return false;
            const { policy: stored, warnings } = answer.updatePolicy;
            take(stored);
            say(`Version ${stored.version} of ${stored.name} is saved, for ${shareText(stored.rolloutPercent)}`);
            for (const warning of warnings) sayWarning(warning);
            return true;
          },
          onCancel: update.reset,
        }}
        onDiscard={() => draft.reset(baseParts)}
        versions={<VersionsPanel key={base.version} policy={base} right={right} onSaved={adopt} />}
      />
    </>
  );
}
