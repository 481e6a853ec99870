'use client';

import { Alert, Stack, Text } from '@mantine/core';
import { IconEyeExclamation } from '@tabler/icons-react';
import { CodeBlock } from '@/ui/code-block';
import { joinSnippet } from './join-snippet';

/** A new secret, the only time that it can be read, and the code that uses it. */
export function IssuedSecret({ secret, agent, agentType }: { secret: string; agent: string; agentType: string }) {
  return (
    <Stack gap="sm">
      <Alert color="yellow" variant="light" icon={<IconEyeExclamation size={18} />}>
        Copy the token now: it is stored only as a hash and cannot be shown again.
      </Alert>
      <div>
        <Text size="sm" fw={500} mb={4}>
          Token
        </Text>
        <CodeBlock text={secret} label="Token" />
      </div>
      <div>
        <Text size="sm" fw={500} mb={4}>
          Join with the SDK
        </Text>
        <CodeBlock
          text={joinSnippet({ origin: window.location.origin, agent, agentType })}
          label="SDK snippet"
          maxHeight={300}
        />
        <Text size="xs" c="dimmed" mt={4}>
          Start it with <code>REACH_TOKEN</code> set to the token above.
        </Text>
      </div>
    </Stack>
  );
}
