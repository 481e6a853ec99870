import { Text } from '@mantine/core';
import { ChangeTable } from './change-table';
import { differences } from './diff';

/** Two values side by side, reduced to the places at which they differ. */
export function DiffView({
  before,
  after,
  label,
  beforeTitle = 'Before',
  afterTitle = 'After',
}: {
  before: unknown;
  after: unknown;
  label: string;
  beforeTitle?: string;
  afterTitle?: string;
}) {
  const changes = differences(before, after);
  if (changes.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        No difference.
      </Text>
    );
  }
  return <ChangeTable changes={changes} label={label} beforeTitle={beforeTitle} afterTitle={afterTitle} />;
}
