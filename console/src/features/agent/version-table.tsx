'use client';

import { Group, Text } from '@mantine/core';
import { useState } from 'react';
import type { Action } from '@/features/shell/use-rights';
import type { Domain } from '@/graphql/types';
import { DataTable } from '@/ui/data-table';
import type { Right } from '@/ui/guarded-button';
import { Mono } from '@/ui/mono';
import { Section } from '@/ui/section';
import { Time } from '@/ui/time';
import type { AgentDetail, AgentVersion } from './agent.operations';
import { CanaryActions } from './canary-actions';
import { CanaryStatus } from './canary-status';
import { type DomainChange, DomainDialog } from './domain-dialog';
import { DOMAIN_WORDS, DomainMark } from './domain-mark';
import { DomainMenu } from './domain-menu';

/** The versions of an agent, and which traffic each gets. */
export function VersionTable({
  agent,
  right,
  onChanged,
}: {
  agent: AgentDetail;
  right: (action: Action) => Right;
  onChanged: () => void;
}) {
  const [change, setChange] = useState<DomainChange>();
  return (
    <Section title="Versions" note="Which traffic each version of its code gets. Registering again doesn't change it.">
      <DataTable
        label="Versions"
        head={
          <>
            <th scope="col">Version</th>
            <th scope="col">Domain</th>
            <th scope="col" data-number>
              Instances
            </th>
            <th scope="col" data-wide>
              First registered
            </th>
            <th scope="col" data-tight>
              Actions
            </th>
          </>
        }
      >
        {agent.versions.map((version) => {
          const actions = {
            version,
            needs: right('agents.write'),
            onChoose: (to: Domain) => setChange({ version: version.version, from: version.domain, to }),
          };
          return (
            <tr key={version.id}>
              <th scope="row">
                <Mono>{version.version}</Mono>
              </th>
              <td>
                <DomainMark domain={version.domain} />
                <Text size="xs" c="dimmed">
                  {DOMAIN_WORDS[version.domain].effect}
                </Text>
                {version.canary !== null && <CanaryStatus canary={version.canary} />}
              </td>
              <td data-number>{instancesOf(agent, version)}</td>
              <td data-wide>
                <Time iso={version.createdAt} />
              </td>
              <td>
                <Group gap={6} wrap="nowrap">
                  <CanaryActions {...actions} />
                  <DomainMenu {...actions} />
                </Group>
              </td>
            </tr>
          );
        })}
      </DataTable>
      {change !== undefined && (
        <DomainDialog agent={agent.ref} change={change} onClose={() => setChange(undefined)} onDone={onChanged} />
      )}
    </Section>
  );
}

function instancesOf(agent: AgentDetail, { version }: AgentVersion): number {
  return agent.instances.filter((instance) => instance.version === version).length;
}
