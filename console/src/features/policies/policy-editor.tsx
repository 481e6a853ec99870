'use client';

import { Tabs } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import type { RequestFailure } from '@/graphql/failure';
import type { Right } from '@/ui/guarded-button';
import { useUrlState } from '@/ui/url-state';
import { type DraftPlace, draftInput } from './draft/draft-input';
import type { Draft } from './draft/use-draft';
import { useServerCheck } from './draft/use-server-check';
import { EditPanel } from './edit-panel';
import type { PolicyToSave } from './policies.operations';
import { DraftBar } from './save/draft-bar';
import { DraftNotes } from './save/draft-notes';
import { ReviewDialog } from './save/review-dialog';
import { reviewNeeds } from './save/review-needs';
import { TestsPanel } from './tests/tests-panel';
import { failingTests, useTestStates } from './tests/use-test-results';
import { TryPanel } from './try/try-panel';

/** How this draft is reviewed and saved. */
export interface ReviewOptions {
  readonly buttonLabel: string;
  readonly title: string;
  readonly beforeTitle: string;
  readonly saveLabel: string;
  readonly rest: string;
  readonly saving: boolean;
  readonly failure: RequestFailure | undefined;
  /** What to show when somebody else saved meanwhile, or nothing. */
  readonly conflict: ReactNode;
  /** Resolves with whether it is saved. */
  readonly onSave: (toSave: PolicyToSave) => Promise<boolean>;
  readonly onCancel: () => void;
}

/** A policy's draft in tabs: edited, tried, tested; and under all of them the bar that leads to saving it. */
export function PolicyEditor({
  place,
  draft,
  wasKept,
  right,
  review,
  onDiscard,
  versions,
  above,
}: {
  place: DraftPlace;
  draft: Draft;
  /** Whether the draft comes from an earlier visit of the page. */
  wasKept: boolean;
  right: Right;
  review: ReviewOptions;
  onDiscard: () => void;
  /** The tab of versions, where there are any. */
  versions?: ReactNode;
  /** More fields above the form. */
  above?: ReactNode;
}) {
  const url = useUrlState();
  const [reviewing, dialog] = useDisclosure(false);
  const input = draftInput(place, draft);
  const server = useServerCheck(input === undefined ? undefined : { ...input, tests: draft.tests });
  const policy = { namespace: place.namespace, name: draft.name, content: draft.check.content };
  const states = useTestStates(policy, draft.tests);
  const failing = failingTests(states);
  const tab = TABS.find((name) => name === url.get('tab')) ?? 'edit';
  const open = (name: string | null) => url.set({ tab: name === 'edit' ? null : name });
  const notes = (
    <DraftNotes
      worstCaseMs={draft.check.worstCaseMs}
      derived={draft.check.content?.timeoutMs === null}
      warnings={[...new Set([...draft.check.warnings, ...(server.last?.warnings ?? [])])]}
      failure={server.failure}
    />
  );
  const close = () => {
    dialog.close();
    review.onCancel();
  };
  return (
    <>
      <Tabs value={tab} onChange={open}>
        <Tabs.List mb="md" style={{ flexWrap: 'nowrap', overflowX: 'auto', overflowY: 'hidden' }}>
          <Tabs.Tab value="edit">Edit</Tabs.Tab>
          <Tabs.Tab value="try">Try the draft</Tabs.Tab>
          <Tabs.Tab value="tests">
            Tests{states.length > 0 && ` (${failing === 0 ? states.length : `${failing} of ${states.length} fail`})`}
          </Tabs.Tab>
          {versions !== undefined && <Tabs.Tab value="versions">Versions</Tabs.Tab>}
        </Tabs.List>
        <Tabs.Panel value="edit">
          <EditPanel draft={draft} wasKept={wasKept} server={server} notes={notes} above={above} />
        </Tabs.Panel>
        <Tabs.Panel value="try">
          <TryPanel place={place} draft={draft} />
        </Tabs.Panel>
        <Tabs.Panel value="tests">
          <TestsPanel policy={policy} draft={draft} states={states} onTry={() => open('try')} />
        </Tabs.Panel>
        {versions !== undefined && <Tabs.Panel value="versions">{versions}</Tabs.Panel>}
      </Tabs>
      <DraftBar
        state={{
          changes: draft.changes.length,
          faults: draft.check.faults.length,
          unreadable: draft.textFault !== undefined,
          failingTests: failing,
        }}
        needs={reviewNeeds(draft, right)}
        reviewLabel={review.buttonLabel}
        onReview={dialog.open}
        onDiscard={draft.changes.length > 0 || draft.textFault !== undefined ? onDiscard : undefined}
      />
      {reviewing && (
        <ReviewDialog
          {...review}
          changes={draft.changes}
          notes={notes}
          failingTests={failing}
          right={right}
          onSave={async (comment) => {
            const { content } = draft.check;
            if (content === undefined) return;
            const toSave = { name: draft.name.trim(), content, tests: draft.tests, ...comment };
            if (await review.onSave(toSave)) dialog.close();
          }}
          onClose={close}
        />
      )}
    </>
  );
}

const TABS = ['edit', 'try', 'tests', 'versions'] as const;
