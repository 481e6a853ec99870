import { Button, Group, Text } from '@mantine/core';
import { DiffView } from './diff-view';

/** Somebody else saved meanwhile: what they have beside what one has oneself, and the way on. */
export function SaveConflict({
  theirs,
  mine,
  onTake,
  onOverwrite,
}: {
  theirs: unknown;
  mine: unknown;
  onTake: () => void;
  onOverwrite: () => void;
}) {
  return (
    <div role="alert">
      <Text size="sm" fw={500} mb={4}>
        Somebody else saved meanwhile
      </Text>
      <DiffView
        before={theirs}
        after={mine}
        label="Their settings and yours"
        beforeTitle="Theirs, saved now"
        afterTitle="Yours"
      />
      <Group gap="xs" mt="xs">
        <Button size="xs" variant="default" onClick={onTake}>
          Take theirs
        </Button>
        <Button size="xs" onClick={onOverwrite}>
          Save mine over theirs
        </Button>
      </Group>
    </div>
  );
}
