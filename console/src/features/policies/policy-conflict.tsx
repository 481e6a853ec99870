import { Alert, Button, Group, Text } from '@mantine/core';
import { DiffView } from '@/ui/diff-view';
import type { PolicyDetail } from './policies.operations';
import { checkDraft, draftOf } from './policy-draft';
import type { PolicyInput, PolicyToSave } from './policy-editor';

/** Somebody saved between reading and saving: theirs and yours, and the choice between them. */
export function PolicyConflict({
  theirs,
  yours,
  onTakeTheirs,
  onKeepMine,
}: {
  theirs: PolicyDetail;
  yours: PolicyInput;
  onTakeTheirs: () => void;
  onKeepMine: (policy: PolicyToSave) => void;
}) {
  const { content } = checkDraft(yours.draft);
  return (
    <Alert
      role="alert"
      color="yellow"
      variant="light"
      title={`${theirs.author} saved version ${theirs.version} meanwhile`}
      my="sm"
    >
      <Text size="sm" mb="xs">
        Nothing of yours is lost. These fields differ:
      </Text>
      <DiffView
        before={{ name: theirs.name, ...draftOf(theirs.content) }}
        after={{ name: yours.name, ...yours.draft }}
        label="Theirs and yours"
        beforeTitle="Theirs, saved now"
        afterTitle="Yours"
      />
      <Group gap="xs" mt="sm">
        <Button size="xs" variant="default" onClick={onTakeTheirs}>
          Take theirs
        </Button>
        <Button
          size="xs"
          disabled={content === undefined}
          onClick={() =>
            onKeepMine({ namespace: yours.namespace, name: yours.name.trim(), comment: yours.comment, content })
          }
        >
          Save mine over theirs
        </Button>
      </Group>
    </Alert>
  );
}
