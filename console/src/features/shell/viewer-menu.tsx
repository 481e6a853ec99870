'use client';

import { ActionIcon, Menu, Text } from '@mantine/core';
import { IconLogout, IconUser } from '@tabler/icons-react';
import { asFailure } from '@/graphql/failure';
import { postAuth } from '@/graphql/request';
import { sayFailure } from '@/ui/say';
import { useShell } from './shell-context';

/** Who is signed in, with which roles, and the way out. */
export function ViewerMenu() {
  const { viewer } = useShell();
  const signOut = async () => {
    try {
      await postAuth('/auth/sign-out', {});
      // A full load, so that nothing of this session stays in memory.
      window.location.assign('/sign-in');
    } catch (error) {
      sayFailure('You are still signed in', asFailure(error).message);
    }
  };
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Account of ${viewer.name}`}>
          <IconUser size={17} stroke={1.7} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          Signed in as {viewer.name}
          {viewer.roles.map(({ namespace, role }) => (
            <Text key={`${namespace} ${role}`} size="xs" c="dimmed">
              {role} in {namespace ?? 'all namespaces'}
            </Text>
          ))}
        </Menu.Label>
        <Menu.Item leftSection={<IconLogout size={15} />} onClick={() => void signOut()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
