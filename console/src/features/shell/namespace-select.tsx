'use client';

import { Select } from '@mantine/core';
import { useUrlState } from '@/ui/url-state';
import { FIRST_PAGE } from '@/ui/use-cursor-page';
import { useShell } from './shell-context';

/** Stands for "all namespaces"; no namespace can have this name. */
const ALL = '*';

/** Chooses the namespace that is looked at; it is part of the address. */
export function NamespaceSelect() {
  const url = useUrlState();
  const { namespaces, namespace } = useShell();
  const data = [{ value: ALL, label: 'All namespaces' }, ...namespaces.map(({ id }) => ({ value: id, label: id }))];
  if (namespace !== undefined && !namespaces.some(({ id }) => id === namespace))
    data.push({ value: namespace, label: namespace });
  return (
    <Select
      aria-label="Namespace"
      data={data}
      value={namespace ?? ALL}
      onChange={(value) => url.set({ ns: value === ALL ? null : value, ...FIRST_PAGE })}
      allowDeselect={false}
      searchable={data.length > 8}
      size="xs"
      w={{ base: 138, xs: 170 }}
      comboboxProps={{ width: 220, position: 'bottom-start' }}
    />
  );
}
