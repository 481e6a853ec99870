'use client';

import { Group, Radio, Text } from '@mantine/core';
import { DataTable } from '@/ui/data-table';
import { GuardedButton, type Right } from '@/ui/guarded-button';
import { Ago } from '@/ui/time';
import type { PolicyDetail } from '../policies.operations';
import { RolloutBadge } from '../rollout-badge';
import type { PolicyVersion } from './versions.operations';

/** Versions, newest first, each with what it changed. Two of them are marked to be compared. */
export function VersionTable({
  versions,
  stale,
  policy,
  compared,
  right,
  onCompare,
  onRestore,
}: {
  versions: readonly PolicyVersion[];
  stale: boolean;
  policy: PolicyDetail;
  compared: { readonly from: number | undefined; readonly to: number };
  right: Right;
  onCompare: (patch: { readonly from?: string; readonly to?: string }) => void;
  onRestore: (version: number) => void;
}) {
  return (
    <DataTable
      label="Versions"
      minWidth={560}
      stale={stale}
      head={
        <>
          <th scope="col" data-tight>
            Compare
          </th>
          <th scope="col" data-tight>
            Version
          </th>
          <th scope="col">What and why</th>
          <th scope="col" data-wide>
            Saved
          </th>
          <th scope="col" data-tight>
            Actions
          </th>
        </>
      }
    >
      {versions.map((each) => (
        <tr key={each.version} aria-label={`Version ${each.version}`}>
          <td>
            <Group gap={6} wrap="nowrap">
              <Radio
                size="xs"
                name="from"
                aria-label={`Compare from version ${each.version}`}
                checked={compared.from === each.version}
                onChange={() => onCompare({ from: String(each.version) })}
              />
              <Radio
                size="xs"
                name="to"
                aria-label={`Compare to version ${each.version}`}
                checked={compared.to === each.version}
                onChange={() => onCompare({ to: String(each.version) })}
              />
            </Group>
          </td>
          <th scope="row">
            {each.version}
            {each.version === policy.version && (
              <div>
                <RolloutBadge percent={policy.rolloutPercent} />
              </div>
            )}
          </th>
          <td>
            {each.comment !== '' && <Text size="sm">{each.comment}</Text>}
            <Text size="xs" c="dimmed">
              {whatOf(each)}
            </Text>
          </td>
          <td data-wide>
            <Ago iso={each.createdAt} />
            <Text size="xs" c="dimmed">
              {each.author}
            </Text>
          </td>
          <td>
            {each.version !== policy.version && (
              <GuardedButton
                size="compact-xs"
                variant="default"
                needs={right}
                aria-label={`Restore version ${each.version}`}
                onClick={() => onRestore(each.version)}
              >
                Restore
              </GuardedButton>
            )}
          </td>
        </tr>
      ))}
    </DataTable>
  );
}

const SHOWN = 4;

function whatOf({ restoredFrom, changes, version }: PolicyVersion): string {
  const back = restoredFrom === null ? '' : `Brought back from version ${restoredFrom}. `;
  if (changes.length === 0) return version === 1 ? 'The built-in default.' : `${back}No field of its content changed.`;
  const paths = changes.slice(0, SHOWN).map(({ path }) => path);
  const more = changes.length - paths.length;
  const list = `${paths.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  return version === 1 ? `The first version; not as the built-in default: ${list}` : `${back}Changed ${list}`;
}
