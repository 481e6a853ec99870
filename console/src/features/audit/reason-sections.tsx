import { Text } from '@mantine/core';
import { Section } from '@/ui/section';
import type { AuditEntry } from './audit.operations';
import { readReason } from './entry-details';

/** A transition or a refusal: why. */
export function ReasonSections({ entry }: { entry: AuditEntry }) {
  const reason = readReason(entry.details);
  if (reason === undefined) return null;
  return (
    <Section title="Reason">
      <Text size="sm">{reason}</Text>
    </Section>
  );
}
