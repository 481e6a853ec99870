import { setTimeout as sleep } from 'node:timers/promises';
import type { RunningServer } from './server.js';

export interface AuditNode {
  readonly sequence: string;
  readonly kind: string;
  readonly action: string;
  readonly actor: string;
  readonly target: string;
  readonly capability: string | null;
  readonly instance: string | null;
  readonly outcome: string;
  readonly requestId: string | null;
  readonly traceId: string | null;
  readonly attempts: number | null;
  readonly details: Readonly<Record<string, unknown>>;
}

interface Page {
  readonly auditEntries: {
    readonly nodes: readonly AuditNode[];
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
  };
}

/** All entries that a filter selects, newest first, page by page. */
export async function auditEntries(
  server: RunningServer,
  filter: Readonly<Record<string, unknown>>,
): Promise<AuditNode[]> {
  const found: AuditNode[] = [];
  let after: string | null = null;
  do {
    const page: Page = await server.graphql<Page>(
      `query ($filter: AuditFilter, $after: String) { auditEntries(filter: $filter, first: 200, after: $after) {
        nodes { sequence kind action actor target capability instance outcome requestId traceId attempts details }
        pageInfo { hasNextPage endCursor } } }`,
      { filter, after },
    );
    found.push(...page.auditEntries.nodes);
    after = page.auditEntries.pageInfo.hasNextPage ? page.auditEntries.pageInfo.endCursor : null;
  } while (after !== null);
  return found;
}

/** Asks until the entries satisfy, or fails after 60 s with what there is. The loader brings them within moments. */
export async function auditUntil(
  server: RunningServer,
  filter: Readonly<Record<string, unknown>>,
  enough: (entries: readonly AuditNode[]) => boolean,
): Promise<AuditNode[]> {
  const end = performance.now() + 60_000;
  for (;;) {
    const entries = await auditEntries(server, filter);
    if (enough(entries)) return entries;
    if (performance.now() > end) throw new Error(`audit has ${entries.length} entries for ${JSON.stringify(filter)}`);
    await sleep(500);
  }
}
