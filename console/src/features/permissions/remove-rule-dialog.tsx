'use client';

import { Text } from '@mantine/core';
import { useMutation } from '@/graphql/use-mutation';
import { ConfirmDialog } from '@/ui/confirm-dialog';
import { say } from '@/ui/say';
import { DELETE_PERMISSION, type PermissionRule } from './permissions.operations';
import { RuleText } from './rule-text';

/** Asks before a rule is removed, and says what that means. */
export function RemoveRuleDialog({
  rule,
  onClose,
  onRemoved,
}: {
  rule: PermissionRule | undefined;
  onClose: () => void;
  onRemoved: () => void;
}) {
  const remove = useMutation(DELETE_PERMISSION);
  if (rule === undefined) return null;
  const confirm = async () => {
    if ((await remove.run({ id: rule.id })) === undefined) return;
    say('The rule is removed');
    onRemoved();
    onClose();
  };
  return (
    <ConfirmDialog
      title="Remove rule?"
      confirmLabel="Remove rule"
      running={remove.running}
      failure={remove.failure}
      onConfirm={() => void confirm()}
      onClose={onClose}
    >
      <RuleText rule={rule} />
      <Text size="sm" c="dimmed">
        {rule.effect === 'ALLOW'
          ? 'Calls that only this rule allows are denied within a second.'
          : 'Calls that this rule denied are allowed again where another rule allows them.'}
      </Text>
    </ConfirmDialog>
  );
}
