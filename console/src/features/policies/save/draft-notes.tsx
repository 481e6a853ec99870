import { Alert, List, Text } from '@mantine/core';
import type { RequestFailure } from '@/graphql/failure';
import { duration } from '@/ui/format';

/** How long a call can take under the draft, and what is allowed but probably not meant so. */
export function DraftNotes({
  worstCaseMs,
  derived,
  warnings,
  failure,
}: {
  worstCaseMs: number | undefined;
  /** Whether the timeout is derived from recent calls. */
  derived: boolean;
  warnings: readonly string[];
  /** Why the server could not check it. */
  failure: RequestFailure | undefined;
}) {
  return (
    <>
      <Text size="sm" role="status" aria-label="Worst case">
        {worstCaseMs === undefined
          ? 'The worst case is shown when every field is valid.'
          : `In the worst case a call takes ${duration(worstCaseMs)}: every attempt, at backup agents too, to its timeout${derived ? ' (up to 5 min each while it is derived from recent calls)' : ''}, and the longest waits before and between.`}
      </Text>
      {failure !== undefined && (
        <Text size="sm" c="var(--reach-warn)">
          The server could not check the draft: {failure.message}
        </Text>
      )}
      {warnings.length > 0 && (
        <Alert color="yellow" variant="light" title="Allowed, but probably not meant so" my="sm">
          <List size="sm">
            {warnings.map((warning) => (
              <List.Item key={warning}>{warning}</List.Item>
            ))}
          </List>
        </Alert>
      )}
    </>
  );
}
