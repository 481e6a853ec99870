'use client';

import { useEffect, useState } from 'react';
import { follow, type StreamState } from '@/graphql/stream';
import { type LiveTasks, NO_LIVE_TASKS, takeTasks } from './live-tasks';
import { TASK_UPDATES } from './tasks.operations';

/** Events that arrive closer together than this are shown together. */
const BATCH_MS = 100;

/** Which tasks are followed; the fields of the API's `TaskStreamFilter`. */
export interface Followed {
  readonly namespace?: string | undefined;
  readonly taskId?: string;
}

/** Follows tasks for as long as the component is there. */
export function useLiveTasks(followed: Followed): { readonly live: LiveTasks; readonly state: StreamState } {
  const [live, setLive] = useState(NO_LIVE_TASKS);
  const [state, setState] = useState<StreamState>({ is: 'CONNECTING' });
  const { namespace, taskId } = followed;

  useEffect(() => {
    let current = NO_LIVE_TASKS;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const controller = new AbortController();
    void follow({
      operation: TASK_UPDATES,
      variables: { filter: { ...(namespace && { namespace }), ...(taskId && { taskId }) } },
      onState: setState,
      onEvent: (event) => {
        current = takeTasks(current, event);
        timer ??= setTimeout(() => {
          timer = undefined;
          setLive(current);
        }, BATCH_MS);
      },
      signal: controller.signal,
    });
    return () => {
      clearTimeout(timer);
      controller.abort();
      setLive(NO_LIVE_TASKS);
    };
  }, [namespace, taskId]);
  return { live, state };
}
