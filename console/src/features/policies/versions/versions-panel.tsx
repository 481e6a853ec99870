'use client';

import { useState } from 'react';
import { useQuery } from '@/graphql/use-query';
import { FailureNotice } from '@/ui/failure-notice';
import type { Right } from '@/ui/guarded-button';
import { Pager } from '@/ui/pager';
import { RowsSkeleton } from '@/ui/rows-skeleton';
import { Section } from '@/ui/section';
import { useUrlState } from '@/ui/url-state';
import { useCursorPage } from '@/ui/use-cursor-page';
import type { PolicyDetail } from '../policies.operations';
import { CompareVersions } from './compare-versions';
import { RestoreDialog } from './restore-dialog';
import { VersionTable } from './version-table';
import { POLICY_VERSIONS } from './versions.operations';

const PAGE_SIZE = 25;

/** Every version of a policy: who, why and what; any two compared, any one brought back. */
export function VersionsPanel({
  policy,
  right,
  onSaved,
}: {
  policy: PolicyDetail;
  right: Right;
  onSaved: (policy: PolicyDetail) => void;
}) {
  const url = useUrlState();
  const page = useCursorPage(PAGE_SIZE);
  const { data, failure, outdated, refetch } = useQuery(POLICY_VERSIONS, { id: policy.id, ...page.variables });
  const [restoring, setRestoring] = useState<number>();
  const versions = data?.policyVersions.nodes;
  const from = versionOf(url.get('from')) ?? (policy.version > 1 ? policy.version - 1 : undefined);
  const to = versionOf(url.get('to')) ?? policy.version;
  return (
    <>
      <Section title="Versions" note="Every save is one. Mark any two to compare them.">
        {failure !== undefined && <FailureNotice failure={failure} onRetry={refetch} />}
        {versions === undefined && failure === undefined && <RowsSkeleton />}
        {versions !== undefined && (
          <VersionTable
            versions={versions}
            stale={outdated}
            policy={policy}
            compared={{ from, to }}
            right={right}
            onCompare={(patch) => url.set({ from: String(from ?? 1), to: String(to), ...patch })}
            onRestore={setRestoring}
          />
        )}
        <Pager page={page} info={data?.policyVersions.pageInfo} count={versions?.length ?? 0} noun="versions" />
      </Section>
      {from !== undefined && <CompareVersions id={policy.id} from={from} to={to} />}
      {restoring !== undefined && (
        <RestoreDialog
          policy={policy}
          version={restoring}
          onClose={() => setRestoring(undefined)}
          onRestored={(stored) => {
            setRestoring(undefined);
            url.set({ from: null, to: null, after: null, before: null });
            refetch();
            onSaved(stored);
          }}
        />
      )}
    </>
  );
}

function versionOf(text: string | undefined): number | undefined {
  const version = Number(text);
  return Number.isInteger(version) && version >= 1 ? version : undefined;
}
