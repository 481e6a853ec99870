'use client';

import { Button, Group, Menu } from '@mantine/core';
import { IconBookmark, IconChevronDown } from '@tabler/icons-react';
import dynamic from 'next/dynamic';
import { useState } from 'react';
import { PageHeader } from '@/ui/page-header';
import { RowsSkeleton } from '@/ui/rows-skeleton';
import classes from './explorer.module.css';
import { SAVED_OPERATIONS, type SavedOperation } from './saved-operations';

// The editor needs a browser, and nobody but this page should load it.
const Editor = dynamic(() => import('./editor').then(({ Editor }) => Editor), {
  ssr: false,
  loading: () => <RowsSkeleton rows={8} />,
});

/** The API, to try out: GraphiQL on the viewer's own session, subscriptions included. */
export function ExplorerPage() {
  const [opened, setOpened] = useState<{ readonly saved: SavedOperation; readonly round: number }>();
  const open = (saved: SavedOperation) => setOpened((old) => ({ saved, round: (old?.round ?? 0) + 1 }));
  return (
    <div className={classes.page}>
      <PageHeader
        title="API explorer"
        lead="Everything that this console does goes through this API. What runs here runs as you, and is audited."
        actions={
          <Menu position="bottom-end" width={300}>
            <Menu.Target>
              <Button
                variant="default"
                leftSection={<IconBookmark size={15} />}
                rightSection={<IconChevronDown size={14} />}
              >
                Saved operations
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              {(['Health', 'Tasks', 'Audit'] as const).map((group) => (
                <Group key={group} gap={0} style={{ display: 'block' }}>
                  <Menu.Label>{group}</Menu.Label>
                  {SAVED_OPERATIONS.filter((saved) => saved.group === group).map((saved) => (
                    <Menu.Item key={saved.id} onClick={() => open(saved)}>
                      {saved.label}
                    </Menu.Item>
                  ))}
                </Group>
              ))}
            </Menu.Dropdown>
          </Menu>
        }
      />
      <div className={classes.editor}>
        {/* Mounted anew for each opened operation: GraphiQL then gives it a tab of its own beside what was typed. */}
        <Editor key={opened?.round ?? 0} opened={opened?.saved} />
      </div>
    </div>
  );
}
