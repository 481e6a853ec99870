'use client';

import { Group, Select } from '@mantine/core';
import { DateTimePicker } from '@mantine/dates';
import { useUrlState } from '@/ui/url-state';
import { FIRST_PAGE } from '@/ui/use-cursor-page';
import { DEFAULT_RANGE, RANGES } from './audit-view';

const CUSTOM = 'custom';

/** The time range: a preset that counts back from now, or two fixed times. */
export function RangeFilter() {
  const url = useUrlState();
  const range = url.get('range') ?? DEFAULT_RANGE;
  const custom = range === CUSTOM || url.get('from') !== undefined || url.get('to') !== undefined;
  const choose = (value: string | null) =>
    url.set({ range: value === DEFAULT_RANGE ? null : value, from: null, to: null, ...FIRST_PAGE });
  const setTime = (name: 'from' | 'to') => (value: string | null) =>
    // The picker speaks local time without a zone; the address holds the moment itself, so that it means the same elsewhere.
    url.set({ range: CUSTOM, [name]: value === null ? null : new Date(value).toISOString(), ...FIRST_PAGE });
  return (
    <Group gap="xs">
      <Select
        size="xs"
        aria-label="Time range"
        data={[
          ...RANGES.map(({ name, label }) => ({ value: name, label })),
          { value: 'all', label: 'All time' },
          { value: CUSTOM, label: 'From … to …' },
        ]}
        value={custom ? CUSTOM : range}
        onChange={choose}
        allowDeselect={false}
        style={{ flex: '0 1 160px' }}
      />
      {custom && (
        <>
          <DateTimePicker
            size="xs"
            aria-label="From"
            placeholder="From"
            clearable
            style={{ flex: '0 1 190px' }}
            value={toPicker(url.get('from'))}
            onChange={setTime('from')}
            valueFormat="YYYY-MM-DD HH:mm"
          />
          <DateTimePicker
            size="xs"
            aria-label="To"
            placeholder="To"
            clearable
            style={{ flex: '0 1 190px' }}
            value={toPicker(url.get('to'))}
            onChange={setTime('to')}
            valueFormat="YYYY-MM-DD HH:mm"
          />
        </>
      )}
    </Group>
  );
}

function toPicker(iso: string | undefined): Date | null {
  if (iso === undefined) return null;
  const time = new Date(iso);
  return Number.isNaN(time.getTime()) ? null : time;
}
