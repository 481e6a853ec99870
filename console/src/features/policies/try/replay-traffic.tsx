'use client';

import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { useMutation } from '@/graphql/use-mutation';
import { sameJson } from '@/ui/diff';
import { Empty } from '@/ui/empty';
import { FailureNotice } from '@/ui/failure-notice';
import { Section } from '@/ui/section';
import type { PolicyDraftInput } from '../draft/draft.operations';
import { ReplayResult } from './replay-result';
import { type DraftReplay, REPLAY_DRAFT } from './try.operations';

/** The draft against the calls of the last hour: how many would go elsewhere. Asked for, since it costs the server work. */
export function ReplayTraffic({ input, isSaved }: { input: PolicyDraftInput; isSaved: boolean }) {
  const replay = useMutation(REPLAY_DRAFT);
  const [answer, setAnswer] = useState<{ of: PolicyDraftInput; data: DraftReplay }>();
  const run = async () => {
    const data = await replay.run({ draft: input });
    if (data !== undefined) setAnswer({ of: input, data: data.replayDraft });
  };
  const outdated = answer !== undefined && !sameJson(answer.of, input);
  const start = (
    <Button variant={answer === undefined ? 'filled' : 'default'} loading={replay.running} onClick={() => void run()}>
      {answer === undefined ? 'Replay recent calls' : 'Replay again'}
    </Button>
  );
  return (
    <Section
      title="Against recent traffic"
      note="Calls of the last hour, decided anew with what each decision knew then."
      actions={answer !== undefined && start}
    >
      {replay.failure !== undefined && <FailureNotice failure={replay.failure} />}
      {answer === undefined ? (
        <Empty title="How many calls would go elsewhere?" action={start}>
          {isSaved
            ? 'Nothing is changed yet, so none should; change something under Edit first.'
            : 'The server decides recent calls again under the draft, and counts where each would go.'}
        </Empty>
      ) : (
        <>
          {outdated && (
            <Text size="sm" c="var(--reach-warn)" mb="xs">
              The draft was changed since; this is the answer to the one before.
            </Text>
          )}
          <ReplayResult replay={answer.data} stale={outdated} />
        </>
      )}
    </Section>
  );
}
