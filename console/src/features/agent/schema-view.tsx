'use client';

import { Group, SegmentedControl, Text } from '@mantine/core';
import { useState } from 'react';
import { DataTable } from '@/ui/data-table';
import { JsonView } from '@/ui/json-view';
import { Mono } from '@/ui/mono';
import { type SchemaRow, schemaRows } from './schema-rows';

/** A schema as a table to read, or as the JSON that it is. */
export function SchemaView({ schema, title, owner }: { schema: unknown; title: string; owner: string }) {
  const rows = schemaRows(schema);
  const [form, setForm] = useState<'table' | 'json'>('table');
  const label = `${title} of ${owner}`;
  return (
    <div>
      <Group justify="space-between" mb={6}>
        <Text size="sm" fw={500}>
          {title}
        </Text>
        {rows !== undefined && (
          <SegmentedControl
            size="xs"
            aria-label={`Form of ${label}`}
            value={form}
            onChange={(value) => setForm(value === 'json' ? 'json' : 'table')}
            data={[
              { value: 'table', label: 'Fields' },
              { value: 'json', label: 'JSON' },
            ]}
          />
        )}
      </Group>
      {schema === null || schema === undefined ? (
        <Text size="sm" c="dimmed">
          Not declared: any answer counts.
        </Text>
      ) : rows === undefined || form === 'json' ? (
        <JsonView value={schema} label={`${label} as JSON`} />
      ) : (
        <Fields rows={rows} label={label} />
      )}
    </div>
  );
}

function Fields({ rows, label }: { rows: readonly SchemaRow[]; label: string }) {
  return (
    <DataTable
      label={label}
      head={
        <>
          <th scope="col">Field</th>
          <th scope="col">Type</th>
          <th scope="col">Meaning and limits</th>
        </>
      }
    >
      {rows.map((row) => (
        <tr key={row.path}>
          <th scope="row">
            <Mono>{row.path}</Mono>
            <Text size="xs" c="dimmed">
              {row.required ? 'required' : 'optional'}
            </Text>
          </th>
          <td>
            <Mono>{row.type}</Mono>
          </td>
          <td>
            {row.description}
            {row.notes.length > 0 && (
              <Text size="xs" c="dimmed">
                {row.notes.join(' · ')}
              </Text>
            )}
          </td>
        </tr>
      ))}
    </DataTable>
  );
}
