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

/**
 * Webhooks of tasks that ended, until each is delivered or given up. A result that replaces an unknown outcome makes a
 * webhook due anew; what is then still said of the message before changes nothing. Everything rejects while the database
 * is away.
 */
export interface WebhookOutbox {
  /** What is due by `now`, the longest waiting first: one for each host, none for `busyHosts` (as `URL.host`). */
  due(now: number, busyHosts: readonly string[], limit: number): Promise<readonly DueWebhook[]>;
  /** When the next one after `now` is due; undefined for none. Wall clock, ms since 1970. */
  nextAt(now: number): Promise<number | undefined>;
  delivered(webhook: DueWebhook, at: number): Promise<void>;
  /** `nextAt` undefined: given up. */
  failed(webhook: DueWebhook, error: string, nextAt: number | undefined): Promise<void>;
}
