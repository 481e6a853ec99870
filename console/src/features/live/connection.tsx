'use client';

import { Tooltip, VisuallyHidden } from '@mantine/core';
import { localTime } from '@/ui/format';
import { Mark } from '@/ui/mark';
import { useNow } from '@/ui/use-now';
import { describeConnection } from './describe-connection';
import { useLive } from './live-provider';

/** Tells honestly whether what is shown is live: connected, reconnecting since when, or how old the data is. */
export function Connection() {
  const live = useLive();
  const now = useNow(1_000);
  const { tone, shape, short, long } = describeConnection(live, now);
  const lastData = live.lastEventAt === undefined ? 'none yet' : localTime(new Date(live.lastEventAt).toISOString());
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <div role="group" aria-label="Live connection">
      <Tooltip label={`${long} Last data: ${lastData}.`}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the tooltip must be reachable by keyboard */}
        <span tabIndex={0}>
          <Mark tone={tone} shape={shape}>
            {short}
          </Mark>
        </span>
      </Tooltip>
      {/* Announced when the state changes, not with every second that is counted. */}
      <VisuallyHidden role="status">{long}</VisuallyHidden>
    </div>
  );
}
