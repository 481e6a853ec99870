'use client';

import { useQuery } from '@/graphql/use-query';
import { useUrlState } from '@/ui/url-state';
import { CHECK_PERMISSION, type Triple } from './permissions.operations';

/** The question "can A call B?", held in the address, and its answer. */
export function useCheck() {
  const url = useUrlState();
  const asked: Triple = {
    caller: url.get('checkCaller') ?? '',
    target: url.get('checkTarget') ?? '',
    capability: url.get('checkCapability') ?? '',
  };
  const complete = asked.caller !== '' && asked.target !== '' && asked.capability !== '';
  const { data, failure, loading, outdated, refetch } = useQuery(CHECK_PERMISSION, asked, { skip: !complete });
  return {
    asked,
    // An answer to another question would be worse than none.
    answer: complete && !outdated ? data?.checkPermission : undefined,
    failure: complete && !outdated ? failure : undefined,
    loading: complete && loading,
    refetch,
    ask: ({ caller, target, capability }: Triple) =>
      url.set({ checkCaller: caller, checkTarget: target, checkCapability: capability }),
  };
}

export type Check = ReturnType<typeof useCheck>;
