'use client';

import { Text } from '@mantine/core';
import { duration } from '@/ui/format';
import { Mark, type Shape, type Tone } from '@/ui/mark';
import { Ago } from '@/ui/time';
import { useNow } from '@/ui/use-now';
import type { VersionCanary } from './agent.operations';

const STATES: Record<VersionCanary['state'], { readonly tone: Tone; readonly shape: Shape; readonly word: string }> = {
  ON_TRIAL: { tone: 'busy', shape: 'ring', word: 'On trial' },
  PROMOTED: { tone: 'good', shape: 'check', word: 'Promoted' },
  RETURNED: { tone: 'bad', shape: 'cross', word: 'Returned' },
  RELEASED: { tone: 'good', shape: 'check', word: 'Released' },
  STOPPED: { tone: 'idle', shape: 'bar', word: 'Stopped' },
};

/** Where the trial of a version as a canary stands, and why. */
export function CanaryStatus({ canary }: { canary: VersionCanary }) {
  const { tone, shape, word } = STATES[canary.state];
  return (
    <Text size="xs" component="div" mt={4}>
      <Mark tone={tone} shape={shape}>
        {word}
        {canary.endedAt !== null && (
          <>
            {' '}
            <Ago iso={canary.endedAt} />
          </>
        )}
      </Mark>
      <Text size="xs" c="dimmed">
        {canary.reason}
        {canary.promoteAt !== null && <Countdown iso={canary.promoteAt} />}
      </Text>
    </Text>
  );
}

function Countdown({ iso }: { iso: string }) {
  const left = Math.max(0, new Date(iso).getTime() - useNow(1_000));
  return <>; promoted in {duration(Math.ceil(left / 1_000) * 1_000)} if all goes well</>;
}
