'use client';

import { Button, Group, Text } from '@mantine/core';
import { IconChevronLeft, IconChevronRight, IconChevronsLeft } from '@tabler/icons-react';
import type { PageInfo } from '@/graphql/types';
import type { CursorPage } from './use-cursor-page';

/** Steps through a list by cursor. There is no page count: lists are never counted. */
export function Pager({
  page,
  info,
  count,
  noun,
}: {
  page: CursorPage;
  info: PageInfo | undefined;
  count: number;
  noun: string;
}) {
  if (info === undefined || (count === 0 && page.isFirst)) return null;
  const hasPrevious = info.hasPreviousPage || !page.isFirst;
  if (!hasPrevious && !info.hasNextPage) {
    return (
      <Text size="xs" c="dimmed" mt="xs">
        {count} {noun}
      </Text>
    );
  }
  return (
    <Group component="nav" aria-label="Pages" justify="space-between" mt="sm" gap="xs">
      <Text size="xs" c="dimmed">
        {count} {noun} on this page
      </Text>
      <Group gap={6}>
        <Button
          variant="default"
          size="xs"
          disabled={page.isFirst}
          onClick={page.goFirst}
          leftSection={<IconChevronsLeft size={14} />}
        >
          First
        </Button>
        <Button
          variant="default"
          size="xs"
          disabled={!hasPrevious}
          onClick={() => page.goPrevious(info)}
          leftSection={<IconChevronLeft size={14} />}
        >
          Previous
        </Button>
        <Button
          variant="default"
          size="xs"
          disabled={!info.hasNextPage}
          onClick={() => page.goNext(info)}
          rightSection={<IconChevronRight size={14} />}
        >
          Next
        </Button>
      </Group>
    </Group>
  );
}
