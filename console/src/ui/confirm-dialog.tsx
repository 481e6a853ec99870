'use client';

import { Button, Group, Modal, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import type { RequestFailure } from '@/graphql/failure';
import { FailureNotice } from './failure-notice';

/** Asks before something that is hard to take back. Focus starts on Cancel. */
export function ConfirmDialog({
  title,
  confirmLabel,
  running,
  failure,
  onConfirm,
  onClose,
  children,
}: {
  title: string;
  confirmLabel: string;
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
            Cancel
          </Button>
          <Button color="red" loading={running} onClick={onConfirm}>
            {confirmLabel}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
