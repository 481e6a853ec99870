import { ERRORS } from '@agent-reach/sdk/protocol';
import { Alert, SimpleGrid, Text } from '@mantine/core';
import { JsonView } from '@/ui/json-view';
import { Section } from '@/ui/section';
import { AttemptTimeline } from './attempt-timeline';
import type { AuditEntry } from './audit.operations';
import { type CallDetails, readCallDetails } from './entry-details';
import { StageFunnel } from './stage-funnel';
import { TopScores } from './top-scores';

/** A call: what went wrong, its attempts in time, and why that instance. */
export function CallSections({ entry }: { entry: AuditEntry }) {
  const details = readCallDetails(entry.details);
  return (
    <>
      {details.error !== undefined && <CallError error={details.error} />}
      <CallWords details={details} />
      <Section title="Attempts" note="Each on the instance that was chosen for it, on the time line of the call.">
        {details.attempts.length === 0 ? (
          <Text size="sm" c="dimmed">
            None:{' '}
            {entry.outcome === 'OK'
              ? 'the answer needed no instance.'
              : 'the call ended before it was sent to anybody.'}
          </Text>
        ) : (
          <AttemptTimeline attempts={details.attempts} totalMs={entry.durationMs ?? 0} />
        )}
      </Section>
      {(details.stages.length > 0 || details.top.length > 0) && (
        <Section
          title={details.top.length > 0 ? 'Why that instance' : 'Where the candidates fell'}
          note={
            details.policy === undefined
              ? undefined
              : `By the policy ${details.policy.name}${details.policy.version === null ? '' : `, version ${details.policy.version}`}, strategy ${details.policy.strategy}. As recorded then, not computed again.`
          }
        >
          <SimpleGrid cols={{ base: 1, md: 2 }} style={{ alignItems: 'start' }}>
            <StageFunnel stages={details.stages} />
            <TopScores top={details.top} chosen={entry.instance} />
          </SimpleGrid>
        </Section>
      )}
    </>
  );
}

/** What the caller said, where that is not plainly the capability's name, and whether an earlier answer was given. */
function CallWords({ details: { replayed, alias, need } }: { details: CallDetails }) {
  const sentences = [
    replayed ? 'The answer of an earlier call with the same request id was given again.' : undefined,
    alias === undefined ? undefined : `It was called by the alias ${alias}.`,
    need === undefined ? undefined : `The caller asked for: “${need}”.`,
  ].filter((sentence) => sentence !== undefined);
  if (sentences.length === 0) return null;
  return (
    <Text size="sm" mt="md">
      {sentences.join(' ')}
    </Text>
  );
}

function CallError({ error }: { error: NonNullable<CallDetails['error']> }) {
  const known = Object.entries(ERRORS).find(([code]) => code === error.code)?.[1];
  return (
    <Alert color="red" variant="light" title={error.code} mt="md">
      <Text size="sm">{error.message}</Text>
      {known !== undefined && (
        <Text size="sm" c="dimmed">
          {known.advice}
        </Text>
      )}
      {error.details !== undefined && error.details !== null && (
        <JsonView value={error.details} label="Details of the error" maxHeight={180} />
      )}
    </Alert>
  );
}
