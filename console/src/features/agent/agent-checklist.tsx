'use client';

import { Text } from '@mantine/core';
import { useFreshFigures } from '@/features/live/use-fresh-figures';
import { useRefetchOnChange } from '@/features/live/use-refetch-on-change';
import { useQuery } from '@/graphql/use-query';
import { Mark } from '@/ui/mark';
import { NsLink } from '@/ui/ns-link';
import { Section } from '@/ui/section';
import { AGENT_CHECKLIST, type ChecklistItem } from './agent.operations';
import classes from './agent-checklist.module.css';

/** What an agent still lacks to get calls; nothing once it lacks nothing. */
export function AgentChecklist({ agent }: { agent: string }) {
  const { data, refetch } = useQuery(AGENT_CHECKLIST, { ref: agent });
  useRefetchOnChange(refetch);
  useFreshFigures(refetch);
  const items = data?.agent?.checklist ?? [];
  const needed = items.filter(({ advice }) => !advice);
  const done = needed.filter((item) => item.done).length;
  if (done === needed.length) return null;
  return (
    <Section title="What it needs to get calls" note={`${done} of ${needed.length} done`}>
      <ol className={classes.list} aria-label="Checklist">
        {items.map((item) => (
          <Item key={item.item} item={item} />
        ))}
      </ol>
    </Section>
  );
}

function Item({ item: { item, done, advice, text, fix } }: { item: ChecklistItem }) {
  return (
    <li className={classes.item} data-done={done || undefined}>
      <span className={classes.state}>
        {done ? (
          <Mark tone="good" shape="check">
            {TITLES[item]}
          </Mark>
        ) : (
          <Mark tone={advice ? 'idle' : 'warn'} shape={advice ? 'bar' : 'ring'}>
            {TITLES[item]}
          </Mark>
        )}
      </span>
      <Text size="sm" span>
        {advice && !done ? `Advice: ${text}` : text}{' '}
        {fix !== null && (
          <NsLink href={fix.path} size="sm">
            {fix.label}
          </NsLink>
        )}
      </Text>
    </li>
  );
}

const TITLES: Record<ChecklistItem['item'], string> = {
  CREDENTIAL: 'May join',
  CONNECTED: 'Connected',
  DECLARED: 'Capabilities',
  DESCRIBED: 'Schemas',
  VERIFIED: 'Verified',
  READY: 'Ready',
  IN_SERVICE: 'In service',
  IN_PRODUCTION: 'In production',
  PERMITTED: 'May be called',
  CALLED: 'Called',
};
