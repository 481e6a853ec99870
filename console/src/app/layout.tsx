import '@mantine/core/styles.css';
import '@mantine/dates/styles.css';
import '@mantine/notifications/styles.css';
import '@/theme/global.css';
import { ColorSchemeScript, mantineHtmlProps } from '@mantine/core';
import type { Metadata } from 'next';
import { headers } from 'next/headers';
import type { ReactNode } from 'react';
import { mono, sans } from '@/theme/fonts';
import { Providers } from '@/theme/providers';

export const metadata: Metadata = {
  title: { default: 'Agent-Reach', template: '%s · Agent-Reach' },
  description: 'Who can be reached now, who may call whom, and what happened to each call.',
};

export default async function RootLayout({ children }: { children: ReactNode }) {
  // Reading the header makes every page dynamic, which a nonce needs: each answer has its own.
  const nonce = (await headers()).get('x-nonce') ?? undefined;
  return (
    <html lang="en" className={`${sans.variable} ${mono.variable}`} {...mantineHtmlProps}>
      <head>
        <ColorSchemeScript nonce={nonce} defaultColorScheme="auto" />
      </head>
      <body>
        <Providers nonce={nonce}>{children}</Providers>
      </body>
    </html>
  );
}
