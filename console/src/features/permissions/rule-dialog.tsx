'use client';

import { isPattern } from '@agent-reach/sdk/decide';
import {
  Autocomplete,
  Button,
  Group,
  Input,
  Modal,
  SegmentedControl,
  Select,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { useState } from 'react';
import { useShell } from '@/features/shell/shell-context';
import { useMutation } from '@/graphql/use-mutation';
import { FailureNotice } from '@/ui/failure-notice';
import { formFaults } from '@/ui/form-faults';
import { GuardedButton, type Right } from '@/ui/guarded-button';
import { say } from '@/ui/say';
import { CREATE_PERMISSION, type Triple } from './permissions.operations';
import type { Suggestions } from './use-suggestions';

const DAY_MS = 86_400_000;
const PATTERN_FAULT = 'An exact name, *, or a prefix ending in * after . _ - or /';

/** Adds a permission rule; it may come filled in. */
export function RuleDialog({
  draft,
  suggestions,
  right,
  onClose,
  onCreated,
}: {
  draft: Triple;
  suggestions: Suggestions;
  right: Right;
  onClose: () => void;
  onCreated: () => void;
}) {
  const { namespace, namespaces } = useShell();
  const [rule, setRule] = useState(draft);
  const [effect, setEffect] = useState<'ALLOW' | 'DENY'>('ALLOW');
  const [inNamespace, setInNamespace] = useState(namespace ?? namespaces[0]?.id ?? '');
  const [comment, setComment] = useState('');
  const [days, setDays] = useState('never');
  const [checked, setChecked] = useState(false);
  const create = useMutation(CREATE_PERMISSION);

  const set = (part: keyof Triple) => (value: string) => setRule((old) => ({ ...old, [part]: value.trim() }));
  const placed = formFaults(create.failure?.fields ?? [], ['caller', 'target', 'capability', 'comment', 'namespace']);
  const fault = (part: keyof Triple) =>
    (checked && !isPattern(rule[part]) ? PATTERN_FAULT : undefined) ?? placed.errors[part];
  const valid = isPattern(rule.caller) && isPattern(rule.target) && isPattern(rule.capability);

  const submit = async () => {
    setChecked(true);
    if (!valid || !right.allowed) return;
    const answer = await create.run({
      input: {
        ...rule,
        effect,
        comment,
        ...(rule.target === '*' ? { namespace: inNamespace } : {}),
        ...(days === 'never' ? {} : { expiresAt: new Date(Date.now() + Number(days) * DAY_MS).toISOString() }),
      },
    });
    if (answer === undefined) return;
    say(
      answer.createPermission.status === 'PENDING'
        ? 'The rule is added and waits for approval in its namespace'
        : 'The rule is added and in force',
    );
    onCreated();
    onClose();
  };

  return (
    <Modal opened onClose={onClose} title="New rule" size="lg">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <Stack gap="sm">
          <Text size="sm" c="dimmed">
            Each part is exact, <code>*</code>, or a prefix that ends in <code>*</code>. A caller can also be{' '}
            <code>role:name</code>.
          </Text>
          <Input.Wrapper label="Rule effect">
            <div>
              <SegmentedControl
                aria-label="Rule effect"
                value={effect}
                onChange={(value) => setEffect(value === 'DENY' ? 'DENY' : 'ALLOW')}
                data={[
                  { value: 'ALLOW', label: 'Allow' },
                  { value: 'DENY', label: 'Deny' },
                ]}
              />
            </div>
          </Input.Wrapper>
          <Autocomplete
            label="Rule caller"
            placeholder="agent:orders/desk"
            data={suggestions.callers}
            limit={20}
            data-autofocus
            value={rule.caller}
            onChange={set('caller')}
            error={fault('caller')}
          />
          <Autocomplete
            label="Rule target"
            placeholder="orders/inventory"
            data={suggestions.targets}
            limit={20}
            value={rule.target}
            onChange={set('target')}
            error={fault('target')}
          />
          <Autocomplete
            label="Rule capability"
            placeholder="reserve_stock"
            data={suggestions.capabilities}
            limit={20}
            value={rule.capability}
            onChange={set('capability')}
            error={fault('capability')}
          />
          {rule.target === '*' && (
            <Select
              label="Rule namespace"
              description="Every agent of this namespace"
              data={namespaces.map(({ id }) => id)}
              allowDeselect={false}
              value={inNamespace}
              onChange={(value) => value !== null && setInNamespace(value)}
              error={placed.errors.namespace}
            />
          )}
          <Group grow align="flex-start">
            <TextInput
              label="Comment"
              placeholder="Why"
              value={comment}
              onChange={(event) => setComment(event.currentTarget.value)}
              error={placed.errors.comment}
            />
            <Select
              label="Expires"
              data={[
                { value: 'never', label: 'Never' },
                { value: '1', label: 'In a day' },
                { value: '7', label: 'In 7 days' },
                { value: '30', label: 'In 30 days' },
              ]}
              allowDeselect={false}
              value={days}
              onChange={(value) => setDays(value ?? 'never')}
            />
          </Group>
          {create.failure !== undefined && (create.failure.fields.length === 0 || placed.rest.length > 0) && (
            <FailureNotice failure={create.failure} />
          )}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <GuardedButton type="submit" needs={right} loading={create.running} onClick={() => undefined}>
              Add rule
            </GuardedButton>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
