import { Text } from '@mantine/core';
import { DataTable } from '@/ui/data-table';
import type { StageDetail } from './entry-details';

/** How many candidates entered each stage of the decision and how many it kept. */
export function StageFunnel({
  stages,
  label = 'Stages of the decision',
}: {
  stages: readonly StageDetail[];
  label?: string;
}) {
  if (stages.length === 0) return null;
  return (
    <DataTable
      label={label}
      head={
        <>
          <th scope="col">Stage</th>
          <th scope="col" data-number>
            Entered
          </th>
          <th scope="col" data-number>
            Kept
          </th>
          <th scope="col" data-number>
            Dropped
          </th>
        </>
      }
    >
      {stages.map(({ stage, entered, kept }) => {
        const dropped = entered - kept;
        return (
          <tr key={stage}>
            <th scope="row">{stage.charAt(0).toUpperCase() + stage.slice(1).toLowerCase().replaceAll('_', ' ')}</th>
            <td data-number>{entered}</td>
            <td data-number>{kept}</td>
            <td data-number>
              <Text
                span
                size="sm"
                fw={kept === 0 && dropped > 0 ? 600 : 400}
                c={dropped === 0 ? 'dimmed' : kept === 0 ? 'var(--reach-bad)' : undefined}
              >
                {dropped === 0 ? '–' : dropped}
              </Text>
            </td>
          </tr>
        );
      })}
    </DataTable>
  );
}
