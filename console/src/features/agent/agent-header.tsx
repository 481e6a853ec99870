import { Group, Text } from '@mantine/core';
import { agentState } from '@/features/agents/live-agent';
import type { InstanceHealth } from '@/features/live/health-change';
import type { Action } from '@/features/shell/use-rights';
import { GuardedButton, type Right } from '@/ui/guarded-button';
import { Mark } from '@/ui/mark';
import { NsLink } from '@/ui/ns-link';
import { PageHeader } from '@/ui/page-header';
import { HealthMark } from '@/ui/states';
import type { AgentDetail } from './agent.operations';
import { labelTexts } from './label-texts';
import type { Steering } from './steering';

/** Who the agent is, in what state and why, and what can be done to it as a whole. */
export function AgentHeader({
  agent,
  live,
  right,
  onSteer,
}: {
  agent: AgentDetail;
  live: ReadonlyMap<string, InstanceHealth> | undefined;
  right: (action: Action) => Right;
  onSteer: (steering: Steering) => void;
}) {
  const state = agentState(agent, live);
  const labels = labelTexts({ ...agent.labels, ...agent.labelOverrides });
  const subject = { is: 'agent', ref: agent.ref } as const;
  return (
    <PageHeader
      above={
        <Text size="xs" c="dimmed">
          <NsLink href="/agents" size="xs">
            Agents
          </NsLink>{' '}
          / {agent.namespace}
        </Text>
      }
      title={agent.ref}
      lead={
        <>
          <Group
            gap="md"
            wrap="nowrap"
            align="baseline"
            mb={4}
            c="var(--mantine-color-text)"
            role="status"
            aria-label="State of the agent"
          >
            <HealthMark health={state.health} />
            {agent.paused && (
              <Mark tone="warn" shape="pause">
                Paused
              </Mark>
            )}
            <Text size="sm">{state.healthReason}</Text>
          </Group>
          {agent.versions.map(
            ({ id, version, canary }) =>
              canary?.state === 'RETURNED' && (
                <Text key={id} size="sm" component="div" role="alert" c="var(--mantine-color-text)" mb={4}>
                  <Mark tone="bad" shape="cross">
                    Version {version} was returned to staging: {canary.reason}
                  </Mark>
                </Text>
              ),
          )}
          {agent.description !== '' && <div>{agent.description}</div>}
          <Text size="xs" mt={4}>
            {agent.type} · {agent.kind.toLowerCase()} · owner {agent.owner === '' ? 'not named' : agent.owner} ·{' '}
            {state.readyCount} of {state.instanceCount} instances ready · {state.inFlight} in flight
            {labels.map((label) => ` · ${label}`)}
          </Text>
        </>
      }
      actions={
        <>
          <GuardedButton
            variant="default"
            needs={right('agents.drain')}
            onClick={() => onSteer({ verb: 'drain', subject })}
          >
            Drain agent
          </GuardedButton>
          {agent.paused ? (
            <GuardedButton needs={right('agents.drain')} onClick={() => onSteer({ verb: 'resume', subject })}>
              Resume agent
            </GuardedButton>
          ) : (
            <GuardedButton
              variant="default"
              needs={right('agents.drain')}
              onClick={() => onSteer({ verb: 'pause', subject })}
            >
              Pause agent
            </GuardedButton>
          )}
        </>
      }
    />
  );
}
