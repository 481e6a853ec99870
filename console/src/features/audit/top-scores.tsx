import { DataTable } from '@/ui/data-table';
import { Mark } from '@/ui/mark';
import { Mono } from '@/ui/mono';
import type { CallDetails } from './entry-details';

/** The best candidates in the order of the strategy. */
export function TopScores({ top, chosen }: { top: CallDetails['top']; chosen: string | null }) {
  if (top.length === 0) return null;
  return (
    <DataTable
      label="Best candidates"
      head={
        <>
          <th scope="col">Instance</th>
          <th scope="col" data-number>
            Score
          </th>
          <th scope="col">Answered</th>
        </>
      }
    >
      {top.map(({ instance, score }) => (
        <tr key={instance}>
          <th scope="row">
            <Mono>{instance}</Mono>
          </th>
          <td data-number>{score === null ? '–' : score.toFixed(3)}</td>
          <td>
            {instance === chosen ? (
              <Mark tone="good" shape="check">
                This one
              </Mark>
            ) : (
              '–'
            )}
          </td>
        </tr>
      ))}
    </DataTable>
  );
}
