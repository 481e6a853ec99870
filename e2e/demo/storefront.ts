import { CallError, connect, type Reach } from '@agent-reach/sdk';
import { CUSTOMERS, PRODUCTS, pickAny } from './shop.js';

const COUNT_EVERY_MS = 12_000;

/** What became of the messages since the last look. */
export interface Tally {
  sent: number;
  slowestMs: number;
  readonly outcomes: Map<string, number>;
}

interface Reply {
  readonly outcome: string;
}

/** The shop's website: customers who write messages at a steady rate. */
export class Storefront {
  private readonly reach: Reach;
  private readonly timer: NodeJS.Timeout;
  private readonly counting: NodeJS.Timeout;
  private tally: Tally = empty();

  constructor(url: string, token: string, messagesPerSecond: number) {
    this.reach = connect({ url, token, drainOn: [] });
    this.timer = setInterval(() => void this.write(), 1000 / messagesPerSecond);
    this.counting = setInterval(() => void this.count(), COUNT_EVERY_MS);
    void this.count();
  }

  /** What became of the messages since this was last asked. */
  takeTally(): Tally {
    const taken = this.tally;
    this.tally = empty();
    return taken;
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    clearInterval(this.counting);
    await this.reach.close();
  }

  /** Has a warehouse counted: a task, which goes on without anybody waiting for it. */
  private async count(): Promise<void> {
    this.tally.sent += 1;
    let outcome = 'COUNTING';
    try {
      await this.reach.startTask({ capability: 'inventory_count', timeoutMs: 5000 });
    } catch (error) {
      outcome = error instanceof CallError ? error.code : String(error);
    }
    this.tally.outcomes.set(outcome, (this.tally.outcomes.get(outcome) ?? 0) + 1);
  }

  private async write(): Promise<void> {
    const message = nextMessage();
    const startedAt = performance.now();
    this.tally.sent += 1;
    let outcome: string;
    try {
      // A customer's conversation stays with one session agent.
      const { customerId } = message;
      const request = { capability: 'session_message', params: message, affinityKey: customerId, timeoutMs: 12_000 };
      outcome = (await this.reach.call<Reply>(request)).outcome;
    } catch (error) {
      outcome = error instanceof CallError ? error.code : String(error);
    }
    this.tally.outcomes.set(outcome, (this.tally.outcomes.get(outcome) ?? 0) + 1);
    this.tally.slowestMs = Math.max(this.tally.slowestMs, performance.now() - startedAt);
  }
}

const empty = (): Tally => ({ sent: 0, slowestMs: 0, outcomes: new Map() });

/** Mostly tracking and buying, now and then a report, and rarely something that the rules do not allow. */
function nextMessage(): { customerId: string; intent: string; orderId?: string; sku?: string; quantity?: number } {
  const customerId = pickAny(CUSTOMERS);
  const chance = Math.random();
  const orderId = `A-${1000 + Math.floor(Math.random() * 200)}`;
  const { sku } = pickAny(PRODUCTS);
  if (chance < 0.55) return { customerId, intent: 'TRACK', orderId };
  if (chance < 0.9) return { customerId, intent: 'BUY', sku, quantity: 1 + Math.floor(Math.random() * 3) };
  if (chance < 0.94) return { customerId, intent: 'REPORT' };
  if (chance < 0.97) return { customerId, intent: 'REFUND', orderId };
  return { customerId, intent: 'CORRECT_STOCK', sku };
}
