'use client';

import { idFault } from '@agent-reach/sdk/protocol';
import { Button, Group, Select, SimpleGrid, Stack, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { readJson, writeJson } from '@/features/policies/draft/json-text';
import { useShell } from '@/features/shell/shell-context';
import { useMutation } from '@/graphql/use-mutation';
import { FailureNotice } from '@/ui/failure-notice';
import { faultText } from '@/ui/form-faults';
import { REGISTER_ENDPOINT, type RegisteredEndpoint } from './agents.operations';
import { ENDPOINT_DESCRIPTOR } from './endpoint-descriptor';

/** The form of an agent that is only an HTTP endpoint: whose it is, and its descriptor. */
export function RegisterEndpointForm({
  onCancel,
  onRegistered,
}: {
  onCancel: () => void;
  onRegistered: (endpoint: RegisteredEndpoint) => void;
}) {
  const { namespace, namespaces } = useShell();
  const register = useMutation(REGISTER_ENDPOINT);
  const form = useForm({
    initialValues: {
      namespace: namespace ?? namespaces[0]?.id ?? '',
      id: '',
      descriptor: writeJson(ENDPOINT_DESCRIPTOR),
    },
    validateInputOnBlur: true,
    validate: {
      namespace: (value) => (value === '' ? 'Choose a namespace' : null),
      id: (value) => {
        const fault = idFault('id', value);
        return fault === undefined ? null : faultText(fault);
      },
      descriptor: (value) => readJson(value).fault ?? null,
    },
  });

  const submit = form.onSubmit(async (values) => {
    const { value: descriptor } = readJson(values.descriptor);
    if (descriptor === undefined) return;
    const answer = await register.run({ agent: `${values.namespace}/${values.id}`, descriptor });
    if (answer !== undefined) onRegistered(answer.registerEndpoint);
  });
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        {register.failure !== undefined && <FailureNotice failure={register.failure} />}
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
          <Select
            label="Namespace"
            description="The one that it belongs to."
            data={namespaces.map(({ id }) => id)}
            allowDeselect={false}
            {...form.getInputProps('namespace')}
          />
          <TextInput
            label="Agent"
            description="Its id; it is created if there is none."
            placeholder="order-desk"
            autoComplete="off"
            data-autofocus
            {...form.getInputProps('id')}
          />
        </SimpleGrid>
        <Textarea
          label="Descriptor as JSON"
          description="The endpoint's address and health path, and what it can do; what is left out takes its default."
          styles={{
            input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 'var(--mantine-font-size-xs)' },
          }}
          autosize
          minRows={8}
          maxRows={18}
          spellCheck={false}
          wrap="off"
          {...form.getInputProps('descriptor')}
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={register.running}>
            Register endpoint
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
