'use client';

import { useCallback, useEffect, useRef, useState } from 'react';
import { asFailure, type RequestFailure } from './failure';
import type { Operation } from './operation';
import { request } from './request';

export interface QueryResult<Data> {
  /** The newest answer; while another one is asked for, still the old one. */
  readonly data: Data | undefined;
  readonly failure: RequestFailure | undefined;
  readonly loading: boolean;
  /** Whether `data` answers other variables than the present ones. */
  readonly outdated: boolean;
  readonly refetch: () => void;
}

/** Runs a query when the component appears and whenever its variables change. An answer that was overtaken is dropped. */
export function useQuery<Data, Variables>(
  operation: Operation<Data, Variables>,
  variables: Variables,
  options: { readonly skip?: boolean } = {},
): QueryResult<Data> {
  const skip = options.skip === true;
  const key = JSON.stringify([operation.text, variables]);
  const [state, setState] = useState<{ key?: string; data?: Data; failure?: RequestFailure; loading: boolean }>({
    loading: !skip,
  });
  const [round, setRound] = useState(0);
  const latest = useRef({ operation, variables });
  latest.current = { operation, variables };

  // `key` stands for operation and variables by value; `round` asks again.
  useEffect(() => {
    if (skip) return;
    const controller = new AbortController();
    setState((old) => ({ ...old, loading: true }));
    request(latest.current.operation, latest.current.variables, controller.signal)
      .then((data) => {
        if (!controller.signal.aborted) setState({ key, data, loading: false });
      })
      .catch((error: unknown) => {
        if (!controller.signal.aborted) setState((old) => ({ ...old, key, failure: asFailure(error), loading: false }));
      });
    return () => controller.abort();
  }, [key, round, skip]);

  const refetch = useCallback(() => setRound((n) => n + 1), []);
  return {
    data: state.data,
    failure: state.failure,
    loading: state.loading,
    outdated: state.key !== undefined && state.key !== key,
    refetch,
  };
}
