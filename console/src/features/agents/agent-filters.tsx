'use client';

import { Button, Chip, Group, Select } from '@mantine/core';
import { FilterBar } from '@/ui/filter-bar';
import { SearchBox } from '@/ui/search-box';
import { healthWord } from '@/ui/states';
import { useUrlState } from '@/ui/url-state';
import { FIRST_PAGE } from '@/ui/use-cursor-page';
import { NO_AGENT_FILTER, readAgentFilter } from './agent-filter';

/** Search and filters of the agents, all in the address. */
export function AgentFilters() {
  const url = useUrlState();
  const filter = readAgentFilter(url);
  const set = (patch: Record<string, string | string[] | null>) => url.set({ ...patch, ...FIRST_PAGE });
  return (
    <FilterBar label="Filter agents">
      <SearchBox
        label="Search agents"
        placeholder="Id, type, owner, description"
        value={url.get('q') ?? ''}
        onChange={(q) => set({ q })}
      />
      <Select
        size="xs"
        aria-label="Kind"
        placeholder="Any kind"
        data={[
          { value: 'AGENT', label: 'Agent' },
          { value: 'TOOL', label: 'Tool' },
          { value: 'API', label: 'API' },
          { value: 'DATASOURCE', label: 'Data source' },
        ]}
        value={filter.kind ?? null}
        onChange={(kind) => set({ kind })}
        clearable
        style={{ flex: '0 1 130px' }}
      />
      <SearchBox
        label="Type"
        placeholder="Type, exact"
        value={filter.type ?? ''}
        onChange={(type) => set({ type })}
        width={160}
      />
      <SearchBox
        label="Capability"
        placeholder="Capability, exact"
        value={filter.capability ?? ''}
        onChange={(capability) => set({ capability })}
        width={180}
      />
      <Chip.Group multiple value={[...(filter.health ?? [])]} onChange={(health) => set({ health })}>
        <Group gap={6} role="group" aria-label="Health">
          {(['HEALTHY', 'DEGRADED', 'OFFLINE', 'UNKNOWN'] as const).map((health) => (
            <Chip key={health} value={health} size="xs" variant="outline">
              {healthWord(health)}
            </Chip>
          ))}
        </Group>
      </Chip.Group>
      {Object.keys(filter).length > 0 && (
        <Button variant="subtle" color="gray" size="xs" onClick={() => url.set(NO_AGENT_FILTER)}>
          Clear
        </Button>
      )}
    </FilterBar>
  );
}
