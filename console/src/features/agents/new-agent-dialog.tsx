'use client';

import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { IssuedSecret } from '@/features/tokens/issued-secret';
import { ISSUE_TOKEN } from '@/features/tokens/tokens.operations';
import { useMutation } from '@/graphql/use-mutation';
import { FailureNotice } from '@/ui/failure-notice';
import { NsLink } from '@/ui/ns-link';
import { NewAgentForm } from './new-agent-form';

interface Created {
  readonly ref: string;
  readonly type: string;
  readonly secret: string | undefined;
}

/** Creates an agent and its first token, and shows that token once with a snippet that uses it. */
export function NewAgentDialog({
  opened,
  onClose,
  onCreated,
}: {
  opened: boolean;
  onClose: () => void;
  onCreated: () => void;
}) {
  const [created, setCreated] = useState<Created>();
  const issue = useMutation(ISSUE_TOKEN);

  const issueToken = async (ref: string, type: string) => {
    const [namespace = ''] = ref.split('/');
    const answer = await issue.run({ input: { namespace, kind: 'AGENT', agent: ref, name: 'first' } });
    setCreated({ ref, type, secret: answer?.issueToken.secret });
    onCreated();
  };
  const close = () => {
    onClose();
    setCreated(undefined);
    issue.reset();
  };

  return (
    <Modal
      opened={opened}
      onClose={close}
      title={created === undefined ? 'New agent' : `${created.ref} can join`}
      size="lg"
      closeOnClickOutside={created === undefined}
    >
      {created === undefined ? (
        <NewAgentForm onCancel={close} onCreated={issueToken} />
      ) : (
        <Stack gap="sm">
          {created.secret === undefined ? (
            <Alert color="yellow" title="The agent exists, but has no token yet">
              {issue.failure !== undefined && <FailureNotice failure={issue.failure} />}
              <Text size="sm">Issue one on the agent's page, under Tokens.</Text>
            </Alert>
          ) : (
            <IssuedSecret secret={created.secret} agent={created.ref} agentType={created.type} />
          )}
          <Group justify="flex-end">
            <NsLink href={`/agents/${created.ref}`} size="sm">
              Open {created.ref}
            </NsLink>
            <Button onClick={close}>Done</Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
