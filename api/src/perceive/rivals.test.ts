import { ReachError, type RegisterFrame } from '@agent-reach/sdk/protocol';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Link } from './instance.js';
import { TestRegistry, testLink } from './testing.js';

const REF = 'shop/orders/one';

/** A process with its connection. */
class Process {
  readonly link: Link & { isOpen: boolean };

  constructor(
    private readonly t: TestRegistry,
    readonly incarnation: string,
  ) {
    this.link = testLink(incarnation);
  }

  /** Registers; returns after how many ms it may try again, 0 when it was admitted. */
  async register(frame: Partial<RegisterFrame> = {}): Promise<number> {
    try {
      await this.t.join({ lease: 'BATCH', ...frame }, this.incarnation, this.link);
      return 0;
    } catch (error) {
      if (!(error instanceof ReachError) || error.code !== 'CONFLICT' || !error.retryable) throw error;
      return error.retryAfterMs ?? 0;
    }
  }

  close(): void {
    this.link.isOpen = false;
    this.t.registry.linkClosed(this.link, [REF]);
  }
}

let t: TestRegistry;
let x: Process;
let y: Process;

beforeEach(() => {
  t = new TestRegistry();
  x = new Process(t, 'inc-x');
  y = new Process(t, 'inc-y');
});

function view() {
  const { incarnation, lifecycle, reason, contestedSince } = t.registry.instance(REF) ?? {};
  return { incarnation, lifecycle, reason, contestedSince: contestedSince?.toISOString() };
}

const CONTESTED = () => t.records.filter(({ action }) => action === 'instance.CONTESTED');

describe('two live processes under one instance id', () => {
  it('are found when the one that was replaced registers again, which is refused', async () => {
    expect([await x.register(), await y.register(), await x.register()]).toEqual([0, 0, 1_000]);
    expect(view()).toEqual({
      incarnation: 'inc-y',
      lifecycle: 'STARTING',
      reason: 'another live process (incarnation inc-x) registers under its name and is refused',
      contestedSince: '2026-01-01T00:00:00.000Z',
    });
    expect(t.registry.rivals.refused).toBe(1);
    await expect(t.join({}, 'inc-x', x.link)).rejects.toThrow(
      'Another live process is registered as shop/orders/one; give each process an instance name of its own.',
    );
  });

  it('leave one audit entry of their own', async () => {
    await x.register();
    await y.register();
    for (let attempt = 0; attempt < 5; attempt++) await x.register();
    expect(CONTESTED()).toMatchObject([
      {
        kind: 'TRANSITION',
        actor: 'system',
        target: 'shop/orders',
        instance: REF,
        details: {
          incarnation: 'inc-y',
          rival: 'inc-x',
          reason: 'a process that another one had replaced registers again: both live',
        },
      },
    ]);
  });

  it('wait longer each time, a minute at most', async () => {
    await x.register();
    await y.register();
    const waits: number[] = [];
    for (let attempt = 0; attempt < 9; attempt++) {
      const waitMs = await x.register();
      waits.push(waitMs);
      t.pass(waitMs);
    }
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
    expect(view().incarnation).toBe('inc-y');
  });

  it('do not replace each other: what runs on the one that stays goes on', async () => {
    await x.register();
    await y.register();
    const lostBefore = t.lost.length;
    for (let attempt = 0; attempt < 5; attempt++) await x.register();
    expect(t.lost).toHaveLength(lostBefore);
    expect(t.store.saved).toHaveLength(1);
  });

  it('write nothing while they are refused, whatever they report', async () => {
    await x.register();
    await y.register();
    await x.register({ description: 'another' });
    expect(t.store.saved).toHaveLength(1);
  });

  it('go on with the other when the one that holds the place leaves', async () => {
    await x.register();
    await y.register();
    await x.register();
    y.close();
    expect(await x.register()).toBe(0);
    expect(view()).toMatchObject({ incarnation: 'inc-x', contestedSince: '2026-01-01T00:00:00.000Z' });
    // The first is a rival now, and so is a third.
    y.link.isOpen = true;
    expect(await y.register()).toBe(2_000);
    expect(await new Process(t, 'inc-z').register()).toBe(4_000);
    expect(CONTESTED()).toHaveLength(1);
  });

  it('are forgotten a minute after the rival should have come again', async () => {
    await x.register();
    await y.register();
    t.registry.ready(REF, y.link);
    await x.register();
    t.pass(60_000);
    expect(view().contestedSince).toBeDefined();
    t.pass(2_000);
    expect(view()).toEqual({
      incarnation: 'inc-y',
      lifecycle: 'READY',
      reason: 'no other process registers under its name any more',
      contestedSince: undefined,
    });
    expect(await new Process(t, 'inc-z').register()).toBe(0);
  });
});

describe('what is no fight', () => {
  it('a process that crashes and is started again, however often', async () => {
    for (let life = 0; life < 50; life++) {
      const process = new Process(t, `inc-${life}`);
      expect(await process.register()).toBe(0);
      if (life % 2 === 0) process.close();
      t.pass(1_000);
    }
    expect([CONTESTED(), t.registry.rivals.refused]).toEqual([[], 0]);
  });

  it('a newer process that takes over while the older one still lives, and then leaves', async () => {
    await x.register();
    expect(await y.register()).toBe(0);
    x.close();
    expect(view()).toMatchObject({ incarnation: 'inc-y', contestedSince: undefined });
  });

  it('a process that comes back over another connection', async () => {
    await x.register();
    for (let again = 0; again < 5; again++) expect(await new Process(t, 'inc-x').register()).toBe(0);
    expect(CONTESTED()).toEqual([]);
  });

  it('a process that said goodbye, and comes back after another one did too', async () => {
    await x.register();
    t.registry.goodbye(REF, x.link);
    await y.register();
    t.registry.goodbye(REF, y.link);
    expect(await x.register()).toBe(0);
    expect(CONTESTED()).toEqual([]);
  });

  it('a process that comes back more than ten minutes after it was replaced', async () => {
    await x.register({ lease: { intervalMs: 600_000, ttlMs: 3_600_000 } });
    await y.register({ lease: { intervalMs: 600_000, ttlMs: 3_600_000 } });
    t.pass(601_000);
    expect(await x.register()).toBe(0);
    expect(CONTESTED()).toEqual([]);
  });
});
