'use client';

import { Text } from '@mantine/core';
import { duration } from '@/ui/format';
import { Mono } from '@/ui/mono';
import { NsLink } from '@/ui/ns-link';
import { Ago } from '@/ui/time';
import { draftOf, valueAt } from './draft/policy-draft';
import { strategyLabel } from './draft/strategies';
import type { PolicyDetail } from './policies.operations';
import { RolloutBadge } from './rollout-badge';
import { restOfCalls } from './save/rest-of-calls';

/** One policy of the list: what it is for, how it chooses, and for how many of the calls. */
export function PolicyRow({ policy }: { policy: PolicyDetail }) {
  const draft = draftOf(policy.content);
  const timeoutMs = valueAt(draft, 'timeoutMs');
  const tags = valueAt(draft, 'match.tags');
  return (
    <tr>
      <th scope="row">
        <NsLink href={`/policies/${policy.id}`} size="sm" fw={500}>
          {policy.name}
        </NsLink>
        <Text size="xs" c="dimmed">
          {policy.namespace}
        </Text>
      </th>
      <td>
        <Mono>{String(valueAt(draft, 'match.capability'))}</Mono>
        <Text size="xs" c="dimmed">
          from <Mono>{String(valueAt(draft, 'match.caller'))}</Mono>
          {Array.isArray(tags) && tags.length > 0 && ` · tags ${tags.join(', ')}`}
        </Text>
      </td>
      <td>
        {strategyLabel(valueAt(draft, 'strategy.name'))}
        <Text size="xs" c="dimmed">
          {settingsText(valueAt(draft, 'strategy'))}
        </Text>
      </td>
      <td>
        <NsLink href={`/policies/${policy.id}?tab=versions`} size="sm">
          version {policy.version}
        </NsLink>
        <div>
          <RolloutBadge percent={policy.rolloutPercent} />
        </div>
        {policy.rolloutPercent < 100 && (
          <Text size="xs" c="dimmed">
            others: {restOfCalls(policy.stableVersion)}
          </Text>
        )}
      </td>
      <td data-number data-wide>
        {typeof timeoutMs === 'number' ? duration(timeoutMs) : 'derived'}
        <Text size="xs" c="dimmed">
          worst {duration(policy.worstCaseMs)}
        </Text>
      </td>
      <td data-wider>
        <Ago iso={policy.updatedAt} />
        <Text size="xs" c="dimmed">
          {policy.author}
        </Text>
      </td>
    </tr>
  );
}

/** What a strategy's settings come to, where a few words can tell. */
function settingsText(strategy: unknown): string {
  const { agents, spillPercent } = (typeof strategy === 'object' && strategy !== null ? strategy : {}) as Readonly<
    Record<string, unknown>
  >;
  if (typeof spillPercent === 'number') return `spills at most ${spillPercent} %`;
  if (!Array.isArray(agents)) return '';
  return agents.map(({ agent, ratio }: { agent: string; ratio: number }) => `${agent} ${ratio} %`).join(', ');
}
