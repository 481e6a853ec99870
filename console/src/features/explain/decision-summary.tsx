import { Alert, Group, List, Text } from '@mantine/core';
import { Mono } from '@/ui/mono';
import { NsLink } from '@/ui/ns-link';
import { OutcomeMark } from '@/ui/states';
import type { RouteExplanation } from './explain.operations';
import { rolloutText } from './words';

/** What was decided, in a sentence, by which version of which policy, and what nobody can tell. */
export function DecisionSummary({
  explanation,
  draftId,
}: {
  explanation: RouteExplanation;
  /** The id of the policy that isn't saved, where one took part. */
  draftId?: string;
}) {
  const { outcome, chosen, message, policy, rollout, canaryPercent, binding, unknown } = explanation;
  return (
    <>
      <Group gap="sm">
        <OutcomeMark outcome={outcome} />
        {chosen !== null && (
          <Text size="sm" fw={500}>
            <Mono>{chosen}</Mono>
          </Text>
        )}
        <Text size="sm">{message}</Text>
      </Group>
      <Text size="xs" c="dimmed" mt={4}>
        <PolicyUsed policy={policy} isDraft={policy.id !== null && policy.id === draftId} />
        {rollout !== null && ` ${rolloutText(policy.version, rollout)}`}
        {canaryPercent !== null && ` ${canaryPercent} % of such calls are for canaries, where there are any.`}
      </Text>
      {binding !== null && (
        <Text size="xs" c="dimmed">
          <Binding binding={binding} />
        </Text>
      )}
      {unknown.length > 0 && (
        <Alert color="yellow" variant="light" mt="xs" title="Unknown">
          <List size="sm">
            {unknown.map((sentence) => (
              <List.Item key={sentence}>{sentence}</List.Item>
            ))}
          </List>
        </Alert>
      )}
    </>
  );
}

function PolicyUsed({ policy, isDraft }: { policy: RouteExplanation['policy']; isDraft: boolean }) {
  if (isDraft) return <>By the draft, strategy {policy.strategy}.</>;
  return (
    <>
      By the policy{' '}
      {policy.id === null ? (
        policy.name
      ) : (
        <NsLink href={`/policies/${policy.id}`} size="xs">
          {policy.name}
        </NsLink>
      )}
      , version {policy.version}, strategy {policy.strategy}.
    </>
  );
}

function Binding({ binding: { instance, kind, from } }: { binding: NonNullable<RouteExplanation['binding']> }) {
  switch (kind) {
    case 'KEPT':
      return (
        <>
          Its affinity key stays with <Mono>{instance}</Mono>.
        </>
      );
    case 'NEW':
      return (
        <>
          Its affinity key would be bound to <Mono>{instance}</Mono>.
        </>
      );
    case 'MOVED':
      return (
        <>
          Its affinity key moves from {from === null ? 'an instance' : <Mono>{from}</Mono>}, which is lost, to{' '}
          <Mono>{instance}</Mono>.
        </>
      );
    default:
      return kind satisfies never;
  }
}
