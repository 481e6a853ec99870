'use client';

import { Button, Group, Modal, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import type { RequestFailure } from '@/graphql/failure';
import { FailureNotice } from './failure-notice';

/** Asks before something that is hard to take back. Focus starts on the way out. */
export function ConfirmDialog({
  title,
  confirmLabel,
  dismissLabel = 'Cancel',
  running,
  failure,
  onConfirm,
  onClose,
  children,
}: {
  title: string;
  confirmLabel: string;
  /** Where `Cancel` would mean something else. */
  dismissLabel?: string;
  running: boolean;
  failure: RequestFailure | undefined;
  onConfirm: () => void;
  onClose: () => void;
  children: ReactNode;
}) {
  return (
    <Modal opened onClose={onClose} title={title}>
      <Stack gap="sm">
        {children}
        {failure !== undefined && <FailureNotice failure={failure} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} data-autofocus>
            {dismissLabel}
          </Button>
          <Button color="red" loading={running} onClick={onConfirm}>
            {confirmLabel}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
