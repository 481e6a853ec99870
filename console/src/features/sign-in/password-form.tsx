'use client';

import { Alert, Button, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { useState } from 'react';
import { postAuth } from '@/graphql/request';
import { useSubmit } from './use-submit';

/** Sign-in with name and password. */
export function PasswordForm({ onDone }: { onDone: () => void }) {
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const { busy, failure, submit } = useSubmit(() => postAuth('/auth/sign-in', { name: name.trim(), password }), onDone);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <Stack gap="sm">
        <Title order={1}>Sign in</Title>
        {failure !== undefined && (
          <Alert role="alert" color="red" variant="light">
            {failure.message}
          </Alert>
        )}
        <TextInput
          label="Name"
          autoComplete="username"
          autoFocus
          required
          withAsterisk={false}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <PasswordInput
          label="Password"
          autoComplete="current-password"
          required
          withAsterisk={false}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <Button type="submit" loading={busy} mt={4} fullWidth>
          Sign in
        </Button>
        <Text size="xs" c="dimmed">
          No password yet, or forgotten? <code>npm run admin:link</code> on the server prints a link that sets a new
          one.
        </Text>
      </Stack>
    </form>
  );
}
