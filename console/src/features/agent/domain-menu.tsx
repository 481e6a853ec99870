'use client';

import { Button, Menu } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import type { Domain } from '@/graphql/types';
import { GuardedButton, type Right } from '@/ui/guarded-button';
import type { AgentVersion } from './agent.operations';
import { DOMAIN_WORDS, DOMAINS } from './domain-mark';

/** The domains that a version is not in, to choose one of them. */
export function DomainMenu({
  version,
  needs,
  onChoose,
}: {
  version: AgentVersion;
  needs: Right;
  onChoose: (domain: Domain) => void;
}) {
  const label = `Set domain of version ${version.version}`;
  if (!needs.allowed) {
    return (
      <GuardedButton size="compact-xs" variant="default" needs={needs} aria-label={label} onClick={() => {}}>
        Set domain
      </GuardedButton>
    );
  }
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <Button size="compact-xs" variant="default" aria-label={label} rightSection={<IconChevronDown size={12} />}>
          Set domain
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {DOMAINS.filter((domain) => domain !== version.domain).map((domain) => (
          <Menu.Item key={domain} onClick={() => onChoose(domain)}>
            {DOMAIN_WORDS[domain].word}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
