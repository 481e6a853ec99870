import { Group, Text, Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';

/** A part of a page under its own heading. */
export function Section({
  title,
  note,
  actions,
  children,
}: {
  title: string;
  note?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <section aria-labelledby={id} style={{ marginTop: 24 }}>
      <Group justify="space-between" align="baseline" mb={8} gap="xs">
        <div>
          <Title order={2} id={id}>
            {title}
          </Title>
          {note !== undefined && (
            <Text component="div" size="sm" c="dimmed">
              {note}
            </Text>
          )}
        </div>
        {actions}
      </Group>
      {children}
    </section>
  );
}
