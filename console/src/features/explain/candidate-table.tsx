import { Text } from '@mantine/core';
import { DataTable } from '@/ui/data-table';
import { Mark } from '@/ui/mark';
import { Mono } from '@/ui/mono';
import type { Candidate } from './explain.operations';
import { partsText, stageWord } from './words';

/** Each candidate: chosen, kept, or dropped at which stage and why. The chosen one first, then by score. */
export function CandidateTable({ candidates, chosen }: { candidates: readonly Candidate[]; chosen: string | null }) {
  if (candidates.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        Nobody offers this, or nobody that you may see.
      </Text>
    );
  }
  const rank = (candidate: Candidate) => (candidate.instance === chosen ? 2 : candidate.kept ? 1 : 0);
  const sorted = [...candidates].sort((a, b) => rank(b) - rank(a) || (b.score ?? 0) - (a.score ?? 0));
  return (
    <DataTable
      label="Candidates"
      minWidth={560}
      head={
        <>
          <th scope="col">Instance</th>
          <th scope="col">Result</th>
          <th scope="col">Stage</th>
          <th scope="col">Reason</th>
          <th scope="col" data-number>
            Score
          </th>
        </>
      }
    >
      {sorted.map((candidate) => (
        <tr key={candidate.instance}>
          <th scope="row">
            <Mono>{candidate.instance}</Mono>
          </th>
          <td>
            <ResultMark candidate={candidate} chosen={candidate.instance === chosen} />
          </td>
          <td>{stageWord(candidate.stage)}</td>
          <td>{candidate.reason}</td>
          <td data-number>
            {candidate.score === null ? '–' : candidate.score.toFixed(3)}
            <Text size="xs" c="dimmed">
              {partsText(candidate.parts).join(' · ')}
            </Text>
          </td>
        </tr>
      ))}
    </DataTable>
  );
}

export function ResultMark({ candidate, chosen }: { candidate: Candidate; chosen: boolean }) {
  if (chosen) {
    return (
      <Mark tone="good" shape="check">
        Chosen
      </Mark>
    );
  }
  return candidate.kept ? (
    <Mark tone="busy" shape="disc">
      Kept
    </Mark>
  ) : (
    <Mark tone="idle" shape="cross">
      Dropped
    </Mark>
  );
}
