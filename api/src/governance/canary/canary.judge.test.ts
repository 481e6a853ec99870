import { type AgentRef, ReachError } from '@agent-reach/sdk/protocol';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Instance } from '../../perceive/instance.js';
import type { AgentRecord, AgentVersionRecord, CanaryEnd } from '../../perceive/model.js';
import { TestRegistry, testLink } from '../../perceive/testing.js';
import { CanaryBook } from './canary.book.js';
import { CanaryJudge } from './canary.judge.js';
import { type CanarySettings, USUAL_CANARY } from './canary.settings.js';
import { Trials } from './trials.js';

const SINCE = new Date('2026-01-01T00:00:00.000Z');

/** A registry with `shop/orders` 2.0.0, which a test puts on trial, and verdicts kept in memory. */
class Scene {
  readonly t = new TestRegistry();
  readonly trials = new Trials();
  readonly book = new CanaryBook(this.t.registry);
  readonly logged: string[] = [];
  readonly ends: CanaryEnd[] = [];
  /** What the database answers. */
  fails: Error | undefined;
  #version = 1;
  readonly judge = new CanaryJudge({
    clock: this.t.clock,
    registry: this.t.registry,
    feed: this.t.registry,
    book: this.book,
    trials: this.trials,
    store: { end: (_trial, end) => this.#end(end) },
    log: {
      info: (details, message) => this.logged.push(`info ${message} ${JSON.stringify(details)}`),
      warn: (details, message) => this.logged.push(`warn ${message} ${JSON.stringify(details)}`),
      error: (details, message) => this.logged.push(`error ${message} ${JSON.stringify(details)}`),
    },
  });
  instance!: Instance;

  async start(settings: Partial<CanarySettings> = {}): Promise<void> {
    this.settings({ enabled: true, ...settings });
    this.instance = await this.t.ready({ version: '2.0.0' });
    this.move({ domain: 'CANARY', canarySince: SINCE });
  }

  settings(settings: Partial<CanarySettings>): void {
    const version = ++this.#version;
    this.book.put({ namespace: 'shop', version, settings: { ...USUAL_CANARY, ...settings } });
  }

  get agent(): AgentRecord {
    const agent = this.t.registry.agent('shop/orders');
    if (agent === undefined) throw new Error('there is no agent');
    return agent;
  }

  get version(): AgentVersionRecord {
    const version = this.agent.versions.get('2.0.0');
    if (version === undefined) throw new Error('there is no version');
    return version;
  }

  get view() {
    return this.judge.view(this.agent, this.version);
  }

  move(change: Partial<AgentVersionRecord>): AgentRecord {
    const record = { ...this.agent, versions: new Map([['2.0.0', { ...this.version, ...change }]]) };
    this.t.registry.putAgent(record);
    return record;
  }

  /** Lets seconds pass, with the looks that belong to them. */
  async pass(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second++) {
      this.t.clock.advance(1_000);
      await this.judge.look();
    }
  }

  calls(count: number, failed = false): void {
    for (let call = 0; call < count; call++) this.trials.ended(this.instance, failed, this.t.clock.monotonic());
  }

  async #end(end: CanaryEnd): Promise<AgentRecord> {
    if (this.fails !== undefined) throw this.fails;
    this.ends.push(end);
    return this.move({ domain: end.kind === 'PROMOTED' ? 'PRODUCTION' : 'STAGING', canaryEnd: end });
  }
}

let scene: Scene;
beforeEach(() => {
  scene = new Scene();
});

