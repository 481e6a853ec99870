import { Text } from '@mantine/core';
import { DataTable } from '@/ui/data-table';
import { duration } from '@/ui/format';
import { Mono } from '@/ui/mono';
import { NsLink } from '@/ui/ns-link';
import { OutcomeMark } from '@/ui/states';
import { Time } from '@/ui/time';
import type { AuditRow } from './audit.operations';

/** Audit entries, each with a link to its own page. */
export function AuditTable({ entries, stale }: { entries: readonly AuditRow[]; stale: boolean }) {
  return (
    <DataTable
      label="Audit entries"
      minWidth={760}
      stale={stale}
      head={
        <>
          <th scope="col" data-tight>
            Entry
          </th>
          <th scope="col" data-tight data-wide>
            Time
          </th>
          <th scope="col">What</th>
          <th scope="col" data-tight>
            Outcome
          </th>
          <th scope="col">Caller</th>
          <th scope="col">Target</th>
          <th scope="col" data-number data-wide>
            Duration
          </th>
          <th scope="col" data-number data-wider>
            Attempts
          </th>
        </>
      }
    >
      {entries.map((entry) => (
        <tr key={entry.sequence}>
          <th scope="row">
            <NsLink href={`/audit/${entry.sequence}`} size="sm" fw={500}>
              #{entry.sequence}
            </NsLink>
          </th>
          <td data-wide>
            <Time iso={entry.occurredAt} />
          </td>
          <td>
            <Mono>{entry.kind === 'CALL' ? (entry.capability ?? 'call') : entry.action}</Mono>
            {entry.kind === 'CALL' && entry.action === 'task' && (
              <Text size="xs" c="dimmed">
                end of a task
              </Text>
            )}
          </td>
          <td>{entry.kind === 'TRANSITION' ? '–' : <OutcomeMark outcome={entry.outcome} />}</td>
          <td>
            <Mono>{entry.actor}</Mono>
            {entry.onBehalfOf !== null && (
              <Text size="xs" c="dimmed">
                for {entry.onBehalfOf}
              </Text>
            )}
          </td>
          <td>
            <Mono>
              {entry.target === '' ? '–' : entry.target}
              <Text span inherit c="dimmed">
                {suffix(entry)}
              </Text>
            </Mono>
          </td>
          <td data-number data-wide>
            {entry.durationMs === null ? '–' : duration(entry.durationMs)}
          </td>
          <td data-number data-wider>
            {entry.attempts ?? '–'}
          </td>
        </tr>
      ))}
    </DataTable>
  );
}

/** The instance behind the target, as what its ref adds to the agent's. */
function suffix({ target, instance }: AuditRow): string {
  return instance?.startsWith(`${target}/`) === true ? instance.slice(target.length) : '';
}
