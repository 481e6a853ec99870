import { Text } from '@mantine/core';
import { Mono } from '@/ui/mono';
import type { Triple } from './permissions.operations';

/** A rule as it is written: caller → target : capability. */
export function RuleText({ rule }: { rule: Triple }) {
  return (
    <Text span size="sm">
      <Mono>{rule.caller}</Mono>
      <Text span c="dimmed">
        {' → '}
      </Text>
      <Mono>{rule.target}</Mono>
      <Text span c="dimmed">
        {' : '}
      </Text>
      <Mono>{rule.capability}</Mono>
    </Text>
  );
}