describe('a version on trial', () => {
  it('is promoted when its time is over', async () => {
    await scene.start();
    await scene.judge.look();
    scene.calls(9);
    scene.calls(1, true);
    await scene.pass(119);
    expect(scene.view).toEqual({
      state: 'ON_TRIAL',
      since: SINCE,
      endedAt: null,
      promoteAt: new Date('2026-01-01T00:02:00.000Z'),
      calls: 10,
      failures: 1,
      reason: '1 of 10 calls failed, at most 10 % may',
    });
    await scene.pass(1);
    expect(scene.version.domain).toBe('PRODUCTION');
    expect(scene.instance.domain).toBe('PRODUCTION');
    expect(scene.view).toEqual({
      state: 'PROMOTED',
      since: SINCE,
      endedAt: new Date('2026-01-01T00:02:00.000Z'),
      promoteAt: null,
      calls: 10,
      failures: 1,
      reason: '1 of 10 calls failed in 120 s, at most 10 % may',
    });
    await scene.pass(300);
    expect(scene.ends).toHaveLength(1);
    expect(scene.logged).toEqual([
      'info a canary was promoted to PRODUCTION {"agent":"shop/orders","version":"2.0.0","reason":"1 of 10 calls failed in 120 s, at most 10 % may"}',
    ]);
  });

  it('is returned with a warning when it fails, within a second of that being plain', async () => {
    await scene.start();
    await scene.judge.look();
    scene.calls(10);
    scene.calls(10, true);
    await scene.pass(1);
    expect(scene.version.domain).toBe('STAGING');
    expect(scene.view).toMatchObject({
      state: 'RETURNED',
      endedAt: new Date('2026-01-01T00:00:01.000Z'),
      calls: 20,
      failures: 10,
      reason: '10 of 20 calls failed before its time was over, at most 10 % may',
    });
    expect(scene.logged).toEqual([expect.stringContaining('warn a canary was returned to STAGING')]);
  });

  it('has calls counted from before the first look', async () => {
    await scene.start();
    scene.calls(3);
    await scene.judge.look();
    expect(scene.view).toMatchObject({ calls: 3, failures: 0 });
  });

  it('needs an instance for its time to count', async () => {
    await scene.start();
    await scene.pass(60);
    scene.t.registry.pause(scene.instance.ref, 'user:ann', '');
    await scene.pass(300);
    expect(scene.view).toMatchObject({
      state: 'ON_TRIAL',
      promoteAt: null,
      reason: 'waits for an instance that can take calls',
    });
    scene.t.registry.resume(scene.instance.ref, 'user:ann');
    await scene.pass(61);
    expect(scene.version.domain).toBe('CANARY');
    await scene.pass(1);
    expect(scene.version.domain).toBe('PRODUCTION');
  });

  it('is not promoted by time that the server did not watch', async () => {
    await scene.start();
    await scene.judge.look();
    scene.t.clock.advance(600_000);
    await scene.judge.look();
    expect(scene.view).toMatchObject({ state: 'ON_TRIAL', promoteAt: new Date('2026-01-01T00:11:55.000Z') });
  });

  it('counts two instances as one, and is returned when the breakers of both are open', async () => {
    await scene.start();
    const other = await scene.t.ready({ version: '2.0.0', instance: 'two' }, 'inc-2', testLink('two'));
    scene.move({ domain: 'CANARY', canarySince: SINCE });
    scene.calls(2);
    scene.trials.ended(other, true, scene.t.clock.monotonic());
    await scene.judge.look();
    expect(scene.view).toMatchObject({ calls: 3, failures: 1 });
    const open = { state: 'OPEN', until: scene.t.clock.monotonic() + 30_000, reason: '5 failures in a row' } as const;
    other.live.breaker = open;
    await scene.pass(1);
    expect(scene.version.domain).toBe('CANARY');
    scene.instance.live.breaker = open;
    await scene.pass(1);
    expect(scene.view).toMatchObject({
      state: 'RETURNED',
      reason: 'the breaker of all its 2 instances is open: 5 failures in a row; 1 of 3 calls failed',
    });
  });

  it('begins anew when it is put on trial again, whatever comes late of the first time', async () => {
    await scene.start({ promoteMinCalls: 1_000 });
    await scene.pass(10);
    scene.calls(5, true);
    const first = scene.t.clock.monotonic();
    scene.move({ domain: 'STAGING' });
    await scene.pass(1);
    scene.move({ domain: 'CANARY', canarySince: new Date('2026-01-01T00:00:11.000Z') });
    await scene.pass(1);
    scene.calls(2);
    expect(scene.view).toMatchObject({ calls: 2, failures: 0 });
    scene.move({ domain: 'CANARY', canarySince: new Date('2026-01-01T00:00:12.000Z') });
    await scene.judge.look();
    scene.trials.ended(scene.instance, true, first);
    expect(scene.view).toMatchObject({ calls: 0, failures: 0 });
  });

  it('is judged anew when the verdict could not be stored', async () => {
    await scene.start({ promoteAfterMs: 1_000 });
    scene.fails = new ReachError('STORAGE_UNAVAILABLE', 'The database is away.');
    await scene.pass(2);
    expect(scene.version.domain).toBe('CANARY');
    scene.fails = undefined;
    await scene.pass(1);
    expect(scene.version.domain).toBe('PRODUCTION');
    expect(scene.logged.map((line) => line.slice(0, 52))).toEqual([
      'warn the verdict on a canary waits for the database ',
      'info a canary was promoted to PRODUCTION {"agent":"s',
    ]);
  });

  it('is left to whoever decided first', async () => {
    await scene.start({ promoteAfterMs: 1_000 });
    scene.fails = new ReachError('CONFLICT', 'Somebody decided meanwhile.');
    await scene.pass(3);
    expect(scene.logged).toEqual([]);
  });
});

describe('a namespace', () => {
  const share = () => [...scene.t.registry.table.canaryShares];

  it('has its share for canaries while it tries versions out, and until the last trial has ended', async () => {
    await scene.start({ sharePercent: 7 });
    expect(share()).toEqual([['shop', 7]]);
    await scene.pass(1);
    scene.settings({ sharePercent: 9 });
    expect(share()).toEqual([['shop', 9]]);
    await scene.pass(120);
    expect(scene.version.domain).toBe('PRODUCTION');
    await scene.pass(1);
    expect(share()).toEqual([]);
  });

  it('that does not try versions out leaves those in CANARY alone, and judges them once it does', async () => {
    await scene.start();
    scene.settings({ enabled: false });
    scene.move({ domain: 'CANARY', canarySince: null });
    await scene.pass(200);
    expect(scene.view).toBeUndefined();
    expect(share()).toEqual([]);
    scene.settings({ enabled: true });
    await scene.pass(121);
    expect(scene.view).toMatchObject({ state: 'PROMOTED', since: null });
  });

  it('keeps its newest settings, however late an older change is heard of', () => {
    const ref: AgentRef = 'shop/orders';
    scene.book.put({ namespace: 'shop', version: 8, settings: { ...USUAL_CANARY, enabled: true, sharePercent: 8 } });
    scene.book.put({ namespace: 'shop', version: 7, settings: { ...USUAL_CANARY, enabled: true, sharePercent: 7 } });
    expect(scene.book.of(ref.slice(0, 4)).sharePercent).toBe(8);
    scene.book.remove('shop');
    expect(scene.book.of('shop')).toEqual(USUAL_CANARY);
    expect(share()).toEqual([]);
  });
});
