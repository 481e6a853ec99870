'use client';

import { Button } from '@mantine/core';
import { useState } from 'react';
import { ExplainForm } from '@/features/explain/explain-form';
import { inputOf, isComplete, PARTS, type Question, readQuestion } from '@/features/explain/question';
import { useQuery } from '@/graphql/use-query';
import { Empty } from '@/ui/empty';
import { FailureNotice } from '@/ui/failure-notice';
import { RowsSkeleton } from '@/ui/rows-skeleton';
import { Section } from '@/ui/section';
import { useUrlState } from '@/ui/url-state';
import type { PolicyDraftInput } from '../draft/draft.operations';
import type { DraftPlace } from '../draft/draft-input';
import type { Draft } from '../draft/use-draft';
import { SaveAsTest } from '../tests/save-as-test';
import { CompareDecisions } from './compare-decisions';
import { TRY_DRAFT } from './try.operations';

/** One request under the draft, beside what happens to it now. The question is in the address. */
export function TryRequest({ place, draft, input }: { place: DraftPlace; draft: Draft; input: PolicyDraftInput }) {
  const url = useUrlState();
  const asked = { ...readQuestion(url, place.namespace), namespace: place.namespace };
  const complete = isComplete(asked);
  const question = inputOf(asked);
  const { data, failure, loading, outdated, refetch } = useQuery(
    TRY_DRAFT,
    { input: question, draft: input },
    { skip: !complete },
  );
  const [keeping, setKeeping] = useState(false);
  const current = complete && !outdated && failure === undefined ? data : undefined;

  const ask = (next: Question) => {
    // One id for both sides: rollouts and splits are drawn by it, and two draws would differ by lot alone.
    const drawn = next.request === '' ? { ...next, request: randomRequestId() } : next;
    if (PARTS.every((part) => drawn[part] === asked[part])) refetch();
    else url.set({ ...drawn, namespace: null }, { push: true });
  };
  return (
    <Section
      title="Against one request"
      note="The router's own decision on the draft, with the instances as they are now. Nothing is sent and nothing saved."
    >
      <ExplainForm
        key={JSON.stringify(asked)}
        label="Try the draft"
        submitLabel="Try the draft"
        asked={asked}
        namespaces={[place.namespace]}
        running={complete && loading}
        onAsk={ask}
      />
      {!complete && (
        <Empty title="Name a caller and what it calls">
          You see where the draft would send the call, and beside it where it goes now.
        </Empty>
      )}
      {complete && !outdated && failure !== undefined && <FailureNotice failure={failure} onRetry={refetch} />}
      {complete && data === undefined && failure === undefined && <RowsSkeleton />}
      {current !== undefined && (
        <>
          <CompareDecisions draft={current.draft} saved={current.saved} draftId={place.id ?? NEW_POLICY} />
          <Button variant="default" size="xs" mt="sm" onClick={() => setKeeping(true)}>
            Keep this as a test
          </Button>
          {keeping && (
            <SaveAsTest
              question={question}
              explanation={current.draft}
              place={place}
              draft={draft}
              onClose={() => setKeeping(false)}
            />
          )}
        </>
      )}
    </Section>
  );
}

/** The id that the server gives a draft of no policy yet. */
const NEW_POLICY = 'draft';

/** Not secret, only different: the Web Crypto of a browser needs https away from the own machine. */
function randomRequestId(): string {
  return `try-${Math.random().toString(36).slice(2, 10)}`;
}
