'use client';

import { Alert, SimpleGrid, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { faultText } from '@/ui/form-faults';
import { Section } from '@/ui/section';
import type { Draft } from './draft/use-draft';
import type { ServerCheck } from './draft/use-server-check';
import { DraftEditor } from './form/draft-editor';

/** The draft to be edited, and what it comes to. */
export function EditPanel({
  draft,
  wasKept,
  server,
  notes,
  above,
}: {
  draft: Draft;
  wasKept: boolean;
  server: ServerCheck;
  notes: ReactNode;
  above: ReactNode;
}) {
  const serverFaults = Object.fromEntries(
    (server.check?.faults ?? []).map((fault) => [fault.path.replace(/^content\./, ''), faultText(fault)]),
  );
  const nameFault = server.check?.faults.find(({ path }) => path === 'name');
  return (
    <>
      {wasKept && draft.changes.length > 0 && (
        <Alert color="blue" variant="light" mb="sm" title="Your draft of before is still here">
          It was not saved. Discard it at the end of the page to start from what is in force.
        </Alert>
      )}
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm" mb="md">
        <TextInput
          label="Policy name"
          autoComplete="off"
          value={draft.name}
          onChange={({ currentTarget }) => draft.setName(currentTarget.value)}
          maxLength={100}
          error={
            draft.name.trim() === ''
              ? draft.changes.length > 0 && 'A policy needs a name'
              : nameFault !== undefined && faultText(nameFault)
          }
        />
        {above}
      </SimpleGrid>
      <DraftEditor draft={draft} serverFaults={serverFaults} />
      <Section title="What it comes to">{notes}</Section>
    </>
  );
}
