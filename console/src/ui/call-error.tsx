import { ERRORS } from '@agent-reach/sdk/protocol';
import { Alert, Text } from '@mantine/core';
import { JsonView } from './json-view';

/** Why a call or a task failed, and what to do about an error of this code. */
export function CallError({
  error,
}: {
  error: { readonly code: string; readonly message: string; readonly details?: unknown };
}) {
  const known = Object.entries(ERRORS).find(([code]) => code === error.code)?.[1];
  return (
    <Alert color={error.code === 'CANCELLED' ? 'gray' : 'red'} variant="light" title={error.code} mt="md">
      <Text size="sm">{error.message}</Text>
      {known !== undefined && (
        <Text size="sm" c="dimmed">
          {known.advice}
        </Text>
      )}
      {error.details !== undefined && error.details !== null && (
        <JsonView value={error.details} label="Details of the error" maxHeight={180} />
      )}
    </Alert>
  );
}
