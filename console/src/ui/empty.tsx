import { Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './empty.module.css';

/** What a list shows when it has nothing: why, and the next step. */
export function Empty({ title, children, action }: { title: string; children: ReactNode; action?: ReactNode }) {
  return (
    <Stack className={classes.empty} align="flex-start" gap="xs">
      <Title order={3}>{title}</Title>
      <Text component="div" size="sm" c="dimmed" maw={560}>
        {children}
      </Text>
      {action}
    </Stack>
  );
}
