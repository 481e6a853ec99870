'use client';

import { Alert, Anchor, Button, PasswordInput, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { postAuth } from '@/graphql/request';
import { useSubmit } from './use-submit';

const MIN_LENGTH = 12;

/** Spends a sign-in link: sets a password and signs in. */
export function SetPasswordForm({
  token,
  onDone,
  onGiveUp,
}: {
  token: string;
  onDone: () => void;
  onGiveUp: () => void;
}) {
  const [password, setPassword] = useState('');
  const [again, setAgain] = useState('');
  const [checked, setChecked] = useState(false);
  const { busy, failure, submit } = useSubmit(() => postAuth('/auth/link', { token, password }), onDone);
  const tooShort = [...password].length < MIN_LENGTH;
  const different = password !== again;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        setChecked(true);
        if (!tooShort && !different) void submit();
      }}
    >
      <Stack gap="sm">
        <div>
          <Title order={1}>Set a password for admin</Title>
          <Text size="sm" c="dimmed" mt={2}>
            The link signs you in once. After that, this password does.
          </Text>
        </div>
        {failure !== undefined && (
          <Alert role="alert" color="red" variant="light">
            {failure.message}{' '}
            <Anchor component="button" type="button" size="sm" onClick={onGiveUp}>
              Sign in with a password instead
            </Anchor>
          </Alert>
        )}
        {/* Password managers file the new password under this name. */}
        <input type="text" name="username" autoComplete="username" value="admin" readOnly hidden />
        <PasswordInput
          label="New password"
          description={`At least ${MIN_LENGTH} characters`}
          autoComplete="new-password"
          autoFocus
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          error={
            checked && tooShort ? `${[...password].length} characters; at least ${MIN_LENGTH} are needed` : undefined
          }
        />
        <PasswordInput
          label="Repeat the password"
          autoComplete="new-password"
          value={again}
          onChange={(event) => setAgain(event.currentTarget.value)}
          error={checked && different ? 'The two passwords differ' : undefined}
        />
        <Button type="submit" loading={busy} mt={4} fullWidth>
          Set password and sign in
        </Button>
      </Stack>
    </form>
  );
}
