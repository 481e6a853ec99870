import { Group, Text } from '@mantine/core';
import { GuardedButton, type Right } from '@/ui/guarded-button';
import { Mark } from '@/ui/mark';
import { EffectMark } from '@/ui/states';
import classes from './check-answer.module.css';
import { RuleText } from './rule-text';
import type { Check } from './use-check';

/** The engine's answer: allowed or denied, by which rule, or that none matched. */
export function CheckAnswer({
  answer,
  canAdd,
  onAdd,
}: {
  answer: NonNullable<Check['answer']>;
  canAdd: Right;
  onAdd: () => void;
}) {
  const { allowed, rule, reason } = answer;
  return (
    <div role="status" aria-label="Answer" className={classes.answer} data-allowed={allowed}>
      <Group gap="sm">
        <Mark tone={allowed ? 'good' : 'bad'} shape={allowed ? 'check' : 'bar'}>
          {allowed ? 'Allowed' : 'Denied'}
        </Mark>
        <Text size="sm">{reason}</Text>
      </Group>
      {rule === null ? (
        !allowed && (
          <GuardedButton size="xs" mt="xs" needs={canAdd} onClick={onAdd}>
            Add the missing rule
          </GuardedButton>
        )
      ) : (
        <Group gap="sm" mt={4}>
          <Text size="xs" c="dimmed">
            Deciding rule
          </Text>
          <EffectMark effect={rule.effect} />
          <RuleText rule={rule} />
        </Group>
      )}
    </div>
  );
}
