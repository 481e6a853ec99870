'use client';

import { Tabs } from '@mantine/core';
import { useState } from 'react';
import { useLive } from '@/features/live/live-provider';
import { useFreshFigures } from '@/features/live/use-fresh-figures';
import { useRefetchOnReasons } from '@/features/live/use-refetch-on-change';
import { useRights } from '@/features/shell/use-rights';
import { useQuery } from '@/graphql/use-query';
import { Empty } from '@/ui/empty';
import { FailureNotice } from '@/ui/failure-notice';
import { NsLink } from '@/ui/ns-link';
import { RowsSkeleton } from '@/ui/rows-skeleton';
import { useUrlState } from '@/ui/url-state';
import { AGENT } from './agent.operations';
import { AgentCalls } from './agent-calls';
import { AgentChecklist } from './agent-checklist';
import { AgentHeader } from './agent-header';
import { AgentHistory } from './agent-history';
import { AgentSettingsForm } from './agent-settings-form';
import { AgentTokens } from './agent-tokens';
import { CapabilityList } from './capability-list';
import { InstanceTable } from './instance-table';
import type { Steering } from './steering';
import { SteeringDialog } from './steering-dialog';
import { VersionTable } from './version-table';

const TABS = [
  ['instances', 'Instances'],
  ['capabilities', 'Capabilities'],
  ['calls', 'Recent calls'],
  ['tokens', 'Tokens'],
  ['settings', 'Settings'],
] as const;

/** How often the page asks while the server judges a version, which it does every second. */
const TRIAL_MS = 1_000;

/** Everything about one agent. */
export function AgentPage({ agent: ref }: { agent: string }) {
  const url = useUrlState();
  const { data, failure, refetch } = useQuery(AGENT, { ref });
  const live = useLive().agents.get(ref);
  const right = useRights(ref.split('/')[0]);
  const [steering, setSteering] = useState<Steering>();
  useRefetchOnReasons(live, refetch);
  const isTrying = data?.agent?.versions.some(({ canary }) => canary?.state === 'ON_TRIAL') === true;
  useFreshFigures(refetch, isTrying ? TRIAL_MS : undefined);

  if (data === undefined)
    return failure === undefined ? <RowsSkeleton /> : <FailureNotice failure={failure} onRetry={refetch} />;
  const { agent } = data;
  if (agent === null) {
    return (
      <Empty
        title={`There is no agent ${ref}`}
        action={
          <NsLink href="/agents" size="sm">
            All agents
          </NsLink>
        }
      >
        It was deleted, never existed, or belongs to a namespace that you may not see.
      </Empty>
    );
  }

  const tab = TABS.find(([name]) => name === url.get('tab'))?.[0] ?? 'instances';
  return (
    <>
      <AgentHeader agent={agent} live={live} right={right} onSteer={setSteering} />
      {failure !== undefined && <FailureNotice failure={failure} onRetry={refetch} />}
      <AgentChecklist agent={ref} />
      <Tabs mt="md" value={tab} onChange={(value) => url.set({ tab: value === 'instances' ? null : value })}>
        <Tabs.List mb="md" style={{ flexWrap: 'nowrap', overflowX: 'auto', overflowY: 'hidden' }}>
          {TABS.map(([name, label]) => (
            <Tabs.Tab key={name} value={name}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="instances">
          <InstanceTable agent={agent} live={live} right={right} onSteer={setSteering} />
          <AgentHistory agent={ref} history={agent.history} />
          {agent.versions.length > 0 && <VersionTable agent={agent} right={right} onChanged={refetch} />}
        </Tabs.Panel>
        <Tabs.Panel value="capabilities">
          <CapabilityList agent={ref} capabilities={agent.capabilities} />
        </Tabs.Panel>
        <Tabs.Panel value="calls">
          <AgentCalls agent={ref} />
        </Tabs.Panel>
        <Tabs.Panel value="tokens">
          <AgentTokens agent={agent} right={right} />
        </Tabs.Panel>
        <Tabs.Panel value="settings">
          <AgentSettingsForm agent={agent} right={right} onSaved={refetch} />
        </Tabs.Panel>
      </Tabs>
      <SteeringDialog steering={steering} onClose={() => setSteering(undefined)} onDone={refetch} />
    </>
  );
}
