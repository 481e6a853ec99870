'use client';

import { useCallback } from 'react';
import { useQuery } from '@/graphql/use-query';
import type { Right } from '@/ui/guarded-button';
import { RIGHTS } from './viewer';

/** The actions that the API names; see its answer `viewer.permissions`. */
export type Action =
  | 'agents.read'
  | 'agents.write'
  | 'agents.drain'
  | 'policies.read'
  | 'policies.write'
  | 'permissions.read'
  | 'permissions.write'
  | 'tokens.read'
  | 'tokens.issue'
  | 'audit.read'
  | 'routes.explain'
  | 'calls.dispatch'
  | 'tasks.read'
  | 'tasks.contents'
  | 'tasks.cancel'
  | 'namespaces.write';

/** What the viewer may do in a namespace (undefined: in all of them), as the API answers it. */
export function useRights(namespace: string | undefined): (action: Action) => Right {
  const { data, failure } = useQuery(RIGHTS, { namespace: namespace ?? null });
  return useCallback(
    (action: Action): Right => {
      if (data === undefined) {
        return { allowed: false, reason: failure === undefined ? 'Your rights are being read.' : failure.message };
      }
      const found = data.viewer.permissions.find((permission) => permission.action === action);
      if (found?.allowed === true) return { allowed: true, reason: null };
      const reason = found?.reason ?? `You lack the right ${action}.`;
      return {
        allowed: false,
        reason: namespace === undefined ? `${reason}. Choose a namespace above in which you have it.` : reason,
      };
    },
    [data, failure, namespace],
  );
}
