'use client';

import { useCallback, useState } from 'react';
import { asFailure, type RequestFailure } from './failure';
import type { Operation } from './operation';
import { request } from './request';

export interface Mutation<Data, Variables> {
  /** Resolves with the answer, or with undefined after a failure, which is then in `failure`. */
  readonly run: (variables: Variables) => Promise<Data | undefined>;
  readonly running: boolean;
  readonly failure: RequestFailure | undefined;
  readonly reset: () => void;
}

/** A mutation that a person starts. */
export function useMutation<Data, Variables>(operation: Operation<Data, Variables>): Mutation<Data, Variables> {
  const [running, setRunning] = useState(false);
  const [failure, setFailure] = useState<RequestFailure>();
  const run = useCallback(
    async (variables: Variables) => {
      setRunning(true);
      setFailure(undefined);
      try {
        return await request(operation, variables);
      } catch (error) {
        setFailure(asFailure(error));
        return undefined;
      } finally {
        setRunning(false);
      }
    },
    [operation],
  );
  const reset = useCallback(() => setFailure(undefined), []);
  return { run, running, failure, reset };
}
