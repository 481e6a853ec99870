'use client';

import { Alert, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { type ReactNode, useState } from 'react';
import type { RequestFailure } from '@/graphql/failure';
import { ChangeTable } from '@/ui/change-table';
import type { Difference } from '@/ui/diff';
import { FailureNotice } from '@/ui/failure-notice';
import { GuardedButton, type Right } from '@/ui/guarded-button';
import { RolloutInput } from './rollout-input';

export interface Review {
  readonly comment: string;
  readonly rolloutPercent: number;
}

/** What a save would change, before it does: nothing is saved that was not seen here. */
export function ReviewDialog({
  title,
  beforeTitle,
  changes,
  notes,
  failingTests,
  rest,
  right,
  saving,
  failure,
  conflict,
  saveLabel,
  onSave,
  onClose,
}: {
  title: string;
  /** What the draft is compared with. */
  beforeTitle: string;
  changes: readonly Difference[];
  notes: ReactNode;
  /** Tests of the draft that don't pass; the server refuses to save it with one. */
  failingTests: number;
  /** What the calls use that are not in the share of this version. */
  rest: string;
  right: Right;
  saving: boolean;
  /** A failed save, other than a conflict. */
  failure: RequestFailure | undefined;
  /** What to show instead of the changes when somebody else saved meanwhile, or nothing. */
  conflict: ReactNode;
  saveLabel: string;
  onSave: (review: Review) => void;
  onClose: () => void;
}) {
  const [comment, setComment] = useState('');
  const [share, setShare] = useState<number | string>(100);
  const narrow = useMediaQuery('(max-width: 48em)');
  const rolloutPercent =
    typeof share === 'number' && Number.isInteger(share) && share >= 1 && share <= 100 ? share : undefined;
  const needs = saveNeeds(right, changes.length, failingTests, rolloutPercent);
  return (
    <Modal opened onClose={onClose} title={title} size="xl" fullScreen={narrow === true}>
      <Stack gap="sm">
        {conflict || (
          <>
            {changes.length > 0 ? (
              <ChangeTable
                label="Changes to save"
                changes={changes}
                beforeTitle={beforeTitle}
                afterTitle="Yours"
                nullIsAbsent
              />
            ) : (
              <Text size="sm">Your draft is what is saved.</Text>
            )}
            {notes}
            {failingTests > 0 && (
              <Alert color="red" variant="light" title={`${failingTests} of its tests fail`}>
                A policy is saved only when its tests pass: see what they expect under Tests.
              </Alert>
            )}
            <TextInput
              label="Comment"
              placeholder="What changes, and why"
              value={comment}
              onChange={({ currentTarget }) => setComment(currentTarget.value)}
              maxLength={2_000}
              data-autofocus
            />
            <RolloutInput value={share} onChange={setShare} rest={rest} valid={rolloutPercent !== undefined} />
            {failure !== undefined && <FailureNotice failure={failure} />}
            <Group justify="flex-end" gap="xs">
              <Button variant="default" onClick={onClose}>
                Cancel
              </Button>
              <GuardedButton
                needs={needs}
                loading={saving}
                onClick={() => rolloutPercent !== undefined && onSave({ comment, rolloutPercent })}
              >
                {saveLabel}
              </GuardedButton>
            </Group>
          </>
        )}
      </Stack>
    </Modal>
  );
}

function saveNeeds(right: Right, changes: number, failingTests: number, rolloutPercent: number | undefined): Right {
  if (changes === 0) return { allowed: false, reason: 'Nothing is changed.' };
  if (failingTests > 0) {
    return { allowed: false, reason: `${failingTests} of its tests fail: correct the policy, or the tests, first.` };
  }
  if (rolloutPercent === undefined) {
    return { allowed: false, reason: 'The share must be a whole number from 1 to 100.' };
  }
  return right;
}
