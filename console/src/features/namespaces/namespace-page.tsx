'use client';

import { Text } from '@mantine/core';
import { useRights } from '@/features/shell/use-rights';
import { useQuery } from '@/graphql/use-query';
import { Empty } from '@/ui/empty';
import { FailureNotice } from '@/ui/failure-notice';
import { NsLink } from '@/ui/ns-link';
import { PageHeader } from '@/ui/page-header';
import { RowsSkeleton } from '@/ui/rows-skeleton';
import { CanaryForm } from './canary-form';
import { NAMESPACE } from './namespaces.operations';

/** What holds for all agents of one namespace. */
export function NamespacePage({ id }: { id: string }) {
  const { data, failure, refetch } = useQuery(NAMESPACE, { id });
  const right = useRights(id);
  if (data === undefined)
    return failure === undefined ? <RowsSkeleton /> : <FailureNotice failure={failure} onRetry={refetch} />;
  const all = (
    <NsLink href="/namespaces" size="xs">
      Namespaces
    </NsLink>
  );
  if (data.namespace === null) {
    return (
      <Empty title={`There is no namespace ${id}`} action={all}>
        It doesn't exist, or you may not see it.
      </Empty>
    );
  }
  return (
    <>
      <PageHeader
        above={
          <Text size="xs" c="dimmed">
            {all} / {id}
          </Text>
        }
        title={id}
        lead={data.namespace.description}
      />
      <CanaryForm namespace={data.namespace} needs={right('namespaces.write')} onSaved={refetch} />
    </>
  );
}
