import type { AuditHealth } from './audit.operations';

/** What is wrong with the audit, in sentences; none while all is well. */
export function faultsOf({ alarm, dropped, loaderFailure, chainFault }: AuditHealth): string[] {
  const faults: string[] = [];
  if (alarm !== null) {
    faults.push(`Entries are being lost since ${alarm.since}: ${alarm.reason}. So far ${alarm.dropped} are missing.`);
  } else if (dropped > 0) {
    faults.push(`${dropped} entries were lost since the server started. Entries "audit.dropped" say when.`);
  }
  if (loaderFailure !== null) faults.push(`New entries wait on the disk and are not shown: ${loaderFailure}.`);
  if (chainFault !== null) faults.push(`What is stored cannot be trusted: ${chainFault}. Run "reach audit verify".`);
  return faults;
}
