'use client';

import { ActionIcon, CopyButton, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import classes from './code-block.module.css';
import { ScrollRegion } from './scroll-region';

/** Text to read as it is or to copy. */
export function CodeBlock({ text, label, maxHeight }: { text: string; label: string; maxHeight?: number }) {
  return (
    <div className={classes.block}>
      <ScrollRegion label={label} className={classes.text} maxHeight={maxHeight}>
        <pre>{text}</pre>
      </ScrollRegion>
      <div className={classes.copy}>
        <CopyButton value={text} timeout={1_500}>
          {({ copied, copy }) => (
            <Tooltip label={copied ? 'Copied' : 'Copy'}>
              <ActionIcon
                variant="default"
                size="sm"
                onClick={copy}
                aria-label={copied ? `${label} copied` : `Copy ${label}`}
              >
                {copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
              </ActionIcon>
            </Tooltip>
          )}
        </CopyButton>
      </div>
    </div>
  );
}
