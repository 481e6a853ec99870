'use client';

import { ActionIcon, Tooltip, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { IconMoon, IconSun } from '@tabler/icons-react';

/** Light or dark; without a choice the system's preference counts. */
export function ColorSchemeSwitch() {
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme('light', { getInitialValueInEffect: true });
  const other = scheme === 'light' ? 'dark' : 'light';
  return (
    <Tooltip label={`Use the ${other} colours`}>
      <ActionIcon
        variant="subtle"
        color="gray"
        onClick={() => setColorScheme(other)}
        aria-label={`Use the ${other} colours`}
      >
        {scheme === 'light' ? <IconMoon size={17} stroke={1.7} /> : <IconSun size={17} stroke={1.7} />}
      </ActionIcon>
    </Tooltip>
  );
}
