import { Anchor, Stack, Text, Title } from '@mantine/core';

export default function NotFound() {
  return (
    <Stack component="main" gap="xs" maw={520} mx="auto" mt="14vh" px="md">
      <Title order={1}>There is no such page</Title>
      <Text c="dimmed">The address may be mistyped, or what it showed has moved.</Text>
      <Anchor href="/agents">All agents</Anchor>
    </Stack>
  );
}
