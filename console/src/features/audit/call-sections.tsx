import { SimpleGrid, Text } from '@mantine/core';
import { CallError } from '@/ui/call-error';
import { Mono } from '@/ui/mono';
import { NsLink } from '@/ui/ns-link';
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
      {details.taskId !== undefined && <TaskWords taskId={details.taskId} by={details.cancelledBy} />}
      {entry.action !== 'task' && <CallAttempts entry={entry} details={details} />}
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

function CallAttempts({ entry, details }: { entry: AuditEntry; details: CallDetails }) {
  return (
    <Section title="Attempts" note="Each on the instance that was chosen for it, on the time line of the call.">
      {details.attempts.length === 0 ? (
        <Text size="sm" c="dimmed">
          {withoutAttempts(entry.outcome)}
        </Text>
      ) : (
        <AttemptTimeline attempts={details.attempts} totalMs={entry.durationMs ?? 0} />
      )}
    </Section>
  );
}

function withoutAttempts(outcome: string): string {
  if (outcome === 'OK') return 'None: the answer needed no instance.';
  if (outcome === 'OUTCOME_UNKNOWN')
    return 'None by this server: what an earlier call or server sent is what is not known.';
  return 'None: the call ended before it was sent to anybody.';
}

/** The task that the call was accepted as, or whose end this is. */
function TaskWords({ taskId, by }: { taskId: string; by: string | undefined }) {
  return (
    <Text size="sm" mt="md">
      It is about the task{' '}
      <NsLink href={`/tasks/${encodeURIComponent(taskId)}`} size="sm">
        <Mono>{taskId}</Mono>
      </NsLink>
      {by === undefined ? '.' : `, which was cancelled by ${by}.`}
    </Text>
  );
}

const FALLBACKS: Readonly<Record<string, string>> = {
  AGENT: 'The call failed, and the backup agent of its policy answered.',
  STALE: 'The call failed, and the last good answer was given, which is no longer fresh.',
  ANSWER: 'The call failed, and the fixed answer of its policy was given.',
};

/** What the caller said, where that is not plainly the capability's name, and where the answer came from. */
function CallWords({ details: { replayed, cached, fallback, alias, need } }: { details: CallDetails }) {
  const sentences = [
    replayed ? 'The answer of an earlier call with the same request id was given again.' : undefined,
    cached ? 'The remembered answer of an equal call was given.' : undefined,
    fallback === undefined ? undefined : FALLBACKS[fallback],
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
