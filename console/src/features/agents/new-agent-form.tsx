'use client';

import { idFault } from '@agent-reach/sdk/protocol';
import { Button, Group, Select, SimpleGrid, Stack, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useEffect } from 'react';
import { useShell } from '@/features/shell/shell-context';
import type { AgentKind } from '@/graphql/types';
import { useMutation } from '@/graphql/use-mutation';
import { FailureNotice } from '@/ui/failure-notice';
import { faultText, formFaults } from '@/ui/form-faults';
import { CREATE_AGENT } from './agents.operations';

const FIELDS = ['namespace', 'id', 'type', 'kind', 'description', 'owner'];

/** The form of a new agent. Its ids are checked here by the server's own rule. */
export function NewAgentForm({
  onCancel,
  onCreated,
}: {
  onCancel: () => void;
  onCreated: (ref: string, type: string) => Promise<void>;
}) {
  const { namespace, namespaces } = useShell();
  const create = useMutation(CREATE_AGENT);
  const form = useForm({
    initialValues: {
      namespace: namespace ?? namespaces[0]?.id ?? '',
      id: '',
      type: '',
      kind: 'AGENT' as AgentKind,
      description: '',
      owner: '',
    },
    validateInputOnBlur: true,
    validate: {
      namespace: (value) => (value === '' ? 'Choose a namespace' : null),
      id: (value) => {
        const fault = idFault('id', value);
        return fault === undefined ? null : faultText(fault);
      },
      type: (value) => (value.trim() === '' ? 'Say what type it is, such as operations.agent' : null),
    },
  });

  const { failure } = create;
  const { setErrors } = form;
  useEffect(() => {
    if (failure !== undefined) setErrors(formFaults(failure.fields, FIELDS).errors);
  }, [failure, setErrors]);

  const submit = form.onSubmit(async (values) => {
    const answer = await create.run({ input: { ...values, type: values.type.trim() } });
    if (answer !== undefined) await onCreated(answer.createAgent.ref, values.type.trim());
  });
  const unplaced =
    failure !== undefined && (failure.fields.length === 0 || formFaults(failure.fields, FIELDS).rest.length > 0);
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        {unplaced && <FailureNotice failure={failure} />}
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
          <Select
            label="Namespace"
            data={namespaces.map(({ id }) => id)}
            allowDeselect={false}
            {...form.getInputProps('namespace')}
          />
          <TextInput
            label="Id"
            placeholder="order-desk"
            autoComplete="off"
            data-autofocus
            {...form.getInputProps('id')}
          />
          <TextInput label="Type" placeholder="operations.agent" autoComplete="off" {...form.getInputProps('type')} />
          <Select
            label="Kind"
            data={[
              { value: 'AGENT', label: 'Agent' },
              { value: 'TOOL', label: 'Tool' },
              { value: 'API', label: 'API' },
              { value: 'DATASOURCE', label: 'Data source' },
            ]}
            allowDeselect={false}
            {...form.getInputProps('kind')}
          />
        </SimpleGrid>
        <Textarea
          label="Description"
          placeholder="When to ask it, and what it answers"
          autosize
          minRows={2}
          {...form.getInputProps('description')}
        />
        <TextInput label="Owner" placeholder="A team or a person" {...form.getInputProps('owner')} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={create.running}>
            Create agent
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
