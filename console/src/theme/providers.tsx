'use client';

import { MantineProvider } from '@mantine/core';
import { ModalsProvider } from '@mantine/modals';
import { Notifications } from '@mantine/notifications';
import type { ReactNode } from 'react';
import { theme } from './theme';

/** What every page needs around it: theme, dialogs and notifications. */
export function Providers({ nonce, children }: { nonce: string | undefined; children: ReactNode }) {
  return (
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      {...(nonce === undefined ? {} : { getStyleNonce: () => nonce })}
    >
      <ModalsProvider>
        <Notifications position="top-center" limit={3} />
        {children}
      </ModalsProvider>
    </MantineProvider>
  );
}
