'use client';

import { useQuery } from '@/graphql/use-query';
import { Empty } from '@/ui/empty';
import { FailureNotice } from '@/ui/failure-notice';
import { NsLink } from '@/ui/ns-link';
import { RowsSkeleton } from '@/ui/rows-skeleton';
import { POLICY } from './policies.operations';
import { PolicyWorkspace } from './policy-workspace';

/** One policy, to be read and changed. */
export function PolicyPage({ id }: { id: string }) {
  const { data, failure, refetch } = useQuery(POLICY, { id });
  if (data === undefined)
    return failure === undefined ? <RowsSkeleton /> : <FailureNotice failure={failure} onRetry={refetch} />;
  if (data.policy === null) {
    return (
      <Empty
        title="There is no such policy"
        action={
          <NsLink href="/policies" size="sm">
            All policies
          </NsLink>
        }
      >
        It was deleted, or belongs to a namespace that you may not see.
      </Empty>
    );
  }
  return <PolicyWorkspace policy={data.policy} />;
}
