'use client';

import { useQuery } from '@/graphql/use-query';
import { DataTable } from '@/ui/data-table';
import { Empty } from '@/ui/empty';
import { FailureNotice } from '@/ui/failure-notice';
import { NsLink } from '@/ui/ns-link';
import { PageHeader } from '@/ui/page-header';
import { Pager } from '@/ui/pager';
import { RowsSkeleton } from '@/ui/rows-skeleton';
import { useCursorPage } from '@/ui/use-cursor-page';
import { canarySummary } from './canary-summary';
import { NAMESPACES } from './namespaces.operations';

const PAGE_SIZE = 50;

/** The namespaces that the viewer may see, and what holds for all of each. */
export function NamespacesPage() {
  const page = useCursorPage(PAGE_SIZE);
  const { data, failure, outdated, refetch } = useQuery(NAMESPACES, page.variables);
  const namespaces = data?.namespaces.nodes;
  return (
    <>
      <PageHeader title="Namespaces" lead="What holds for all agents of a business domain." />
      {failure !== undefined && <FailureNotice failure={failure} onRetry={refetch} />}
      {namespaces === undefined && failure === undefined && <RowsSkeleton />}
      {namespaces?.length === 0 && <Empty title="No namespaces">There is none that you may see.</Empty>}
      {namespaces !== undefined && namespaces.length > 0 && (
        <DataTable
          label="Namespaces"
          stale={outdated}
          head={
            <>
              <th scope="col">Namespace</th>
              <th scope="col">New versions</th>
              <th scope="col" data-wide>
                Description
              </th>
            </>
          }
        >
          {namespaces.map(({ id, description, canary }) => (
            <tr key={id}>
              <th scope="row">
                <NsLink href={`/namespaces/${id}`} size="sm">
                  {id}
                </NsLink>
              </th>
              <td>{canarySummary(canary)}</td>
              <td data-wide>{description}</td>
            </tr>
          ))}
        </DataTable>
      )}
      <Pager page={page} info={data?.namespaces.pageInfo} count={namespaces?.length ?? 0} noun="namespaces" />
    </>
  );
}
