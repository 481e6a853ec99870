'use client';

import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { NsLink } from '@/ui/ns-link';
import { LifecycleMark } from '@/ui/states';
import type { RegisteredEndpoint } from './agents.operations';
import { RegisterEndpointForm } from './register-endpoint-form';

/** Registers an agent that is only an HTTP endpoint, and says whether the server could reach it. */
export function RegisterEndpointDialog({
  opened,
  onClose,
  onRegistered,
}: {
  opened: boolean;
  onClose: () => void;
  onRegistered: () => void;
}) {
  const [registered, setRegistered] = useState<RegisteredEndpoint>();
  const close = () => {
    onClose();
    setRegistered(undefined);
  };
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={registered === undefined ? 'Register HTTP agent' : `${registered.ref} is registered`}
      size="lg"
      closeOnClickOutside={false}
    >
      {registered === undefined ? (
        <RegisterEndpointForm
          onCancel={close}
          onRegistered={(endpoint) => {
            setRegistered(endpoint);
            onRegistered();
          }}
        />
      ) : (
        <Stack gap="sm">
          <Group gap="xs" role="status" aria-label="State of the endpoint">
            <LifecycleMark lifecycle={registered.lifecycle} />
            <Text size="sm">{registered.reason}</Text>
          </Group>
          {registered.lifecycle === 'PENDING' && (
            <Text size="sm" c="dimmed">
              It gets calls once the server has reached its health path, which it goes on trying.
            </Text>
          )}
          <Group justify="flex-end">
            <NsLink href={`/agents/${registered.agent}`} size="sm">
              Open {registered.agent}
            </NsLink>
            <Button onClick={close}>Done</Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
