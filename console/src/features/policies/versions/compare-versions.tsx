'use client';

import { Text } from '@mantine/core';
import { useQuery } from '@/graphql/use-query';
import { ChangeTable } from '@/ui/change-table';
import { FailureNotice } from '@/ui/failure-notice';
import { RowsSkeleton } from '@/ui/rows-skeleton';
import { Section } from '@/ui/section';
import { POLICY_DIFF } from './versions.operations';

/** Two versions side by side, reduced to the fields in which they differ. */
export function CompareVersions({ id, from, to }: { id: string; from: number; to: number }) {
  const { data, failure, outdated, refetch } = useQuery(POLICY_DIFF, { id, from, to });
  const changes = outdated ? undefined : data?.policyDiff;
  return (
    <Section title={`Version ${from} and version ${to}`}>
      {failure !== undefined && !outdated && <FailureNotice failure={failure} onRetry={refetch} />}
      {changes === undefined && (failure === undefined || outdated) && <RowsSkeleton rows={3} />}
      {changes?.length === 0 && (
        <Text size="sm" c="dimmed">
          {from === to ? 'Both marks are on the same version; mark another one.' : 'They say the same.'}
        </Text>
      )}
      {changes !== undefined && changes.length > 0 && (
        <ChangeTable
          label="Compared versions"
          changes={changes}
          beforeTitle={`Version ${from}`}
          afterTitle={`Version ${to}`}
          nullIsAbsent
        />
      )}
    </Section>
  );
}
