'use client';

import { useEffect, useRef } from 'react';
import { useLive } from './live-provider';

/** Queries again at most this often, in milliseconds, however fast states change. */
const PACE_MS = 400;

/** Asks again when the stream says that instances came, went or changed state: at once, then at a bounded pace. */
export function useRefetchOnChange(refetch: () => void): void {
  useRefetchWhenGrown(useLive().structure, refetch);
}

/** Asks again when a stream's count of changes to the list has grown: at once, then at a bounded pace. */
export function useRefetchWhenGrown(structure: number, refetch: () => void): void {
  const seen = useRef(structure);
  const lastAt = useRef(0);
  useEffect(() => {
    if (structure === seen.current) return;
    const wait = Math.max(0, lastAt.current + PACE_MS - Date.now());
    const timer = setTimeout(() => {
      seen.current = structure;
      lastAt.current = Date.now();
      refetch();
    }, wait);
    return () => clearTimeout(timer);
  }, [structure, refetch]);
}
