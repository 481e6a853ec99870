import { Group, Text } from '@mantine/core';
import { StageFunnel } from '@/features/audit/stage-funnel';
import { Mono } from '@/ui/mono';
import { NsLink } from '@/ui/ns-link';
import { Section } from '@/ui/section';
import { OutcomeMark } from '@/ui/states';
import { CandidateTable } from './candidate-table';
import type { RouteExplanation } from './explain.operations';

/** The router's answer. */
export function Explanation({ explanation }: { explanation: RouteExplanation }) {
  const { outcome, chosen, message, policy, stages, candidates } = explanation;
  return (
    <>
      <div role="status" aria-label="Decision">
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
          By the policy{' '}
          {policy.id === null ? (
            policy.name
          ) : (
            <NsLink href={`/policies/${policy.id}`} size="xs">
              {policy.name}
            </NsLink>
          )}
          , version {policy.version}, strategy {policy.strategy}.
        </Text>
      </div>
      <Section title="Candidates" note="Every instance that the target could mean, and how far it came.">
        <CandidateTable candidates={candidates} chosen={chosen} />
      </Section>
      <Section title="Stages">
        <div style={{ maxWidth: 560 }}>
          <StageFunnel stages={stages} />
        </div>
      </Section>
    </>
  );
}
