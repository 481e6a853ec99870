'use client';

import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useMutation } from '@/graphql/use-mutation';
import { say, sayWarning } from '@/ui/say';
import { type PolicyDetail, RESTORE_VERSION } from '../policies.operations';
import { SaveFailure } from '../save/save-failure';
import { CompareVersions } from './compare-versions';

/** Brings an old version back as a new one, after showing what that changes. */
export function RestoreDialog({
  policy,
  version,
  onRestored,
  onClose,
}: {
  policy: PolicyDetail;
  version: number;
  onRestored: (policy: PolicyDetail) => void;
  onClose: () => void;
}) {
  const [comment, setComment] = useState('');
  const restore = useMutation(RESTORE_VERSION);
  const confirm = async () => {
    const answer = await restore.run({ id: policy.id, toVersion: version, expectedVersion: policy.version, comment });
    if (answer === undefined) return;
    const { policy: stored, warnings } = answer.rollbackPolicy;
    say(`Version ${version} is back as version ${stored.version}, for every call`);
    for (const warning of warnings) sayWarning(warning);
    onRestored(stored);
  };
  return (
    <Modal opened onClose={onClose} title={`Restore version ${version}?`} size="lg">
      <Stack gap="sm">
        <Text size="sm">
          Its content and tests become version {policy.version + 1}, for every call within a second. Nothing is lost:
          version {policy.version} stays in the list. What you have edited and not saved stays in your draft, on top.
        </Text>
        <CompareVersions id={policy.id} from={policy.version} to={version} />
        <TextInput
          label="Comment"
          placeholder="Why it comes back"
          value={comment}
          onChange={({ currentTarget }) => setComment(currentTarget.value)}
          maxLength={2_000}
        />
        {restore.failure !== undefined && <SaveFailure failure={restore.failure} policy={policy} onLook={onRestored} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} data-autofocus>
            Cancel
          </Button>
          <Button loading={restore.running} onClick={() => void confirm()}>
            Restore version {version}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
