'use client';

import { usePathname, useSearchParams } from 'next/navigation';
import { useCallback, useMemo } from 'react';

export type UrlPatch = Readonly<Record<string, string | readonly string[] | null | undefined>>;

export interface UrlState {
  readonly get: (name: string) => string | undefined;
  /** The values of a parameter that is written with commas. */
  readonly list: (name: string) => readonly string[];
  /** Changes parameters of the address: null, '' and [] remove. Replaces the history entry unless `push` is set. */
  readonly set: (patch: UrlPatch, options?: { readonly push?: boolean }) => void;
}

/** The view as it stands in the address, so that reload and sharing keep all of it. */
export function useUrlState(): UrlState {
  const params = useSearchParams();
  const pathname = usePathname();
  const set = useCallback(
    (patch: UrlPatch, options: { readonly push?: boolean } = {}) => {
      // From the address itself: two changes in one tick must not undo each other.
      const next = new URLSearchParams(window.location.search);
      for (const [name, value] of Object.entries(patch)) {
        const text = typeof value === 'string' ? value : (value ?? []).join(',');
        if (text === '') next.delete(name);
        else next.set(name, text);
      }
      const query = next.toString();
      const address = query === '' ? pathname : `${pathname}?${query}`;
      if (options.push === true) window.history.pushState(null, '', address);
      else window.history.replaceState(null, '', address);
    },
    [pathname],
  );
  return useMemo(
    () => ({
      get: (name) => params.get(name) ?? undefined,
      list: (name) => (params.get(name) ?? '').split(',').filter((part) => part !== ''),
      set,
    }),
    [params, set],
  );
}
