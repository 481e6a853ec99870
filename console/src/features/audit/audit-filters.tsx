'use client';

import { ERRORS } from '@agent-reach/sdk/protocol';
import { Button, Chip, Group, Select } from '@mantine/core';
import { FilterBar } from '@/ui/filter-bar';
import { SearchBox } from '@/ui/search-box';
import { useUrlState } from '@/ui/url-state';
import { FIRST_PAGE } from '@/ui/use-cursor-page';
import { AUDIT_PARAMS, NO_AUDIT_FILTER } from './audit-view';
import { RangeFilter } from './range-filter';

const OUTCOMES = [
  { value: 'OK', label: 'OK' },
  { value: 'FAILED', label: 'Everything but OK' },
  ...Object.keys(ERRORS).map((code) => ({ value: code, label: code })),
];

/** The filter of the audit, all of it in the address. */
export function AuditFilters() {
  const url = useUrlState();
  const set = (patch: Record<string, string | string[] | null>) => url.set({ ...patch, ...FIRST_PAGE });
  const active = AUDIT_PARAMS.some((name) => url.get(name) !== undefined);
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
    <FilterBar label="Filter audit entries">
      <RangeFilter />
      {field('caller', 'Caller', 'Caller, agent:ns/id', 200)}
      {field('target', 'Target', 'Target, ns/id', 170)}
      {field('capability', 'Capability', 'Capability', 150)}
      <Select
        size="xs"
        aria-label="Outcome"
        placeholder="Any outcome"
        data={OUTCOMES}
        value={url.get('outcome') ?? null}
        onChange={(outcome) => set({ outcome })}
        clearable
        searchable
        style={{ flex: '0 1 180px' }}
      />
      {field('request', 'Request id', 'Request id', 170)}
      <Chip.Group multiple value={[...url.list('kind')]} onChange={(kind) => set({ kind })}>
        <Group gap={6} role="group" aria-label="Kind of entry">
          <Chip value="CALL" size="xs" variant="outline">
            Calls
          </Chip>
          <Chip value="CHANGE" size="xs" variant="outline">
            Changes
          </Chip>
          <Chip value="REFUSAL" size="xs" variant="outline">
            Refusals
          </Chip>
          <Chip value="TRANSITION" size="xs" variant="outline">
            Transitions
          </Chip>
        </Group>
      </Chip.Group>
      {active && (
        <Button variant="subtle" color="gray" size="xs" onClick={() => url.set(NO_AUDIT_FILTER)}>
          Clear
        </Button>
      )}
    </FilterBar>
  );
}
