import { DataTable } from './data-table';
import type { Difference } from './diff';
import classes from './diff-view.module.css';

/** Changed places, one a row, with both values side by side. */
export function ChangeTable({
  changes,
  label,
  beforeTitle = 'Before',
  afterTitle = 'After',
  nullIsAbsent = false,
}: {
  changes: readonly Difference[];
  label: string;
  beforeTitle?: string;
  afterTitle?: string;
  /** Whether null says the same as a value that isn't there. */
  nullIsAbsent?: boolean;
}) {
  const shown = (value: unknown) => (nullIsAbsent && value === null ? undefined : value);
  return (
    <DataTable
      label={label}
      minWidth={440}
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
            <code className={classes.path}>{change.path === '' ? '(everything)' : change.path}</code>
          </td>
          <td>
            <Side value={shown(change.before)} className={classes.removed} />
          </td>
          <td>
            <Side value={shown(change.after)} className={classes.added} />
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
