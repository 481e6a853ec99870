'use client';

import type { FieldFault } from '@agent-reach/sdk/protocol';
import { Button, Text, Textarea } from '@mantine/core';
import { faultText } from '@/ui/form-faults';
import { Mono } from '@/ui/mono';
import classes from './draft-editor.module.css';

/** The content as JSON, which edits the form and is edited by it, and its faults by path. */
export function JsonPane({
  text,
  textFault,
  faults,
  onChange,
  onGiveUp,
}: {
  text: string;
  /** Why the text can't be read as it stands. */
  textFault: string | undefined;
  faults: readonly FieldFault[];
  onChange: (text: string) => void;
  /** Goes back to the last text that could be read. */
  onGiveUp: () => void;
}) {
  return (
    <div className={classes.json}>
      <Textarea
        label="JSON"
        description="Edits the form, and is edited by it. What is left out takes its default."
        value={text}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
        classNames={{ input: classes.text ?? '' }}
        autosize
        minRows={12}
        maxRows={34}
        spellCheck={false}
        autoComplete="off"
        wrap="off"
        error={textFault}
      />
      {textFault !== undefined && (
        <Button size="compact-xs" variant="default" mt={6} onClick={onGiveUp}>
          Go back to the last readable JSON
        </Button>
      )}
      {textFault === undefined && faults.length > 0 && (
        <Text component="ul" size="xs" c="var(--reach-bad)" mt={6} pl={16} aria-label="Faults of the policy">
          {faults.map((fault) => (
            <li key={`${fault.path} ${fault.got}`}>
              <Mono>{fault.path === '' ? 'content' : fault.path}</Mono>: {faultText(fault)}
            </li>
          ))}
        </Text>
      )}
    </div>
  );
}
