import { Group, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

/** The head of a page: its name, a sentence about it, and what can be done. */
export function PageHeader({
  title,
  lead,
  actions,
  above,
}: {
  title: ReactNode;
  lead?: ReactNode;
  actions?: ReactNode;
  above?: ReactNode;
}) {
  return (
    <Group component="header" justify="space-between" align="flex-start" gap="sm" mb="md">
      <div style={{ minWidth: 0, flex: '1 1 320px' }}>
        {above}
        <Title order={1}>{title}</Title>
        {lead !== undefined && (
          <Text component="div" size="sm" c="dimmed" mt={2} maw={760}>
            {lead}
          </Text>
        )}
      </div>
      {actions !== undefined && <Group gap="xs">{actions}</Group>}
    </Group>
  );
}
