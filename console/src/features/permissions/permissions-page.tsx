'use client';

import { Button, Select } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useShell } from '@/features/shell/shell-context';
import { useRights } from '@/features/shell/use-rights';
import { useQuery } from '@/graphql/use-query';
import { Empty } from '@/ui/empty';
import { FailureNotice } from '@/ui/failure-notice';
import { FilterBar } from '@/ui/filter-bar';
import { GuardedButton } from '@/ui/guarded-button';
import { PageHeader } from '@/ui/page-header';
import { Pager } from '@/ui/pager';
import { RowsSkeleton } from '@/ui/rows-skeleton';
import { SearchBox } from '@/ui/search-box';
import { Section } from '@/ui/section';
import { useUrlState } from '@/ui/url-state';
import { FIRST_PAGE, useCursorPage } from '@/ui/use-cursor-page';
import { CanCall } from './can-call';
import { PERMISSIONS, type PermissionRule } from './permissions.operations';
import { RemoveRuleDialog } from './remove-rule-dialog';
import { RuleDialog } from './rule-dialog';
import { RuleTable } from './rule-table';
import { useCheck } from './use-check';
import { useNewRule } from './use-new-rule';
import { useSuggestions } from './use-suggestions';

const PAGE_SIZE = 50;

/** Who may call whom. */
export function PermissionsPage() {
  const url = useUrlState();
  const { namespace } = useShell();
  const right = useRights(namespace);
  const page = useCursorPage(PAGE_SIZE);
  const suggestions = useSuggestions(namespace);
  const newRule = useNewRule();
  const check = useCheck();
  const [removing, setRemoving] = useState<PermissionRule>();

  const search = url.get('q');
  const effect = (['ALLOW', 'DENY'] as const).find((value) => value === url.get('effect'));
  const filter = { ...(search === undefined ? {} : { search }), ...(effect === undefined ? {} : { effect }) };
  const { data, failure, outdated, refetch } = useQuery(PERMISSIONS, {
    namespace: namespace ?? null,
    filter,
    ...page.variables,
  });
  const rules = data?.permissions.nodes;
  const filtered = Object.keys(filter).length > 0;
  const changed = () => {
    refetch();
    check.refetch();
  };
  const add = (
    <GuardedButton
      needs={right('permissions.write')}
      onClick={() => newRule.open({})}
      leftSection={<IconPlus size={15} />}
    >
      New rule
    </GuardedButton>
  );

  return (
    <>
      <PageHeader
        title="Permissions"
        lead="Without a rule that allows it, a call is denied. A rule that denies wins over every rule that allows, whatever their order."
        actions={add}
      />
      <CanCall check={check} suggestions={suggestions} canAdd={right('permissions.write')} onAdd={newRule.open} />
      <Section title="Rules">
        <FilterBar label="Filter rules">
          <SearchBox
            label="Search rules"
            placeholder="Part of caller, target, capability"
            value={search ?? ''}
            onChange={(q) => url.set({ q, ...FIRST_PAGE })}
          />
          <Select
            size="xs"
            aria-label="Effect"
            placeholder="Allow and deny"
            data={[
              { value: 'ALLOW', label: 'Allow' },
              { value: 'DENY', label: 'Deny' },
            ]}
            value={effect ?? null}
            onChange={(value) => url.set({ effect: value, ...FIRST_PAGE })}
            clearable
            style={{ flex: '0 1 150px' }}
          />
        </FilterBar>
        {failure !== undefined && <FailureNotice failure={failure} onRetry={refetch} />}
        {rules === undefined && failure === undefined && <RowsSkeleton />}
        {rules?.length === 0 && (
          <Empty
            title={filtered ? 'No rule matches' : 'No rule yet: every call is denied'}
            action={
              filtered ? (
                <Button variant="default" size="xs" onClick={() => url.set({ q: null, effect: null, ...FIRST_PAGE })}>
                  Clear the filters
                </Button>
              ) : (
                add
              )
            }
          >
            {filtered
              ? 'The search looks at part of the caller, the target and the capability.'
              : 'Allow a first one, for instance agent:orders/* to call orders/inventory.'}
          </Empty>
        )}
        {rules !== undefined && rules.length > 0 && (
          <RuleTable
            rules={rules}
            stale={outdated}
            decidingId={check.answer?.rule?.id}
            right={right('permissions.write')}
            onRemove={setRemoving}
          />
        )}
        <Pager page={page} info={data?.permissions.pageInfo} count={rules?.length ?? 0} noun="rules" />
      </Section>
      {newRule.draft !== undefined && (
        <RuleDialog
          key={JSON.stringify(newRule.draft)}
          draft={newRule.draft}
          suggestions={suggestions}
          right={right('permissions.write')}
          onClose={newRule.close}
          onCreated={changed}
        />
      )}
      <RemoveRuleDialog rule={removing} onClose={() => setRemoving(undefined)} onRemoved={changed} />
    </>
  );
}
