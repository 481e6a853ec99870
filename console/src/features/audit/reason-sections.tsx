import { Text } from '@mantine/core';
import { Section } from '@/ui/section';
import type { AuditEntry } from './audit.operations';
import { readReason, readTransition } from './entry-details';

/** A transition or a refusal: why. */
export function ReasonSections({ entry }: { entry: AuditEntry }) {
  const reason = readReason(entry.details);
  const transition = readTransition(entry.details);
  if (reason === undefined && transition === undefined) return null;
  return (
    <Section title="Reason">
      {reason !== undefined && <Text size="sm">{reason}</Text>}
      {transition !== undefined && (
        <Text size="sm" c="dimmed">
          From {transition.from} to {transition.to}
        </Text>
      )}
    </Section>
  );
}
