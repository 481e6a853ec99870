import { Alert, Button, Group, Text } from '@mantine/core';
import { DataTable } from '@/ui/data-table';
import classes from '@/ui/diff-view.module.css';
import { Mark } from '@/ui/mark';
import { type DraftParts, partChanges } from '../draft/draft-parts';
import { clashes } from '../draft/rebase';

/** Somebody saved between reading and saving: theirs and yours side by side, and the choice between them. */
export function PolicyConflict({
  author,
  version,
  comment,
  base,
  theirs,
  yours,
  onTakeTheirs,
  onKeepMine,
}: {
  author: string;
  version: number;
  comment: string;
  /** What both started from. */
  base: DraftParts;
  theirs: DraftParts;
  yours: DraftParts;
  onTakeTheirs: () => void;
  onKeepMine: () => void;
}) {
  const changes = partChanges(theirs, yours);
  const mixed = clashes(base.content, yours.content, theirs.content);
  const mine = new Set(partChanges(base, yours).map(({ path }) => path));
  const other = new Set(partChanges(base, theirs).map(({ path }) => path));
  const isClash = (path: string) =>
    (mine.has(path) && other.has(path)) || mixed.some((clash) => path === clash || path.startsWith(`${clash}.`));
  return (
    <Alert
      role="alert"
      color="yellow"
      variant="light"
      title={`${author} saved version ${version} meanwhile`}
      my="sm"
      // The table scrolls by itself; it must not widen what is around it.
      styles={{ body: { minWidth: 0 } }}
    >
      <Text size="sm" mb="xs">
        {comment !== '' && `“${comment}”. `}Nothing of yours is lost.{' '}
        {changes.length === 0 ? 'Both say the same.' : 'These fields differ:'}
      </Text>
      {changes.length > 0 && (
        <DataTable
          label="Theirs and yours"
          minWidth={560}
          head={
            <>
              <th scope="col">Field</th>
              <th scope="col">Theirs, saved now</th>
              <th scope="col">Yours</th>
              <th scope="col">Changed by</th>
            </>
          }
        >
          {changes.map(({ path, before, after }) => (
            <tr key={path}>
              <td>
                <code className={classes.path}>{path}</code>
              </td>
              <td>
                <code className={`${classes.value} ${classes.removed}`}>{textOf(before)}</code>
              </td>
              <td>
                <code className={`${classes.value} ${classes.added}`}>{textOf(after)}</code>
              </td>
              <td>
                <Who clash={isClash(path)} mine={mine.has(path)} />
              </td>
            </tr>
          ))}
        </DataTable>
      )}
      <Text size="sm" mt="sm">
        Your changes on top of theirs keep what only they changed; where both did, yours counts. You see the result
        before it is saved.
      </Text>
      <Group gap="xs" mt="xs">
        <Button size="xs" variant="default" onClick={onTakeTheirs}>
          Take theirs
        </Button>
        <Button size="xs" onClick={onKeepMine}>
          Keep mine on top of theirs
        </Button>
      </Group>
    </Alert>
  );
}

function Who({ clash, mine }: { clash: boolean; mine: boolean }) {
  if (clash) {
    return (
      <Mark tone="bad" shape="triangle">
        Both
      </Mark>
    );
  }
  return mine ? (
    <Mark tone="busy" shape="disc">
      You
    </Mark>
  ) : (
    <Mark tone="idle" shape="ring">
      Them
    </Mark>
  );
}

function textOf(value: unknown): string {
  return value === undefined || value === null ? 'not set' : JSON.stringify(value, null, 1);
}
