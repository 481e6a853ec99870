'use client';

import { useEffect, useRef } from 'react';
import type { InstanceHealth } from './health-change';
import { useLive } from './live-provider';

/** Queries again at most this often, in milliseconds, however fast states change. */
const PACE_MS = 400;

/** Asks again when the stream says that instances came, went or changed state: at once, then at a bounded pace. */
export function useRefetchOnChange(refetch: () => void): void {
  useRefetchWhenChanged(useLive().structure, refetch);
}

/** As useRefetchOnChange, and when the reason of one of these instances is another. */
export function useRefetchOnReasons(
  instances: ReadonlyMap<string, InstanceHealth> | undefined,
  refetch: () => void,
): void {
  const reasons = [...(instances?.values() ?? [])].map(({ reason }) => reason);
  useRefetchWhenChanged(JSON.stringify([useLive().structure, reasons]), refetch);
}

/** Asks again when the mark of what a stream tells is another one: at once, then at a bounded pace. */
export function useRefetchWhenChanged(mark: number | string, refetch: () => void): void {
  const seen = useRef(mark);
  const lastAt = useRef(0);
  useEffect(() => {
    if (mark === seen.current) return;
    const wait = Math.max(0, lastAt.current + PACE_MS - Date.now());
    const timer = setTimeout(() => {
      seen.current = mark;
      lastAt.current = Date.now();
      refetch();
    }, wait);
    return () => clearTimeout(timer);
  }, [mark, refetch]);
}
