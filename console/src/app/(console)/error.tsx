'use client';

import { Alert, Button, Text } from '@mantine/core';

/** A page that broke: the rest of the console stays usable. */
export default function PageError({ error, reset }: { error: Error; reset: () => void }) {
  return (
    <Alert role="alert" color="red" variant="light" title="This page broke">
      <Text size="sm" mb="xs">
        {error.message}
      </Text>
      <Button size="xs" variant="default" onClick={reset}>
        Show it again
      </Button>
    </Alert>
  );
}
