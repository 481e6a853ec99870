'use client';

import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';
import { asFailure, type RequestFailure } from '@/graphql/failure';
import { FailureNotice } from '@/ui/failure-notice';
import { Mono } from '@/ui/mono';
import { say } from '@/ui/say';
import { STEERING_WORDS, type Steering, steer } from './steering';

/** Asks before an agent or instance is drained, paused or resumed, and for the reason that others will read. */
export function SteeringDialog({
  steering,
  onClose,
  onDone,
}: {
  steering: Steering | undefined;
  onClose: () => void;
  onDone: () => void;
}) {
  const [reason, setReason] = useState('');
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<RequestFailure>();
  // Each question starts empty.
  useEffect(() => {
    setReason('');
    setFailure(undefined);
  }, [steering]);

  if (steering === undefined) return null;
  const words = STEERING_WORDS[steering.verb];
  const confirm = async () => {
    setBusy(true);
    setFailure(undefined);
    try {
      await steer(steering, reason);
      say(`${steering.subject.ref} ${words.done}`);
      onDone();
      onClose();
    } catch (error) {
      setFailure(asFailure(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Modal opened onClose={onClose} title={`${words.title} ${steering.subject.is}?`}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void confirm();
        }}
      >
        <Stack gap="sm">
          <Text size="sm">
            <Mono>{steering.subject.ref}</Mono>
          </Text>
          <Text size="sm" c="dimmed">
            {words.effect}
            {steering.subject.is === 'agent' && ' This holds for every instance of the agent.'}
          </Text>
          {steering.verb !== 'resume' && (
            <TextInput
              label="Reason"
              description="Shown to other operators and kept in the audit"
              data-autofocus
              value={reason}
              onChange={(event) => setReason(event.currentTarget.value)}
            />
          )}
          {failure !== undefined && <FailureNotice failure={failure} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={busy} color={steering.verb === 'resume' ? undefined : 'red'}>
              {words.title} {steering.subject.is}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
