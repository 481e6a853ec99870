'use client';

import { AppShell, Burger, Center, Group, Loader } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type ReactNode, useMemo } from 'react';
import { Connection } from '@/features/live/connection';
import { LiveProvider } from '@/features/live/live-provider';
import { useQuery } from '@/graphql/use-query';
import { FailureNotice } from '@/ui/failure-notice';
import { useUrlState } from '@/ui/url-state';
import { ColorSchemeSwitch } from './color-scheme-switch';
import classes from './console-shell.module.css';
import { NamespaceSelect } from './namespace-select';
import { Navigation } from './navigation';
import { ShellContext } from './shell-context';
import { UnknownNamespace } from './unknown-namespace';
import { VIEWER } from './viewer';
import { ViewerMenu } from './viewer-menu';

/** The frame of every page behind sign-in: navigation, namespace, live connection, viewer. */
export function ConsoleShell({ children }: { children: ReactNode }) {
  const [open, menu] = useDisclosure(false);
  const namespace = useUrlState().get('ns');
  const { data, failure, refetch } = useQuery(VIEWER, {});
  const shell = useMemo(
    () => (data === undefined ? undefined : { viewer: data.viewer, namespaces: data.namespaces.nodes, namespace }),
    [data, namespace],
  );

  if (shell === undefined) {
    if (failure !== undefined && failure.code !== 'UNAUTHENTICATED') {
      return (
        <main className={classes.alone}>
          <FailureNotice failure={failure} onRetry={refetch} />
        </main>
      );
    }
    return (
      <Center mih="60vh">
        <Loader size="sm" aria-label="Loading the console" />
      </Center>
    );
  }

  return (
    <ShellContext.Provider value={shell}>
      <LiveProvider namespace={namespace}>
        <AppShell
          layout="alt"
          header={{ height: 48 }}
          navbar={{ width: 204, breakpoint: 'sm', collapsed: { mobile: !open } }}
          padding={0}
        >
          <a className={classes.skip} href="#content">
            Skip to content
          </a>
          <AppShell.Navbar className={classes.navbar}>
            <Navigation onNavigate={menu.close} />
          </AppShell.Navbar>
          <AppShell.Header className={classes.header}>
            <Group h="100%" px="md" gap="sm" justify="space-between" wrap="nowrap">
              <Group gap="sm" wrap="nowrap">
                <Burger
                  opened={open}
                  onClick={menu.toggle}
                  hiddenFrom="sm"
                  size="sm"
                  aria-label={open ? 'Close navigation' : 'Open navigation'}
                />
                <NamespaceSelect />
              </Group>
              <Group gap="sm" wrap="nowrap">
                <Connection />
                <ColorSchemeSwitch />
                <ViewerMenu />
              </Group>
            </Group>
          </AppShell.Header>
          <AppShell.Main id="content" className={classes.main} tabIndex={-1}>
            {shell.namespace === undefined || shell.namespaces.some(({ id }) => id === shell.namespace) ? (
              children
            ) : (
              <UnknownNamespace namespace={shell.namespace} />
            )}
          </AppShell.Main>
        </AppShell>
      </LiveProvider>
    </ShellContext.Provider>
  );
}
