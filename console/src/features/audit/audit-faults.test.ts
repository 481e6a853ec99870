import { expect, test } from 'vitest';
import { faultsOf } from './audit-faults';

const WELL = { alarm: null, dropped: 0, loaderFailure: null, chainFault: null };

test('all is well', () => {
  expect(faultsOf(WELL)).toEqual([]);
});

test('what is lost, waits or cannot be trusted is said', () => {
  const alarm = { reason: 'ENOSPC: no space left on device, write', since: '2026-03-04T05:06:07.089Z', dropped: 2 };
  expect(
    faultsOf({ alarm, dropped: 9, loaderFailure: 'Postgres does not answer', chainFault: 'entry 7 is gone' }),
  ).toEqual([
    'Entries are being lost since 2026-03-04T05:06:07.089Z: ENOSPC: no space left on device, write. So far 2 are missing.',
    'New entries wait on the disk and are not shown: Postgres does not answer.',
    'What is stored cannot be trusted: entry 7 is gone. Run "reach audit verify".',
  ]);
  expect(faultsOf({ ...WELL, dropped: 9 })).toEqual([
    '9 entries were lost since the server started. Entries "audit.dropped" say when.',
  ]);
});
