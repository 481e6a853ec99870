'use client';

import { createContext, useContext } from 'react';
import type { ViewerAndNamespaces } from './viewer';

export interface Shell {
  readonly viewer: ViewerAndNamespaces['viewer'];
  readonly namespaces: ViewerAndNamespaces['namespaces']['nodes'];
  /** The namespace that is looked at; undefined for all. */
  readonly namespace: string | undefined;
}

export const ShellContext = createContext<Shell | undefined>(undefined);

/** Who looks, and at which namespace. */
export function useShell(): Shell {
  const shell = useContext(ShellContext);
  if (shell === undefined) throw new Error('useShell needs the console shell around it');
  return shell;
}
