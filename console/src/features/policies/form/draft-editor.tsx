'use client';

import { Alert, SegmentedControl } from '@mantine/core';
import { useUrlState } from '@/ui/url-state';
import { writeJson } from '../draft/json-text';
import type { Draft } from '../draft/use-draft';
import classes from './draft-editor.module.css';
import { JsonPane } from './json-pane';
import { PolicyForm } from './policy-form';

const VIEWS = [
  { value: 'both', label: 'Form and JSON' },
  { value: 'form', label: 'Form' },
  { value: 'json', label: 'JSON' },
] as const;

/** A policy's content as a form and as JSON, side by side where there is room. */
export function DraftEditor({
  draft,
  serverFaults,
}: {
  draft: Draft;
  /** Faults that only the server finds, by path. */
  serverFaults: Readonly<Record<string, string>>;
}) {
  const url = useUrlState();
  const view = VIEWS.find(({ value }) => value === url.get('view'))?.value ?? 'both';
  return (
    <>
      <SegmentedControl
        size="xs"
        mb="sm"
        aria-label="How to edit"
        data={VIEWS.map(({ value, label }) => ({ value, label }))}
        value={view}
        onChange={(next) => url.set({ view: next === 'both' ? null : next })}
      />
      {draft.textFault !== undefined && view !== 'json' && (
        <Alert color="yellow" variant="light" mb="sm" title="The form waits for the JSON">
          It shows what the JSON last said, and can be changed again when the JSON can be read.
        </Alert>
      )}
      <div className={classes.sides} data-view={view}>
        {view !== 'json' && (
          <PolicyForm
            draft={draft.content}
            faults={{ ...serverFaults, ...draft.check.faultTexts }}
            onChange={draft.setContent}
            locked={draft.textFault !== undefined}
          />
        )}
        {view !== 'form' && (
          <JsonPane
            text={draft.text}
            textFault={draft.textFault}
            faults={draft.check.faults}
            onChange={draft.setText}
            onGiveUp={() => draft.setText(writeJson(draft.content))}
          />
        )}
      </div>
    </>
  );
}
