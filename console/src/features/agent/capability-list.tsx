'use client';

import { Accordion, Badge, Group, SimpleGrid, Text } from '@mantine/core';
import { Empty } from '@/ui/empty';
import { duration } from '@/ui/format';
import { Mono } from '@/ui/mono';
import { NsLink } from '@/ui/ns-link';
import { useUrlState } from '@/ui/url-state';
import type { CapabilityDetail } from './agent.operations';
import { SchemaView } from './schema-view';

/** What the agent can do: each capability with its schemas. The opened one is part of the address. */
export function CapabilityList({ agent, capabilities }: { agent: string; capabilities: readonly CapabilityDetail[] }) {
  const url = useUrlState();
  if (capabilities.length === 0) {
    return (
      <Empty title="No capability is known yet">
        An instance declares them when it registers: a name, a description that says when to use it and what it answers,
        and the schema of its parameters.
      </Empty>
    );
  }
  return (
    <Accordion
      variant="contained"
      value={url.get('capability') ?? null}
      onChange={(value) => url.set({ capability: value })}
    >
      {capabilities.map((capability) => (
        <Accordion.Item key={capability.id} value={capability.name}>
          <Accordion.Control>
            <Group gap="xs">
              <Text fw={500} size="sm">
                <Mono>{capability.name}</Mono>
              </Text>
              <Facts capability={capability} />
            </Group>
            <Text size="sm" c="dimmed" lineClamp={2}>
              {capability.description}
            </Text>
          </Accordion.Control>
          <Accordion.Panel>
            <Text size="xs" c="dimmed" mb="sm">
              {details(capability).join(' · ')} ·{' '}
              <NsLink href={explainHref(agent, capability.name)} size="xs">
                Explain a route to it
              </NsLink>
            </Text>
            <SimpleGrid cols={{ base: 1, lg: 2 }} style={{ alignItems: 'start' }}>
              <SchemaView schema={capability.inputSchema} title="Parameters" owner={capability.name} />
              <SchemaView schema={capability.outputSchema} title="Result" owner={capability.name} />
            </SimpleGrid>
          </Accordion.Panel>
        </Accordion.Item>
      ))}
    </Accordion>
  );
}

/** The question of who would get a call of this capability, for a caller yet to be named. */
function explainHref(agent: string, capability: string): string {
  const [namespace = '', id = ''] = agent.split('/');
  return `/explain?${new URLSearchParams({ namespace, agent: id, capability })}`;
}

function Facts({ capability }: { capability: CapabilityDetail }) {
  const facts = [
    capability.idempotent ? 'idempotent' : 'not idempotent',
    ...(capability.mode === 'TASK' ? ['task'] : []),
    ...capability.tags,
  ];
  return facts.map((fact) => (
    <Badge key={fact} variant="default" c="dimmed" size="sm" radius="sm" tt="none" fw={400}>
      {fact}
    </Badge>
  ));
}

function details(capability: CapabilityDetail): string[] {
  return [
    `version ${capability.agentVersion}`,
    capability.aliases.length > 0 ? `also called ${capability.aliases.join(', ')}` : 'no other name',
    capability.cacheTtlMs > 0
      ? `cached for ${duration(capability.cacheTtlMs)}, ${capability.callerIndependent ? 'for all callers together' : 'for each caller'}`
      : 'not cached',
    ...(capability.sensitive.length > 0 ? [`sensitive parameters: ${capability.sensitive.join(', ')}`] : []),
    ...(capability.headers.length > 0 ? [`passes on headers: ${capability.headers.join(', ')}`] : []),
  ];
}
