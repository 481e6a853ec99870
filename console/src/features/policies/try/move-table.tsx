'use client';

import { SegmentedControl, Text } from '@mantine/core';
import { DataTable } from '@/ui/data-table';
import { Mono } from '@/ui/mono';
import { OutcomeMark } from '@/ui/states';
import { useUrlState } from '@/ui/url-state';
import { type End, movesBy } from './moves';
import type { DraftMove } from './try.operations';

/** From where to where calls would move, by agent or by instance. */
export function MoveTable({ moves, leftOut, stale }: { moves: readonly DraftMove[]; leftOut: number; stale: boolean }) {
  const url = useUrlState();
  const level = url.get('moves') === 'instance' ? 'INSTANCE' : 'AGENT';
  return (
    <>
      <SegmentedControl
        size="xs"
        mb={6}
        aria-label="Moves by"
        data={[
          { value: 'AGENT', label: 'By agent' },
          { value: 'INSTANCE', label: 'By instance' },
        ]}
        value={level}
        onChange={(next) => url.set({ moves: next === 'INSTANCE' ? 'instance' : null })}
      />
      <DataTable
        label="Moves"
        stale={stale}
        head={
          <>
            <th scope="col">From</th>
            <th scope="col">To</th>
            <th scope="col" data-number>
              Calls
            </th>
          </>
        }
      >
        {movesBy(level, moves).map((move) => (
          <tr key={JSON.stringify([move.from, move.to])}>
            <td>
              <EndText end={move.from} />
            </td>
            <td>
              <EndText end={move.to} />
            </td>
            <td data-number>{move.calls}</td>
          </tr>
        ))}
      </DataTable>
      {leftOut > 0 && (
        <Text size="xs" c="dimmed" mt={4}>
          {leftOut} more calls move in rarer ways.
        </Text>
      )}
    </>
  );
}

function EndText({ end }: { end: End }) {
  return 'who' in end ? <Mono>{end.who}</Mono> : <OutcomeMark outcome={end.outcome} />;
}
