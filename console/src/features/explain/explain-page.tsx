'use client';

import { useShell } from '@/features/shell/shell-context';
import { useQuery } from '@/graphql/use-query';
import { Empty } from '@/ui/empty';
import { FailureNotice } from '@/ui/failure-notice';
import { PageHeader } from '@/ui/page-header';
import { RowsSkeleton } from '@/ui/rows-skeleton';
import { useUrlState } from '@/ui/url-state';
import { EXPLAIN_ROUTE } from './explain.operations';
import { ExplainForm } from './explain-form';
import { Explanation } from './explanation';
import { inputOf, isComplete, PARTS, type Question, readQuestion } from './question';

/** Where a call would go now, and why: the router's own decision, asked without making the call. */
export function ExplainPage() {
  const url = useUrlState();
  const { namespace, namespaces } = useShell();
  const asked = readQuestion(url, namespace ?? namespaces[0]?.id ?? '');
  const complete = isComplete(asked);
  const { data, failure, loading, outdated, refetch } = useQuery(
    EXPLAIN_ROUTE,
    { input: inputOf(asked) },
    { skip: !complete },
  );
  const current = complete && !outdated;

  const ask = (question: Question) => {
    if (PARTS.every((part) => question[part] === asked[part])) refetch();
    else url.set(question, { push: true });
  };
  return (
    <>
      <PageHeader
        title="Explain a route"
        lead="Where a call would go now, and why each candidate was kept or dropped. The router itself answers; no call is made."
      />
      <ExplainForm
        key={JSON.stringify(asked)}
        label="Explain a route"
        submitLabel="Explain"
        asked={asked}
        namespaces={namespaces.map(({ id }) => id)}
        running={complete && loading}
        onAsk={ask}
      />
      {!complete && (
        <Empty title="Name a caller and what it calls">
          A capability alone is enough; an agent or a type narrows it. For a call that was already made, its page in
          Audit shows the decision as it was taken then.
        </Empty>
      )}
      {current && failure !== undefined && <FailureNotice failure={failure} onRetry={refetch} />}
      {complete && data === undefined && failure === undefined && <RowsSkeleton />}
      {current && failure === undefined && data !== undefined && <Explanation explanation={data.explainRoute} />}
    </>
  );
}
