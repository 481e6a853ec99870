'use client';

import { createContext, type ReactNode, useContext, useEffect, useState, useSyncExternalStore } from 'react';
import { follow } from '@/graphql/stream';
import { HEALTH_CHANGES } from './health-change';
import { LiveHealth, type LiveView } from './live-health';

const LiveContext = createContext<LiveHealth | undefined>(undefined);

/** Follows the health stream of one namespace, or of all that the viewer may see, for everything inside. */
export function LiveProvider({ namespace, children }: { namespace: string | undefined; children: ReactNode }) {
  const [live, setLive] = useState(() => new LiveHealth());
  useEffect(() => {
    const stream = new LiveHealth();
    setLive(stream);
    const controller = new AbortController();
    void follow({
      operation: HEALTH_CHANGES,
      variables: { filter: namespace === undefined ? null : { namespace } },
      onEvent: (event) => stream.take(event),
      onState: (state) => stream.setState(state),
      signal: controller.signal,
    });
    return () => controller.abort();
  }, [namespace]);
  return <LiveContext.Provider value={live}>{children}</LiveContext.Provider>;
}

/** What the health stream says now. */
export function useLive(): LiveView {
  const live = useContext(LiveContext);
  if (live === undefined) throw new Error('useLive needs a LiveProvider around it');
  return useSyncExternalStore(live.subscribe, live.view, live.view);
}
