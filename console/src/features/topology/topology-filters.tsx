'use client';

import { Button, Chip, SegmentedControl } from '@mantine/core';
import { FilterBar } from '@/ui/filter-bar';
import { SearchBox } from '@/ui/search-box';
import { useUrlState } from '@/ui/url-state';
import { DEFAULT_WINDOW, NO_TOPOLOGY_FILTER, readTopologyFilter, readWindow, WINDOWS } from './topology-view';

/** How far to look back and at which calls, all of it in the address. */
export function TopologyFilters() {
  const url = useUrlState();
  const failing = url.get('failing') === '1';
  const filtered = failing || Object.keys(readTopologyFilter(url)).length > 0;
  return (
    <FilterBar label="Filter the topology">
      <SegmentedControl
        size="xs"
        aria-label="Window"
        value={String(readWindow(url))}
        onChange={(value) => url.set({ window: value === String(DEFAULT_WINDOW) ? null : value })}
        data={WINDOWS.map(({ minutes, label }) => ({ value: String(minutes), label }))}
      />
      <SearchBox
        label="Caller or agent"
        placeholder="orders/desk, app:orders/shop"
        value={url.get('node') ?? ''}
        onChange={(node) => url.set({ node: node.trim() })}
        width={220}
      />
      <SearchBox
        label="Capability"
        placeholder="Capability, exact"
        value={url.get('capability') ?? ''}
        onChange={(capability) => url.set({ capability: capability.trim() })}
        width={180}
      />
      <Chip
        size="xs"
        variant="outline"
        checked={failing}
        onChange={(checked) => url.set({ failing: checked ? '1' : null })}
      >
        Only with failures
      </Chip>
      {filtered && (
        <Button variant="subtle" color="gray" size="xs" onClick={() => url.set(NO_TOPOLOGY_FILTER)}>
          Clear
        </Button>
      )}
    </FilterBar>
  );
}
