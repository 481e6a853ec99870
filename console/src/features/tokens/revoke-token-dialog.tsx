'use client';

import { Text } from '@mantine/core';
import { useMutation } from '@/graphql/use-mutation';
import { ConfirmDialog } from '@/ui/confirm-dialog';
import { say } from '@/ui/say';
import { REVOKE_TOKEN, type TokenRow } from './tokens.operations';

/** Asks before a token is revoked. */
export function RevokeTokenDialog({
  token,
  onClose,
  onRevoked,
}: {
  token: TokenRow | undefined;
  onClose: () => void;
  onRevoked: () => void;
}) {
  const revoke = useMutation(REVOKE_TOKEN);
  if (token === undefined) return null;
  const confirm = async () => {
    if ((await revoke.run({ id: token.id })) === undefined) return;
    say(`Token ${token.name} is revoked`);
    onRevoked();
    onClose();
  };
  return (
    <ConfirmDialog
      title="Revoke token?"
      confirmLabel="Revoke token"
      running={revoke.running}
      failure={revoke.failure}
      onConfirm={() => void confirm()}
      onClose={onClose}
    >
      <Text size="sm">
        Connections that use {token.name} ({token.prefix}…) close within a second, and it can never be used again.
      </Text>
    </ConfirmDialog>
  );
}
