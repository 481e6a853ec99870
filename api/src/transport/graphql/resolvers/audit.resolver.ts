import { Arg, Args, Ctx, ID, Query, Resolver, Root, Subscription } from 'type-graphql';
import { demand } from '../../../governance/access/actions.js';
import type { Principal } from '../../../governance/access/principal.js';
import type { StoredAuditEntry } from '../../../governance/audit/audit.entry.js';
import type { AuditFeedEvent } from '../../../governance/audit/audit.feed.js';
import type { AuditSelection } from '../../../governance/audit/audit.filter.js';
import { scopeFor } from '../access.js';
import { type Connection, ConnectionArgs } from '../connection.js';
import type { GraphqlContext } from '../context.js';
import { connection, encodeCursor, pageRequest } from '../paging.js';
import type { GraphqlServices } from '../services.js';
import { AuditEntryConnection, AuditEntryType, AuditFeedEventType, AuditFilter } from '../types/audit.types.js';

const LIST = 'auditEntries';

const entryNode = (entry: StoredAuditEntry): AuditEntryType => ({
  ...entry,
  sequence: String(entry.sequence),
  alias: textOf(entry.details.alias),
  need: textOf(entry.details.need),
});

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

interface FeedArgs {
  readonly after?: string | null;
  readonly namespace?: string | null;
  readonly filter?: AuditFilter | null;
}

@Resolver(() => AuditEntryType)
export class AuditResolver {
  constructor(private readonly services: Pick<GraphqlServices, 'audit'>) {}

  @Query(() => AuditEntryConnection, {
    description:
      'Audit entries, newest first. A filter that no index serves searches a bounded stretch: the page may then be short or empty with more to come after its endCursor.',
  })
  async auditEntries(
    @Ctx() { principal }: GraphqlContext,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Arg('namespace', () => String, { nullable: true, description: 'Only of this namespace.' })
    namespace?: string | null,
    @Arg('filter', () => AuditFilter, { nullable: true, description: 'Which entries.' }) filter?: AuditFilter | null,
  ): Promise<Connection<AuditEntryType>> {
    const request = pageRequest(LIST, args);
    const page = await this.services.audit.page(selectionOf(principal, namespace, filter), request);
    const found = connection(LIST, page, ({ sequence }) => [String(sequence)], entryNode);
    if (page.searchedUntil === undefined) return found;
    // Only a stretch was searched: going on starts where it ended, not at the last entry found.
    const cursor = encodeCursor(LIST, [page.searchedUntil]);
    const end = request.direction === 'FORWARD' ? { endCursor: cursor } : { startCursor: cursor };
    return { ...found, pageInfo: { ...found.pageInfo, ...end } };
  }

  @Query(() => AuditEntryType, { nullable: true, description: 'One audit entry; null when there is none.' })
  async auditEntry(
    @Ctx() { principal }: GraphqlContext,
    @Arg('sequence', () => ID, { description: 'Its place in the sequence.' }) sequence: string,
  ): Promise<AuditEntryType | null> {
    const entry = await this.services.audit.find(scopeFor(principal, 'audit.read'), sequence);
    return entry === null ? null : entryNode(entry);
  }

  @Subscription(() => AuditFeedEventType, {
    description: 'Audit entries as they are stored. Without `after` it begins with a snapshot of the newest ones.',
    subscribe: ({ args, context }) => {
      const { after, namespace, filter } = args as FeedArgs;
      const { principal, streams } = context as GraphqlContext;
      return streams.auditFeed.open({ ...selectionOf(principal, namespace, filter), after: after ?? undefined });
    },
  })
  auditFeed(
    @Root() event: AuditFeedEvent,
    @Arg('after', () => String, { nullable: true, description: 'Position after which to go on.' }) _after?: string,
    @Arg('namespace', () => String, { nullable: true, description: 'Only of this namespace.' }) _namespace?: string,
    @Arg('filter', () => AuditFilter, { nullable: true, description: 'Which entries.' }) _filter?: AuditFilter,
  ): AuditFeedEventType {
    return { ...event, entries: event.entries.map(entryNode) };
  }
}

/** What the principal may read, by its scope and in the namespace that it names. Throws NOT_FOUND and DENIED. */
function selectionOf(
  principal: Principal,
  namespace: string | null | undefined,
  filter: AuditFilter | null | undefined,
): AuditSelection {
  if (namespace != null) demand(principal, 'audit.read', namespace);
  return { scope: scopeFor(principal, 'audit.read'), namespace, filter };
}
