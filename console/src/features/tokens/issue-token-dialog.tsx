'use client';

import { idFault } from '@agent-reach/sdk/protocol';
import { Button, Group, Modal, Select, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useMutation } from '@/graphql/use-mutation';
import { FailureNotice } from '@/ui/failure-notice';
import { faultText } from '@/ui/form-faults';
import { IssuedSecret } from './issued-secret';
import { ISSUE_TOKEN } from './tokens.operations';

const DAY_MS = 86_400_000;

/** Issues a token for an agent and shows it once. */
export function IssueTokenDialog({
  opened,
  agent,
  agentType,
  onClose,
  onIssued,
}: {
  opened: boolean;
  agent: string;
  agentType: string;
  onClose: () => void;
  onIssued: () => void;
}) {
  const [name, setName] = useState('');
  const [days, setDays] = useState('never');
  const [checked, setChecked] = useState(false);
  const [secret, setSecret] = useState<string>();
  const issue = useMutation(ISSUE_TOKEN);
  const fault = idFault('name', name);

  const close = () => {
    onClose();
    setName('');
    setChecked(false);
    setSecret(undefined);
    issue.reset();
  };
  const submit = async () => {
    setChecked(true);
    if (fault !== undefined) return;
    const expiresAt = days === 'never' ? {} : { expiresAt: new Date(Date.now() + Number(days) * DAY_MS).toISOString() };
    const answer = await issue.run({
      input: { namespace: agent.split('/')[0] ?? '', kind: 'AGENT', agent, name, ...expiresAt },
    });
    if (answer === undefined) return;
    setSecret(answer.issueToken.secret);
    onIssued();
  };

  return (
    <Modal
      opened={opened}
      onClose={close}
      title={`Token for ${agent}`}
      size="lg"
      closeOnClickOutside={secret === undefined}
    >
      {secret === undefined ? (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void submit();
          }}
        >
          <Stack gap="sm">
            <TextInput
              label="Token name"
              description="To tell tokens apart: the machine or deployment that uses it"
              data-autofocus
              autoComplete="off"
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
              error={checked && fault !== undefined ? faultText(fault) : undefined}
            />
            <Select
              label="Expires"
              data={[
                { value: 'never', label: 'Never' },
                { value: '7', label: 'In 7 days' },
                { value: '30', label: 'In 30 days' },
                { value: '90', label: 'In 90 days' },
                { value: '365', label: 'In a year' },
              ]}
              allowDeselect={false}
              value={days}
              onChange={(value) => setDays(value ?? 'never')}
            />
            {issue.failure !== undefined && <FailureNotice failure={issue.failure} />}
            <Group justify="flex-end" gap="xs">
              <Button variant="default" onClick={close}>
                Cancel
              </Button>
              <Button type="submit" loading={issue.running}>
                Issue
              </Button>
            </Group>
          </Stack>
        </form>
      ) : (
        <Stack gap="sm">
          <IssuedSecret secret={secret} agent={agent} agentType={agentType} />
          <Group justify="flex-end">
            <Button onClick={close}>Done</Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
