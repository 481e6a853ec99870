import { Alert, Button, Group, List, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { RequestFailure } from '@/graphql/failure';

/** A failed request: what happened, which fields, the request's id, and a way to try again. */
export function FailureNotice({ failure, onRetry }: { failure: RequestFailure; onRetry?: () => void }) {
  return (
    <Alert role="alert" color="red" variant="light" icon={<IconAlertTriangle size={18} />} title={failure.code} my="sm">
      <Text size="sm">{failure.message}</Text>
      {failure.fields.length > 0 && (
        <List size="sm" mt={4}>
          {failure.fields.map((field) => (
            <List.Item key={field.path}>
              <code>{field.path}</code>: got {field.got}, allowed: {field.allowed}
            </List.Item>
          ))}
        </List>
      )}
      <Group gap="sm" mt={6}>
        {onRetry !== undefined && (
          <Button size="xs" variant="default" onClick={onRetry}>
            Try again
          </Button>
        )}
        {failure.requestId !== undefined && (
          <Text size="xs" c="dimmed">
            Request {failure.requestId}
          </Text>
        )}
      </Group>
    </Alert>
  );
}
