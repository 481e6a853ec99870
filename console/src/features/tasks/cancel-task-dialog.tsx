'use client';

import { Text } from '@mantine/core';
import { useMutation } from '@/graphql/use-mutation';
import { ConfirmDialog } from '@/ui/confirm-dialog';
import { say } from '@/ui/say';
import { taskWord } from '@/ui/states';
import { CANCEL_TASK, type TaskDetail } from './tasks.operations';

/** Asks before a task is cancelled, and says what that means. */
export function CancelTaskDialog({
  task,
  onClose,
  onCancelled,
}: {
  task: Pick<TaskDetail, 'taskId' | 'capability' | 'agent' | 'caller'>;
  onClose: () => void;
  onCancelled: () => void;
}) {
  const cancel = useMutation(CANCEL_TASK);
  const confirm = async () => {
    const answer = await cancel.run({ id: task.taskId });
    if (answer === undefined) return;
    const { state } = answer.cancelTask;
    // It may have ended while the question stood on the screen.
    say(
      state === 'CANCELLED' ? 'The task is cancelled' : `The task had ended before: ${taskWord(state).toLowerCase()}`,
    );
    onCancelled();
    onClose();
  };
  return (
    <ConfirmDialog
      title="Cancel task?"
      confirmLabel="Cancel task"
      dismissLabel="Keep it"
      running={cancel.running}
      failure={cancel.failure}
      onConfirm={() => void confirm()}
      onClose={onClose}
    >
      <Text size="sm">
        {task.capability} on {task.agent}, for {task.caller}
      </Text>
      <Text size="sm" c="dimmed">
        Its caller is told that it was cancelled, and its agent is asked to stop. What the agent has done by then is not
        undone, and a result that comes later is dropped.
      </Text>
    </ConfirmDialog>
  );
}
