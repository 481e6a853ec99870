'use client';

import { useInterval } from '@mantine/hooks';

const EVERY_MS = 5_000;

/** Asks again every few seconds while the page is looked at: load and leases move without a state change for the stream to tell. */
export function useFreshFigures(refetch: () => void, everyMs = EVERY_MS): void {
  useInterval(
    () => {
      if (document.visibilityState === 'visible') refetch();
    },
    everyMs,
    { autoInvoke: true },
  );
}
