import type { RecalledFrame, RecallFrame } from '@agent-reach/sdk/protocol';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Instance, Link } from '../../perceive/instance.js';
import { TestRegistry, testLink } from '../../perceive/testing.js';
import type { ClaimedOutcome, ClaimKey, ClaimStore, KnownClaim } from './claims.port.js';
import { ClaimRecovery } from './recovery.js';
import type { Resolution } from './recovery-claim.js';

/** Records what is written; answers at once, unless it is `away`. */
class FakeStore implements Pick<ClaimStore, 'unfinished' | 'finish' | 'release'> {
  left: KnownClaim[] = [];
  readonly written: string[] = [];
  away = false;
  readonly #waiting: (() => void)[] = [];

  unfinished(): Promise<readonly KnownClaim[]> {
    return this.away ? Promise.reject(new Error('the database is away')) : Promise.resolve(this.left);
  }
  finish({ requestId }: ClaimKey, dispatchId: string, outcome: ClaimedOutcome, done: () => void): void {
    this.written.push(`finish ${requestId} ${dispatchId} ${textOf(outcome)}`);
    if (this.away) this.#waiting.push(done);
    else done();
  }
  release({ requestId }: ClaimKey, dispatchId: string): void {
    this.written.push(`release ${requestId} ${dispatchId}`);
  }
  back(): void {
    this.away = false;
    for (const done of this.#waiting.splice(0)) done();
  }
}

let perceive: TestRegistry;
let store: FakeStore;
let recovery: ClaimRecovery;
let asked: string[];
let faults: unknown[];
let heard: string[];
let link: Link & { isOpen: boolean };

beforeEach(() => {
  perceive = new TestRegistry((instance) => recovery.lost(instance));
  store = new FakeStore();
  asked = [];
  faults = [];
  heard = [];
  link = testLink('first');
  recovery = new ClaimRecovery({
    clock: perceive.clock,
    store,
    delivery: {
      recall: (instance: Instance, frame: RecallFrame) =>
        asked.push(`${instance.record.incarnation} ${frame.caller} ${frame.requestId} ${frame.dispatchId}`),
    },
    instances: perceive.registry.table,
    onFault: (error) => faults.push(error),
  });
});

function left(overrides: Partial<KnownClaim> = {}): KnownClaim {
  return {
    caller: 'agent:shop/web',
    requestId: 'r1',
    namespace: 'shop',
    target: { capability: 'order_create' },
    capability: 'order_create',
    paramsHash: 'hash',
    instance: 'shop/orders/one',
    incarnation: 'inc-1',
    dispatchId: 'd1',
    nodeEpoch: 1n,
    outcome: undefined,
    agent: 'shop/orders',
    ...overrides,
  };
}

function textOf(outcome: ClaimedOutcome): string {
  return outcome.ok
    ? `OK ${JSON.stringify(outcome.result)}`
    : `${outcome.error.code} ${outcome.error.details?.cause ?? ''}`.trim();
}

function hear(resolution: Resolution): void {
  heard.push(resolution.kind === 'FREE' ? 'FREE' : textOf(resolution.outcome));
}

/** The instance comes (back), as the transport tells it. */
async function join(incarnation = 'inc-1', over: Link = link): Promise<Instance> {
  const instance = await perceive.ready({}, incarnation, over);
  recovery.joined(instance);
  return instance;
}

function answer(state: 'NEVER_SEEN' | 'RUNNING' | 'UNKNOWN', over: Link = link, dispatchId = 'd1'): boolean {
  return recovery.recalled({ type: 'recalled', dispatchId, state }, over);
}

const done: RecalledFrame = { type: 'recalled', dispatchId: 'd1', state: 'DONE', ok: true, result: { order: 7 } };

function result(value: unknown, over: Link = link, dispatchId = 'd1'): boolean {
  return recovery.completed({ type: 'result', dispatchId, ok: true, result: value }, over);
}

/** Lets time pass with the ticks that belong to it. The instance is heard meanwhile, while it has a connection. */
function pass(seconds: number): void {
  for (let at = 0; at < seconds; at++) {
    perceive.clock.advance(1_000);
    recovery.tick();
  }
}

/** A claim was left, somebody repeats it, and its instance is back. */
async function recalled(): Promise<Instance> {
  store.left = [left()];
  await recovery.start();
  recovery.wait(left(), hear);
  return await join();
}

describe('asking', () => {
  it('asks the instance when it is back, and no other', async () => {
    store.left = [left(), left({ requestId: 'r2', dispatchId: 'd2', instance: 'shop/orders/two' })];
    await recovery.start();
    expect(asked).toEqual([]);
    await join();
    expect(asked).toEqual(['inc-1 agent:shop/web r1 d1']);
    expect(recovery.open).toBe(2);
  });

  it('asks at once when the instance is here before the claims were read', async () => {
    await join();
    store.left = [left()];
    await recovery.start();
    expect(asked).toEqual(['inc-1 agent:shop/web r1 d1']);
  });

  it('asks again every 5 s without an answer, and when the instance comes back', async () => {
    await recalled();
    pass(4);
    expect(asked).toHaveLength(1);
    pass(1);
    expect(asked).toHaveLength(2);
    await join('inc-1', testLink('second'));
    expect(asked).toHaveLength(3);
    pass(5);
    expect(asked).toHaveLength(4);
  });

  it('takes over a claim that is repeated before the claims were read, and only once', async () => {
    await join();
    recovery.wait(left(), hear);
    expect(asked).toEqual(['inc-1 agent:shop/web r1 d1']);
    store.left = [left()];
    await recovery.start();
    expect(recovery.open).toBe(1);
    expect(asked).toHaveLength(1);
  });

  it('reads the claims again when the database was away', async () => {
    store.away = true;
    store.left = [left()];
    await recovery.start();
    expect(faults).toHaveLength(1);
    store.back();
    recovery.tick();
    await Promise.resolve();
    await join();
    expect(asked).toEqual(['inc-1 agent:shop/web r1 d1']);
  });
});

describe('answers', () => {
  it('NEVER_SEEN frees the key, so that the repetition runs', async () => {
    await recalled();
    expect(answer('NEVER_SEEN')).toBe(true);
    expect(store.written).toEqual(['release r1 d1']);
    expect(heard).toEqual(['FREE']);
    expect(recovery.open).toBe(0);
    // A second one, or one that comes after all, changes nothing.
    expect(answer('NEVER_SEEN')).toBe(false);
    expect(recovery.recalled(done, link)).toBe(false);
    expect(store.written).toHaveLength(1);
  });

  it('DONE is the outcome', async () => {
    await recalled();
    expect(recovery.recalled(done, link)).toBe(true);
    expect(store.written).toEqual(['finish r1 d1 OK {"order":7}']);
    expect(heard).toEqual(['OK {"order":7}']);
    expect(recovery.recalled(done, link)).toBe(false);
    expect(store.written).toHaveLength(1);
  });

  it('DONE with a failure of the agent is the outcome too', async () => {
    await recalled();
    const error = { code: 'BUSINESS_ERROR', message: 'sold out', details: { cause: 'stock' } } as const;
    recovery.recalled({ type: 'recalled', dispatchId: 'd1', state: 'DONE', ok: false, error }, link);
    expect(store.written).toEqual(['finish r1 d1 BUSINESS_ERROR stock']);
  });

  it('UNKNOWN ends it as OUTCOME_UNKNOWN', async () => {
    await recalled();
    expect(answer('UNKNOWN')).toBe(true);
    expect(heard).toEqual(['OUTCOME_UNKNOWN OUTCOME_UNKNOWN']);
  });

  it('RUNNING waits for the result', async () => {
    await recalled();
    expect(answer('RUNNING')).toBe(true);
    pass(300);
    expect(heard).toEqual([]);
    expect(asked).toHaveLength(1);
    expect(result('late but right')).toBe(true);
    expect(heard).toEqual(['OK "late but right"']);
    expect(result('twice')).toBe(false);
    expect(store.written).toEqual(['finish r1 d1 OK "late but right"']);
  });

  it('a result counts without an answer before it', async () => {
    await recalled();
    expect(result(1)).toBe(true);
    expect(answer('RUNNING')).toBe(false);
    expect(heard).toEqual(['OK 1']);
  });

  it('a result that cannot be passed on is a failure of the agent', async () => {
    await recalled();
    answer('RUNNING');
    const error = { code: 'INVALID_FRAME', message: 'a number', retryable: false } as const;
    expect(recovery.faulty('d1', link, error)).toBe(true);
    expect(heard).toEqual(['INVALID_RESULT']);
  });

  it('DONE may follow RUNNING, as the answer to a second question', async () => {
    await recalled();
    answer('RUNNING');
    await join('inc-1', link);
    expect(asked).toHaveLength(2);
    recovery.recalled(done, link);
    expect(heard).toEqual(['OK {"order":7}']);
  });

  it('NEVER_SEEN after RUNNING proves nothing', async () => {
    await recalled();
    answer('RUNNING');
    answer('NEVER_SEEN');
    expect(heard).toEqual(['OUTCOME_UNKNOWN OUTCOME_UNKNOWN']);
    expect(store.written).toHaveLength(1);
  });

  it('of another connection, and of other dispatches, change nothing', async () => {
    await recalled();
    const foreign = testLink('foreign');
    expect(answer('NEVER_SEEN', foreign)).toBe(false);
    expect(recovery.recalled(done, foreign)).toBe(false);
    expect(result(1, foreign)).toBe(false);
    expect(answer('NEVER_SEEN', link, 'd2')).toBe(false);
    expect(store.written).toEqual([]);
    expect(heard).toEqual([]);
  });

  it('of a connection that was replaced change nothing', async () => {
    await recalled();
    const second = testLink('second');
    await join('inc-1', second);
    expect(answer('NEVER_SEEN', link)).toBe(false);
    expect(answer('NEVER_SEEN', second)).toBe(true);
    expect(heard).toEqual(['FREE']);
  });
});

describe('another incarnation', () => {
  it('is asked as well, and its record of the one before counts', async () => {
    store.left = [left()];
    await recovery.start();
    recovery.wait(left(), hear);
    await join('inc-2');
    expect(asked).toEqual(['inc-2 agent:shop/web r1 d1']);
    recovery.recalled(done, link);
    expect(heard).toEqual(['OK {"order":7}']);
  });

  it('that has never seen it proves nothing', async () => {
    store.left = [left()];
    await recovery.start();
    recovery.wait(left(), hear);
    await join('inc-2');
    answer('NEVER_SEEN');
    expect(heard).toEqual(['OUTCOME_UNKNOWN CONNECTION_LOST']);
    expect(store.written).toEqual(['finish r1 d1 OUTCOME_UNKNOWN CONNECTION_LOST']);
  });
});

describe('time and loss', () => {
  it('gives up an HTTP endpoint at once, since nothing can be asked of it', async () => {
    const endpoint = {
      url: 'http://orders.test/',
      healthPath: '/',
      encoding: 'JSON',
      probeIntervalMs: 10_000,
      probeTimeoutMs: 2_000,
    } as const;
    await perceive.join({}, 'inc-1', link, 'orders', endpoint);
    recovery.wait(left(), hear);
    expect(heard).toEqual(['OUTCOME_UNKNOWN CONNECTION_LOST']);
    expect(asked).toEqual([]);
  });

  it('gives up what does not come back within 60 s', async () => {
    store.left = [left()];
    await recovery.start();
    recovery.wait(left(), hear);
    pass(59);
    expect(heard).toEqual([]);
    pass(1);
    expect(heard).toEqual(['OUTCOME_UNKNOWN CONNECTION_LOST']);
    expect(recovery.open).toBe(0);
  });

  it('gives up an instance that never answers', async () => {
    await recalled();
    pass(60);
    expect(heard).toEqual(['OUTCOME_UNKNOWN CONNECTION_LOST']);
  });

  it('waits on for one that leaves again before it answered', async () => {
    const instance = await recalled();
    recovery.lost(instance);
    pass(10);
    expect(asked).toHaveLength(1);
    await join();
    expect(answer('NEVER_SEEN')).toBe(true);
    expect(heard).toEqual(['FREE']);
  });

  it('ends what runs when its instance is lost', async () => {
    const instance = await recalled();
    answer('RUNNING');
    recovery.lost(instance);
    expect(heard).toEqual(['OUTCOME_UNKNOWN CONNECTION_LOST']);
  });

  it('does not take the loss of an earlier incarnation for that of the present one', async () => {
    const before = await join();
    store.left = [left()];
    await recovery.start();
    recovery.wait(left(), hear);
    await join('inc-2');
    answer('RUNNING');
    recovery.lost(before);
    expect(heard).toEqual([]);
    expect(result('done')).toBe(true);
    expect(heard).toEqual(['OK "done"']);
  });

  it('asks about what this server itself gave up, when the instance comes back over another connection', async () => {
    await join();
    recovery.unknown(left(), left());
    expect(asked).toEqual([]);
    const next = testLink('next');
    await join('inc-1', next);
    expect(asked).toEqual(['inc-1 agent:shop/web r1 d1']);
    expect(recovery.recalled(done, next)).toBe(true);
    expect(store.written).toEqual(['finish r1 d1 OK {"order":7}']);
    await join('inc-1', testLink('third'));
    expect(asked).toHaveLength(1);
  });

  it('ends what runs for longer than 10 minutes, and takes its result still', async () => {
    await recalled();
    answer('RUNNING');
    pass(599);
    expect(heard).toEqual([]);
    pass(1);
    expect(heard).toEqual(['OUTCOME_UNKNOWN RESPONSE_TIMEOUT']);
    expect(result('after all')).toBe(true);
    expect(store.written).toEqual(['finish r1 d1 OUTCOME_UNKNOWN RESPONSE_TIMEOUT', 'finish r1 d1 OK "after all"']);
  });

  it('takes a late answer to a question that was given up', async () => {
    await recalled();
    pass(60);
    expect(answer('NEVER_SEEN')).toBe(false);
    expect(recovery.recalled(done, link)).toBe(true);
    expect(store.written).toEqual(['finish r1 d1 OUTCOME_UNKNOWN CONNECTION_LOST', 'finish r1 d1 OK {"order":7}']);
  });
});

describe('those who wait', () => {
  it('all hear of it, but for who stopped waiting', async () => {
    store.left = [left()];
    await recovery.start();
    recovery.wait(left(), (resolution) => heard.push(`one ${resolution.kind}`));
    const stop = recovery.wait(left(), () => heard.push('two'));
    recovery.wait(left(), () => {
      throw new Error('a listener fails');
    });
    recovery.wait(left(), (resolution) => heard.push(`three ${resolution.kind}`));
    stop();
    await join();
    answer('NEVER_SEEN');
    expect(heard).toEqual(['one FREE', 'three FREE']);
    expect(faults).toHaveLength(1);
  });

  it('hear of nothing before it is stored, also those who come meanwhile', async () => {
    await recalled();
    store.away = true;
    recovery.recalled(done, link);
    recovery.wait(left(), (resolution) => heard.push(`second ${resolution.kind}`));
    pass(120);
    expect(heard).toEqual([]);
    expect(asked).toHaveLength(1);
    store.back();
    expect(heard).toEqual(['OK {"order":7}', 'second RESOLVED']);
    expect(recovery.open).toBe(0);
  });

  it('wait for the attempt that the claim was moved to', async () => {
    await recalled();
    const moved = left({ dispatchId: 'd2', instance: 'shop/orders/two', nodeEpoch: 2n });
    recovery.wait(moved, (resolution) => heard.push(`second ${resolution.kind}`));
    expect(answer('NEVER_SEEN')).toBe(false);
    expect(heard).toEqual([]);
    pass(60);
    expect(store.written).toEqual(['finish r1 d2 OUTCOME_UNKNOWN CONNECTION_LOST']);
    expect(heard).toEqual(['OUTCOME_UNKNOWN CONNECTION_LOST', 'second RESOLVED']);
  });

  it('wait for a newer claim of the same key, while the outcome of the one before is being stored', async () => {
    await recalled();
    store.away = true;
    recovery.recalled(done, link);
    recovery.wait(left({ dispatchId: 'd2' }), (resolution) => heard.push(`second ${resolution.kind}`));
    store.back();
    expect(heard).toEqual([]);
    expect(asked).toHaveLength(2);
    expect(answer('NEVER_SEEN', link, 'd2')).toBe(true);
    expect(heard).toEqual(['FREE', 'second FREE']);
  });
});

describe("this server's own claims that ended as OUTCOME_UNKNOWN", () => {
  it('get the late result of their dispatch, once', async () => {
    await join();
    recovery.unknown(left(), left());
    expect(result('foreign', testLink('foreign'))).toBe(false);
    expect(result('late')).toBe(true);
    expect(result('twice')).toBe(false);
    expect(store.written).toEqual(['finish r1 d1 OK "late"']);
  });

  it('get it over the next connection of the incarnation as well', async () => {
    await join();
    recovery.unknown(left(), left());
    const second = testLink('second');
    await join('inc-1', second);
    expect(result('late', second)).toBe(true);
  });

  it('stay unknown when the agent does not know either, until it does', async () => {
    await join();
    recovery.unknown(left(), left());
    const error = { code: 'OUTCOME_UNKNOWN', message: 'it began' } as const;
    recovery.completed({ type: 'result', dispatchId: 'd1', ok: false, error }, link);
    expect(result('late')).toBe(true);
    expect(store.written).toEqual(['finish r1 d1 OUTCOME_UNKNOWN', 'finish r1 d1 OK "late"']);
  });

  it('are remembered for 24 h', async () => {
    await join();
    recovery.unknown(left(), left());
    recovery.unknown(left({ requestId: 'r2' }), left({ dispatchId: 'd2' }));
    perceive.clock.advance(24 * 3_600_000 - 1);
    recovery.tick();
    expect(result('late')).toBe(true);
    perceive.clock.advance(1);
    recovery.tick();
    expect(result('too late', link, 'd2')).toBe(false);
  });

  it('are 10,000 at most, the oldest go first', async () => {
    await join();
    for (let at = 0; at <= 10_000; at++) {
      recovery.unknown(left({ requestId: `r${at}` }), left({ dispatchId: `d${at}` }));
    }
    expect(result(1, link, 'd0')).toBe(false);
    expect(result(1, link, 'd1')).toBe(true);
    expect(result(1, link, 'd10000')).toBe(true);
  });
});
