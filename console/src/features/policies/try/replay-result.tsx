import { Text } from '@mantine/core';
import { DataTable } from '@/ui/data-table';
import { Empty } from '@/ui/empty';
import { NsLink } from '@/ui/ns-link';
import { Time } from '@/ui/time';
import { MoveTable } from './move-table';
import type { DraftReplay } from './try.operations';

/** How many of the recent calls would go elsewhere, from where to where, and how many nobody can tell. */
export function ReplayResult({ replay, stale }: { replay: DraftReplay; stale: boolean }) {
  const { recorded, concerned, moved, unknown, moves, movesLeftOut, unknownReasons } = replay;
  if (recorded === 0) {
    return (
      <Empty
        title="No call was recorded yet"
        action={
          <NsLink href="/audit" size="sm">
            Calls in Audit
          </NsLink>
        }
      >
        The server remembers calls of the last hour, since it was started. Make one, and replay again.
      </Empty>
    );
  }
  return (
    <>
      <Text size="sm" role="status" aria-label="Result of the replay">
        <strong>{moved}</strong> of {concerned} {concerned === 1 ? 'call' : 'calls'} that this is about would go
        elsewhere, {concerned - moved} would stay. {unknown} {unknown === 1 ? 'is' : 'are'} unknown.
      </Text>
      <Extent replay={replay} />
      {moves.length > 0 && <MoveTable moves={moves} leftOut={movesLeftOut} stale={stale} />}
      {unknownReasons.length > 0 && (
        <div style={{ marginTop: 12 }}>
          <DataTable
            label="Unknown"
            stale={stale}
            head={
              <>
                <th scope="col">Why it is unknown</th>
                <th scope="col" data-number>
                  Calls
                </th>
              </>
            }
          >
            {unknownReasons.map(({ reason, calls }) => (
              <tr key={reason}>
                <td>{reason}</td>
                <td data-number>{calls}</td>
              </tr>
            ))}
          </DataTable>
        </div>
      )}
    </>
  );
}

/** Of what the answer speaks: a sample must not be taken for everything. */
function Extent({ replay: { recorded, recordedEvery, replayed, since } }: { replay: DraftReplay }) {
  return (
    <Text component="div" size="xs" c="dimmed" mb="xs">
      {replayed} of {recorded} recorded calls were replayed
      {since !== null && (
        <>
          , the oldest of <Time iso={since} />
        </>
      )}
      .{recordedEvery > 1 && ` One call in ${recordedEvery} is recorded.`}
    </Text>
  );
}
