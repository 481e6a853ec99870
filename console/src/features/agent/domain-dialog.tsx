'use client';

import { Text } from '@mantine/core';
import type { Domain } from '@/graphql/types';
import { useMutation } from '@/graphql/use-mutation';
import { ConfirmDialog } from '@/ui/confirm-dialog';
import { Mono } from '@/ui/mono';
import { say } from '@/ui/say';
import { SET_VERSION_DOMAIN } from './agent.operations';
import { DOMAIN_WORDS } from './domain-mark';

export interface DomainChange {
  readonly version: string;
  readonly from: Domain;
  readonly to: Domain;
}

/** Shows which traffic a version got and would get, before it is so. */
export function DomainDialog({
  agent,
  change,
  onClose,
  onDone,
}: {
  agent: string;
  change: DomainChange;
  onClose: () => void;
  onDone: () => void;
}) {
  const set = useMutation(SET_VERSION_DOMAIN);
  const { version, from, to } = change;
  const word = DOMAIN_WORDS[to].word;
  const confirm = async () => {
    const moved = await set.run({ ref: agent, version, domain: to, expectedDomain: from });
    // Refused, it is mostly because the version has moved meanwhile: the page behind shows where to.
    onDone();
    if (moved === undefined) return;
    say(`Version ${version} is in ${word.toLowerCase()}`);
    onClose();
  };
  return (
    <ConfirmDialog
      title={`Move to ${word.toLowerCase()}?`}
      confirmLabel={`Move to ${word.toLowerCase()}`}
      running={set.running}
      failure={set.failure}
      onConfirm={() => void confirm()}
      onClose={onClose}
    >
      <Text size="sm">
        <Mono>
          {agent} {version}
        </Mono>
        : {DOMAIN_WORDS[from].word.toLowerCase()} → {word.toLowerCase()}
      </Text>
      <Text size="sm" c="dimmed">
        Within a second its instances get {DOMAIN_WORDS[to].effect}. Running calls finish where they are.
      </Text>
    </ConfirmDialog>
  );
}
