import { Skeleton, Stack } from '@mantine/core';

/** The place of a list that is on its way. */
export function RowsSkeleton({ rows = 6 }: { rows?: number }) {
  return (
    <Stack gap={8} role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, row) => (
        <Skeleton key={row} height={26} />
      ))}
    </Stack>
  );
}
