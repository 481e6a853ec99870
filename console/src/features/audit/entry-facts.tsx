import type { ReactNode } from 'react';
import { Facts } from '@/ui/facts';
import { duration } from '@/ui/format';
import { Mono } from '@/ui/mono';
import { NsLink } from '@/ui/ns-link';
import { Time } from '@/ui/time';
import type { AuditEntry } from './audit.operations';

/** Who, what, when: what every entry has. Values lead to the other entries that share them. */
export function EntryFacts({ entry }: { entry: AuditEntry }) {
  const search = (param: string, value: string) => (
    <NsLink href={`/audit?range=all&${param}=${encodeURIComponent(value)}`} size="sm">
      <Mono>{value}</Mono>
    </NsLink>
  );
  const facts: (readonly [string, ReactNode])[] = [
    ['Time', <Time key="time" iso={entry.occurredAt} dated />],
    ['Caller', search('caller', entry.actor)],
    ...(entry.onBehalfOf === null ? [] : [['On behalf of', <Mono key="for">{entry.onBehalfOf}</Mono>] as const]),
    ...(entry.target === '' ? [] : [['Target', search('target', entry.target)] as const]),
    ...(entry.capability === null ? [] : [['Capability', search('capability', entry.capability)] as const]),
    ...(entry.instance === null
      ? []
      : [['Instance', <InstanceLink key="instance" instance={entry.instance} />] as const]),
    ...(entry.durationMs === null ? [] : [['Duration', duration(entry.durationMs)] as const]),
    ...(entry.attempts === null ? [] : [['Attempts', entry.attempts] as const]),
    ...(entry.requestId === null ? [] : [['Request id', search('request', entry.requestId)] as const]),
    ...(entry.traceId === null ? [] : [['Trace id', search('trace', entry.traceId)] as const]),
    ['Namespace', entry.namespace === '' ? '–' : entry.namespace],
  ];
  return <Facts facts={facts} />;
}

function InstanceLink({ instance }: { instance: string }) {
  const agent = instance.slice(0, instance.lastIndexOf('/'));
  return (
    <NsLink href={`/agents/${agent}`} size="sm">
      <Mono>{instance}</Mono>
    </NsLink>
  );
}
