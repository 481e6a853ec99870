'use client';

import { useInterval } from '@mantine/hooks';

const EVERY_MS = 5_000;

/** Asks again every 5 s while the page is looked at: load and leases move without a state change for the stream to tell. */
export function useFreshFigures(refetch: () => void): void {
  useInterval(
    () => {
      if (document.visibilityState === 'visible') refetch();
    },
    EVERY_MS,
    { autoInvoke: true },
  );
}
