import { CallbackTimer, type TimingWheel } from '../execute/attempts/timing-wheel.js';
import {
  type DueWebhook,
  WEBHOOK_PLACES,
  type WebhookOutbox,
  type WebhooksUnderWay,
} from '../execute/tasks/webhooks.port.js';
import type { Clock } from '../perceive/clock.js';
import { signedHeaders, webhookId } from './webhook-signature.js';

/** Waits before the tries that follow the first, ms. */
const PAUSES_MS = [5_000, 30_000, 120_000, 600_000, 3_600_000, 10_800_000, 21_600_000, 43_200_000];
const ANSWER_MS = 10_000;
/** How long to wait when the outbox can't be read, ms. */
const AWAY_MS = 5_000;
/** The outbox is looked at so often even when nothing is known to be due, ms. */
const LOOK_MS = 60_000;

/** What webhooks are sent by: a `fetch` that checks every address on the way. */
export interface Egress {
  fetch(
    url: string,
    init: {
      readonly method: string;
      readonly headers: Record<string, string>;
      readonly body: string;
      readonly signal: AbortSignal;
    },
    path?: string,
  ): Promise<{ readonly status: number; readonly body: { cancel(): Promise<void> } | null }>;
}

export interface WebhookSenderDeps {
  readonly outbox: WebhookOutbox;
  readonly egress: Egress;
  readonly clock: Clock;
  readonly wheel: TimingWheel;
  readonly log: { warn(details: { readonly [key: string]: unknown }, message: string): void };
  /** How long an answer may take, ms; default 10 s. */
  readonly answerMs?: number;
}

/**
 * Sends the webhooks of tasks that ended: each until its receiver answers 2xx, again after growing pauses, for some 22
 * hours. At least once, and in no order; the id of a message tells repetitions.
 */
export class WebhookSender {
  /** By task. */
  readonly #sending = new Map<
    string,
    { readonly host: string; readonly namespace: string; readonly done: Promise<void> }
  >();
  readonly #timer = new CallbackTimer(() => this.wake());
  readonly #stopped = new AbortController();
  #looking = false;
  #lookAgain = false;

  constructor(private readonly deps: WebhookSenderDeps) {}

  /** Looks for what is due: at the start of the server, and whenever a task has ended. */
  wake(): void {
    if (this.#stopped.signal.aborted) return;
    if (this.#looking) this.#lookAgain = true;
    else void this.#look();
  }

  /** Gives up what is under way; it is sent again after the next start. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    this.deps.wheel.disarm(this.#timer);
    await Promise.all(Array.from(this.#sending.values(), ({ done }) => done));
  }

  async #look(): Promise<void> {
    const { outbox, clock, wheel, log } = this.deps;
    this.#looking = true;
    let pauseMs = AWAY_MS;
    try {
      do {
        this.#lookAgain = false;
        await this.#sendDue();
      } while (this.#lookAgain);
      const next = await outbox.nextAt(clock.wall());
      pauseMs = next === undefined ? LOOK_MS : Math.min(LOOK_MS, Math.max(0, next - clock.wall()));
    } catch (error) {
      log.warn({ err: error }, 'the outbox of webhooks could not be read');
    }
    this.#looking = false;
    if (this.#stopped.signal.aborted) return;
    if (this.#lookAgain) this.wake();
    else wheel.arm(this.#timer, clock.monotonic() + pauseMs);
  }

  async #sendDue(): Promise<void> {
    const { outbox, clock } = this.deps;
    let found: readonly DueWebhook[];
    do {
      if (this.#sending.size >= WEBHOOK_PLACES.all) return;
      found = await outbox.due(clock.wall(), this.#underWay());
      for (const webhook of found) this.#begin(webhook);
      // What a full page could not show may have places: the first of each page has one, so this comes to an end.
    } while (found.length >= WEBHOOK_PLACES.all && !this.#stopped.signal.aborted);
  }

  /** Begins to send a message, if there is a place for it. */
  #begin(webhook: DueWebhook): void {
    const { taskId, namespace } = webhook.task;
    const host = hostOf(webhook.url);
    const { taskIds, fullHosts, fullNamespaces } = this.#underWay();
    if (this.#stopped.signal.aborted || taskIds.length >= WEBHOOK_PLACES.all || taskIds.includes(taskId)) return;
    if (fullHosts.includes(host) || fullNamespaces.includes(namespace)) return;
    const done = this.#send(webhook).finally(() => {
      this.#sending.delete(taskId);
      this.wake();
    });
    this.#sending.set(taskId, { host, namespace, done });
  }

  #underWay(): WebhooksUnderWay {
    const sending = [...this.#sending.values()];
    return {
      taskIds: [...this.#sending.keys()],
      fullHosts: full(
        sending.map(({ host }) => host),
        WEBHOOK_PLACES.host,
      ),
      fullNamespaces: full(
        sending.map(({ namespace }) => namespace),
        WEBHOOK_PLACES.namespace,
      ),
    };
  }

  async #send(webhook: DueWebhook): Promise<void> {
    const { outbox, clock, log } = this.deps;
    const fault = await this.#post(webhook);
    // The server stops: that says nothing about the receiver.
    if (fault !== undefined && this.#stopped.signal.aborted) return;
    try {
      if (fault === undefined) return await outbox.delivered(webhook, clock.wall());
      const pauseMs = PAUSES_MS[webhook.attempts];
      await outbox.failed(webhook, fault, pauseMs === undefined ? undefined : clock.wall() + pauseMs);
    } catch (error) {
      // It stays due, and is sent once more: rather twice than never. Not at once, though.
      log.warn({ err: error, taskId: webhook.task.taskId }, 'what became of a webhook could not be stored');
      await this.#pause(AWAY_MS);
    }
  }

  /** Why it was not delivered; undefined when it was. */
  async #post({ url, secret, task }: DueWebhook): Promise<string | undefined> {
    const { egress, clock, answerMs = ANSWER_MS } = this.deps;
    const body = JSON.stringify(task);
    try {
      const response = await egress.fetch(
        url,
        {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            'user-agent': 'agent-reach',
            ...signedHeaders(webhookId(task), clock.wall(), body, secret),
          },
          body,
          signal: AbortSignal.any([AbortSignal.timeout(answerMs), this.#stopped.signal]),
        },
        'callback.url',
      );
      await response.body?.cancel();
      return response.status >= 200 && response.status < 300 ? undefined : `answered ${response.status}`;
    } catch (error) {
      return reasonOf(error);
    }
  }

  /** Ends early when the server stops. */
  #pause(ms: number): Promise<void> {
    const { wheel, clock } = this.deps;
    return new Promise((resolve) => {
      const timer = new CallbackTimer(resolve);
      wheel.arm(timer, clock.monotonic() + ms);
      this.#stopped.signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }
}

/** Those of which there are as many as there are places. */
function full(names: readonly string[], places: number): string[] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].filter(([, count]) => count >= places).map(([name]) => name);
}

/** As the outbox has it. */
function hostOf(url: string): string {
  return /^[^:]+:\/\/([^/?#]+)/.exec(url)?.[1] ?? '';
}

/** `fetch` says why only in the cause of its error. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return 'did not answer in time';
  const cause = error.cause instanceof Error ? error.cause.message || error.cause.name : undefined;
  return cause === undefined ? error.message : `${error.message}: ${cause}`;
}
