import type { TaskView } from '@agent-reach/sdk/protocol';

/** A message that a task is over, and due to be sent. */
export interface DueWebhook {
  readonly url: string;
  /** What it is signed with. */
  readonly secret: string;
  /** Tries before. */
  readonly attempts: number;
  /** Wall clock, ms since 1970; together with the task's id it names this try. */
  readonly dueAt: number;
  readonly task: TaskView;
}

/** Messages under way at once: in all, to one host, and of one namespace, so that silent receivers of one keep nobody's waiting. */
export const WEBHOOK_PLACES = { all: 32, host: 4, namespace: 8 } as const;

/** What is under way, and what has no place free: hosts as `URL.host`. */
export interface WebhooksUnderWay {
  readonly taskIds: readonly string[];
  readonly fullHosts: readonly string[];
  readonly fullNamespaces: readonly string[];
}

/**
 * Webhooks of tasks that ended, until each is delivered or given up. A result that replaces an unknown outcome makes a
 * webhook due anew; what is then still said of the message before changes nothing. Everything rejects while the database
 * is away.
 */
export interface WebhookOutbox {
  /**
   * What is due by `now` beside what is under way, the longest waiting first: for no host and namespace more than it has
   * places, for those that are full nothing, and no more than there are places in all.
   */
  due(now: number, underWay: WebhooksUnderWay): Promise<readonly DueWebhook[]>;
  /** When the next one after `now` is due; undefined for none. Wall clock, ms since 1970. */
  nextAt(now: number): Promise<number | undefined>;
  delivered(webhook: DueWebhook, at: number): Promise<void>;
  /** `nextAt` undefined: given up. */
  failed(webhook: DueWebhook, error: string, nextAt: number | undefined): Promise<void>;
}
