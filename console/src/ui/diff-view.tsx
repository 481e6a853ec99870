import { Text } from '@mantine/core';
import { DataTable } from './data-table';
import { differences } from './diff';
import classes from './diff-view.module.css';
import { Mono } from './mono';

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
  return (
    <DataTable
      label={label}
      head={
        <>
          <th scope="col">Field</th>
          <th scope="col">{beforeTitle}</th>
          <th scope="col">{afterTitle}</th>
        </>
      }
    >
      {changes.map((change) => (
        <tr key={change.path}>
          <td>
            <Mono>{change.path === '' ? '(everything)' : change.path}</Mono>
          </td>
          <td>
            <Side value={change.before} className={classes.removed} />
          </td>
          <td>
            <Side value={change.after} className={classes.added} />
          </td>
        </tr>
      ))}
    </DataTable>
  );
}

function Side({ value, className }: { value: unknown; className: string | undefined }) {
  if (value === undefined) return <span className={classes.absent}>not set</span>;
  const text = typeof value === 'object' && value !== null ? JSON.stringify(value, null, 1) : JSON.stringify(value);
  return <code className={`${classes.value} ${className ?? ''}`}>{text}</code>;
}
