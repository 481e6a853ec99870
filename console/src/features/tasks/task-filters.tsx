'use client';

import { Button, Chip, Group } from '@mantine/core';
import { FilterBar } from '@/ui/filter-bar';
import { SearchBox } from '@/ui/search-box';
import { taskWord } from '@/ui/states';
import { useUrlState } from '@/ui/url-state';
import { FIRST_PAGE } from '@/ui/use-cursor-page';
import { NO_TASK_FILTER, readTaskFilter } from './task-filter';
import { TASK_STATES } from './tasks.operations';

/** The filter of the tasks, all of it in the address. */
export function TaskFilters() {
  const url = useUrlState();
  const filter = readTaskFilter(url);
  const set = (patch: Record<string, string | string[] | null>) => url.set({ ...patch, ...FIRST_PAGE });
  const field = (name: string, label: string, placeholder: string, width: number) => (
    <SearchBox
      label={label}
      placeholder={placeholder}
      value={url.get(name) ?? ''}
      onChange={(value) => set({ [name]: value.trim() })}
      width={width}
    />
  );
  return (
    <FilterBar label="Filter tasks">
      {field('agent', 'Agent', 'Agent, ns/id', 170)}
      {field('capability', 'Capability', 'Capability, exact', 170)}
      {field('caller', 'Caller', 'Caller, agent:ns/id', 200)}
      {field('request', 'Request id', 'Request id', 170)}
      <Chip.Group multiple value={[...(filter.states ?? [])]} onChange={(state) => set({ state })}>
        <Group gap={6} role="group" aria-label="State">
          {TASK_STATES.map((state) => (
            <Chip key={state} value={state} size="xs" variant="outline">
              {taskWord(state)}
            </Chip>
          ))}
        </Group>
      </Chip.Group>
      {Object.keys(filter).length > 0 && (
        <Button variant="subtle" color="gray" size="xs" onClick={() => url.set(NO_TASK_FILTER)}>
          Clear
        </Button>
      )}
    </FilterBar>
  );
}
