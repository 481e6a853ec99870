import { Text } from '@mantine/core';
import { ResultMark } from '@/features/explain/candidate-table';
import type { Candidate, RouteExplanation } from '@/features/explain/explain.operations';
import { partsText, stageWord } from '@/features/explain/words';
import { DataTable } from '@/ui/data-table';
import { Mono } from '@/ui/mono';

interface Side {
  readonly candidate: Candidate | undefined;
  readonly chosen: boolean;
}

/** Each candidate under the draft and as things stand. Those that the draft chooses or keeps come first. */
export function CompareCandidates({ draft, saved }: { draft: RouteExplanation; saved: RouteExplanation }) {
  const names = [...new Set([...draft.candidates, ...saved.candidates].map(({ instance }) => instance))];
  if (names.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        Nobody offers this, or nobody that you may see.
      </Text>
    );
  }
  const sideOf = ({ candidates, chosen }: RouteExplanation, name: string): Side => ({
    candidate: candidates.find(({ instance }) => instance === name),
    chosen: chosen === name,
  });
  const rows = names.map((name) => ({ name, draft: sideOf(draft, name), saved: sideOf(saved, name) }));
  const rank = ({ candidate, chosen }: Side) => (chosen ? 2 : candidate?.kept ? 1 : 0);
  rows.sort(
    (a, b) =>
      rank(b.draft) - rank(a.draft) ||
      (b.draft.candidate?.score ?? 0) - (a.draft.candidate?.score ?? 0) ||
      rank(b.saved) - rank(a.saved),
  );
  return (
    <DataTable
      label="Candidates"
      minWidth={620}
      head={
        <>
          <th scope="col">Instance</th>
          <th scope="col">With the draft</th>
          <th scope="col" data-number>
            Score
          </th>
          <th scope="col">As saved</th>
          <th scope="col" data-number>
            Score
          </th>
        </>
      }
    >
      {rows.map((row) => (
        <tr key={row.name}>
          <th scope="row">
            <Mono>{row.name}</Mono>
          </th>
          <SideCells side={row.draft} />
          <SideCells side={row.saved} />
        </tr>
      ))}
    </DataTable>
  );
}

function SideCells({ side: { candidate, chosen } }: { side: Side }) {
  if (candidate === undefined) {
    return (
      <>
        <td>–</td>
        <td data-number>–</td>
      </>
    );
  }
  return (
    <>
      <td>
        <ResultMark candidate={candidate} chosen={chosen} />
        {!chosen && (
          <Text size="xs" c="dimmed">
            {candidate.kept ? candidate.reason : `${stageWord(candidate.stage)}: ${candidate.reason}`}
          </Text>
        )}
      </td>
      <td data-number>
        {candidate.score === null ? '–' : candidate.score.toFixed(3)}
        {partsText(candidate.parts).map((part) => (
          <Text key={part} size="xs" c="dimmed">
            {part}
          </Text>
        ))}
      </td>
    </>
  );
}
