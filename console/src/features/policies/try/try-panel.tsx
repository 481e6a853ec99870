'use client';

import { Alert } from '@mantine/core';
import { type DraftPlace, draftInput } from '../draft/draft-input';
import type { Draft } from '../draft/use-draft';
import { ReplayTraffic } from './replay-traffic';
import { TryRequest } from './try-request';

/** The draft, tried before it counts: on one request, and on the calls of the last hour. */
export function TryPanel({ place, draft }: { place: DraftPlace; draft: Draft }) {
  const input = draftInput(place, draft);
  if (input === undefined) {
    return (
      <Alert color="yellow" variant="light" title="The draft cannot be tried yet">
        Correct what is marked under Edit first. What is tried is always exactly what would be saved.
      </Alert>
    );
  }
  return (
    <>
      <TryRequest place={place} draft={draft} input={input} />
      <ReplayTraffic input={input} isSaved={place.id !== undefined && draft.changes.length === 0} />
    </>
  );
}
