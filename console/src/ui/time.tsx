'use client';

import { Tooltip } from '@mantine/core';
import { ago, localDateTime, localTime } from './format';
import { useNow } from './use-now';

/** A moment in local time, `dated` with its date even if it is today's; the exact ISO time is in its tooltip. */
export function Time({ iso, dated = false }: { iso: string; dated?: boolean }) {
  return (
    <Tooltip label={iso}>
      <time dateTime={iso} style={{ whiteSpace: 'nowrap' }}>
        {dated ? localDateTime(iso) : localTime(iso)}
      </time>
    </Tooltip>
  );
}

/** A moment as its age; local and exact time are in its tooltip. */
export function Ago({ iso }: { iso: string }) {
  const now = useNow(5_000);
  return (
    <Tooltip label={`${localTime(iso)} (${iso})`}>
      <time dateTime={iso} style={{ whiteSpace: 'nowrap' }}>
        {ago(iso, now)}
      </time>
    </Tooltip>
  );
}
