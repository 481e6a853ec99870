'use client';

import { Text } from '@mantine/core';
import { useQuery } from '@/graphql/use-query';
import { Empty } from '@/ui/empty';
import { FailureNotice } from '@/ui/failure-notice';
import { JsonView } from '@/ui/json-view';
import { NsLink } from '@/ui/ns-link';
import { PageHeader } from '@/ui/page-header';
import { RowsSkeleton } from '@/ui/rows-skeleton';
import { Section } from '@/ui/section';
import { OutcomeMark } from '@/ui/states';
import { AUDIT_ENTRY, type AuditEntry } from './audit.operations';
import { CallSections } from './call-sections';
import { ChangeSections } from './change-sections';
import { EntryFacts } from './entry-facts';
import { ReasonSections } from './reason-sections';

/** One audit entry, at an address of its own. */
export function EntryPage({ sequence }: { sequence: string }) {
  const { data, failure, refetch } = useQuery(AUDIT_ENTRY, { sequence });
  if (data === undefined)
    return failure === undefined ? <RowsSkeleton /> : <FailureNotice failure={failure} onRetry={refetch} />;
  const entry = data.auditEntry;
  if (entry === null) {
    return (
      <Empty
        title={`There is no entry #${sequence}`}
        action={
          <NsLink href="/audit" size="sm">
            All entries
          </NsLink>
        }
      >
        It is older than the retention, was never written, or belongs to a namespace that you may not see.
      </Empty>
    );
  }
  return (
    <>
      <PageHeader
        above={
          <Text size="xs" c="dimmed">
            <NsLink href="/audit" size="xs">
              Audit
            </NsLink>{' '}
            / #{entry.sequence}
          </Text>
        }
        title={titleOf(entry)}
        lead={<OutcomeMark outcome={entry.outcome} />}
      />
      <EntryFacts entry={entry} />
      <Body entry={entry} />
      <Section title="Details as recorded">
        <JsonView value={entry.details} label="Details" />
      </Section>
    </>
  );
}

function Body({ entry }: { entry: AuditEntry }) {
  switch (entry.kind) {
    case 'CALL':
      return <CallSections entry={entry} />;
    case 'CHANGE':
      return <ChangeSections entry={entry} />;
    case 'TRANSITION':
    case 'REFUSAL':
      return <ReasonSections entry={entry} />;
  }
}

function titleOf(entry: AuditEntry): string {
  switch (entry.kind) {
    case 'CALL':
      if (entry.action === 'task') return `End of a task of ${entry.capability ?? 'an agent'}`;
      return entry.capability === null ? 'Call' : `Call of ${entry.capability}`;
    case 'CHANGE':
      return `Change: ${entry.action}`;
    case 'TRANSITION':
      return `Transition: ${entry.action}`;
    case 'REFUSAL':
      return `Refusal: ${entry.action}`;
  }
}
