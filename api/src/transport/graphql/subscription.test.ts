import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Executed } from './shared-executions.js';
import { Subscription } from './subscription.js';

const executed = (text: string): Executed => ({ result: { data: {} }, text });

/** A subscription to events that a test publishes, executed and sent when the test says so. */
class Fixture {
  readonly sent: string[] = [];
  readonly events: ((event: IteratorResult<object>) => void)[] = [];
  readonly executions: ((executed: Executed) => void)[] = [];
  drained: (() => void) | undefined;
  slow = false;
  readonly subscription = new Subscription({
    events: {
      next: () => new Promise((resolve) => this.events.push(resolve)),
      return: async () => {
        this.events.shift()?.({ done: true, value: undefined });
        return { done: true, value: undefined };
      },
    },
    execute: () => new Promise((resolve) => this.executions.push(resolve)),
    printErrors: () => 'errors',
    send: (payload) => {
      this.sent.push(payload);
      if (!this.slow) return;
      return new Promise((resolve) => {
        this.drained = resolve;
      });
    },
  });
  readonly over = this.subscription.next();

  async event(): Promise<void> {
    this.events.shift()?.({ done: false, value: {} });
    await setImmediate();
  }

  async execute(result: Executed): Promise<void> {
    this.executions.shift()?.(result);
    await setImmediate();
  }
}

describe('a subscription', () => {
  it('sends what each event comes to, errors as they are for it', async () => {
    const x = new Fixture();
    await x.event();
    await x.execute(executed('one'));
    await x.event();
    await x.execute({ result: { errors: [] }, text: undefined });
    expect(x.sent).toEqual(['one', 'errors']);
    await x.subscription.return();
    expect(await x.over).toEqual({ done: true, value: undefined });
  });

  it('asks for no event while the last one waits to be read', async () => {
    const x = new Fixture();
    x.slow = true;
    await x.event();
    await x.execute(executed('one'));
    expect(x.events).toHaveLength(0);
    x.drained?.();
    await setImmediate();
    expect(x.events).toHaveLength(1);
  });

  it('sends nothing more once it was given up, since its id may be that of another', async () => {
    const x = new Fixture();
    await x.event();
    await x.subscription.return();
    await x.execute(executed('late'));
    expect(await x.over).toEqual({ done: true, value: undefined });
    expect(x.sent).toEqual([]);
  });

  it('ends with what ended its events', async () => {
    const x = new Fixture();
    const broken = new Subscription({
      events: { next: () => Promise.reject(new Error('storage is away')) },
      execute: () => executed('never'),
      printErrors: () => '',
      send: () => {},
    });
    await expect(broken.next()).rejects.toThrow('storage is away');
    await x.subscription.return();
  });
});
