import { Text } from '@mantine/core';
import { DataTable } from '@/ui/data-table';
import { GuardedButton, type Right } from '@/ui/guarded-button';
import { Mark } from '@/ui/mark';
import { EffectMark } from '@/ui/states';
import { Ago, Time } from '@/ui/time';
import type { PermissionRule } from './permissions.operations';
import classes from './rule-table.module.css';
import { RuleText } from './rule-text';

/** Permission rules. The one that decides the question asked above is marked. */
export function RuleTable({
  rules,
  stale,
  decidingId,
  right,
  onRemove,
}: {
  rules: readonly PermissionRule[];
  stale: boolean;
  decidingId: string | undefined;
  right: Right;
  onRemove: (rule: PermissionRule) => void;
}) {
  return (
    <DataTable
      label="Permission rules"
      minWidth={620}
      stale={stale}
      head={
        <>
          <th scope="col" data-tight>
            Effect
          </th>
          <th scope="col">Rule</th>
          <th scope="col">State</th>
          <th scope="col" data-wide>
            Added
          </th>
          <th scope="col" data-tight>
            Actions
          </th>
        </>
      }
    >
      {rules.map((rule) => (
        <tr key={rule.id} className={rule.id === decidingId ? classes.deciding : undefined}>
          <td>
            <EffectMark effect={rule.effect} />
          </td>
          <th scope="row">
            <RuleText rule={rule} />
            {rule.comment !== '' && (
              <Text size="xs" c="dimmed">
                {rule.comment}
              </Text>
            )}
          </th>
          <td>
            <RuleState rule={rule} />
            {rule.id === decidingId && (
              <div>
                <Mark tone="busy" shape="disc">
                  Decides the check above
                </Mark>
              </div>
            )}
          </td>
          <td data-wide>
            <Ago iso={rule.createdAt} />
            <Text size="xs" c="dimmed">
              {rule.createdBy}
            </Text>
          </td>
          <td>
            <GuardedButton
              size="compact-xs"
              variant="default"
              needs={right}
              aria-label={`Remove ${rule.effect} ${rule.caller} → ${rule.target}:${rule.capability}`}
              onClick={() => onRemove(rule)}
            >
              Remove
            </GuardedButton>
          </td>
        </tr>
      ))}
    </DataTable>
  );
}

function RuleState({ rule }: { rule: PermissionRule }) {
  if (rule.status === 'PENDING') {
    return (
      <Mark tone="warn" shape="ring">
        Waits for approval
      </Mark>
    );
  }
  if (rule.status === 'REJECTED') {
    return (
      <Mark tone="idle" shape="cross">
        Rejected
      </Mark>
    );
  }
  if (rule.expiresAt === null) {
    return (
      <Mark tone="good" shape="check">
        In force
      </Mark>
    );
  }
  const over = new Date(rule.expiresAt).getTime() <= Date.now();
  return (
    <>
      <Mark tone={over ? 'idle' : 'good'} shape={over ? 'bar' : 'check'}>
        {over ? 'Expired' : 'In force'}
      </Mark>
      <Text size="xs" c="dimmed">
        {over ? 'since' : 'until'} <Time iso={rule.expiresAt} />
      </Text>
    </>
  );
}
