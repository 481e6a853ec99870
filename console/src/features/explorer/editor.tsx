'use client';

import 'graphiql/style.css';
import { createGraphiQLFetcher, type Fetcher } from '@graphiql/toolkit';
import { useComputedColorScheme } from '@mantine/core';
import { GraphiQL } from 'graphiql';
import { createClient } from 'graphql-ws';
import { useEffect, useMemo, useState } from 'react';
import { socketUrl } from '@/graphql/socket';
import { SAVED_OPERATIONS, type SavedOperation } from './saved-operations';

/** GraphiQL, on the session cookie. A socket of its own: what people try here must not disturb the live data. */
export function Editor({ opened }: { opened: SavedOperation | undefined }) {
  const scheme = useComputedColorScheme('light');
  const [fetcher, setFetcher] = useState<Fetcher>();
  useEffect(() => {
    const wsClient = createClient({ url: socketUrl(), lazy: true, retryAttempts: 3 });
    setFetcher(() => createGraphiQLFetcher({ url: '/graphql', wsClient }));
    return () => void wsClient.dispose();
  }, []);

  const first = SAVED_OPERATIONS[0];
  const content = useMemo(() => (opened === undefined ? undefined : textsOf(opened)), [opened]);
  if (fetcher === undefined) return null;
  return (
    <GraphiQL
      fetcher={fetcher}
      forcedTheme={scheme}
      isHeadersEditorEnabled={false}
      defaultEditorToolsVisibility="variables"
      {...(first === undefined ? {} : { defaultTabs: [textsOf(first)] })}
      {...content}
    />
  );
}

function textsOf(saved: SavedOperation) {
  return { query: saved.query, variables: JSON.stringify(saved.variables(Date.now()), null, 2) };
}
