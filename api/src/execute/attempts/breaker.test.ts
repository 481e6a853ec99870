import { type BreakerSettings, DEFAULT_POLICY_CONTENT, seededRandom } from '@agent-reach/sdk/decide';
import { describe, expect, it } from 'vitest';
import { Breaker, type BreakerChange, type BreakerCharge } from './breaker.js';

const DEFAULTS = DEFAULT_POLICY_CONTENT.breaker;

/** A breaker with a time of its own, and what a run of attempts does to it. */
class Bench {
  readonly breaker = new Breaker();
  now = 1_000_000;
  settings: BreakerSettings;
  /** Good probes in a row of its health path; undefined: it has none. */
  health: number | undefined;

  constructor(settings: Partial<BreakerSettings> = {}) {
    this.settings = { ...DEFAULTS, ...settings };
  }

  get state() {
    return this.breaker.state;
  }
  end(charge: BreakerCharge, latencyMs = 10): BreakerChange {
    return this.breaker.charge(charge, false, this.settings, this.now, latencyMs, this.health);
  }
  /** Attempts one after the other, so far apart. */
  run(charges: string, everyMs: number, latencyMs = 10): void {
    for (const letter of charges) {
      this.now += everyMs;
      this.end(letter === 'x' ? 'FAILURE' : 'SUCCESS', latencyMs);
    }
  }
  probe(charge: BreakerCharge, latencyMs = 10): BreakerChange {
    this.breaker.beginProbe();
    return this.breaker.charge(charge, true, this.settings, this.now, latencyMs, this.health);
  }
  opened(): this {
    this.run('xxxxx', 1);
    this.now += this.settings.openMs;
    return this;
  }
}

describe('failures in a row', () => {
  it('five within 30 s open it for 30 s, with the reason', () => {
    const x = new Bench();
    x.run('xxxx', 7_500);
    expect(x.state).toEqual({ state: 'CLOSED' });
    x.now += 7_500;
    expect(x.end('FAILURE')).toBe('OPENED');
    expect(x.state).toEqual({ state: 'OPEN', until: 1_067_500, reason: '5 failures in a row' });
  });

  it('five that took longer than 30 s do not, until five are within it', () => {
    const x = new Bench();
    x.run('xxxxx', 7_501);
    expect(x.state.state).toBe('CLOSED');
    // The window moves: it does not begin anew with the sixth.
    x.now += 7_400;
    expect(x.end('FAILURE')).toBe('OPENED');
  });

  it('a success between them begins the count anew, an end that says nothing does not', () => {
    const x = new Bench();
    x.run('xxxx.xxxx', 1);
    expect(x.state.state).toBe('CLOSED');
    x.end('NEITHER');
    expect(x.end('FAILURE')).toBe('OPENED');
  });

  it('a limit over a thousand counts the whole run', () => {
    const x = new Bench({ consecutiveFailures: 2_000, errorRate: 1 });
    x.run('x'.repeat(1_999), 100);
    expect(x.state.state).toBe('CLOSED');
    expect(x.end('FAILURE')).toBe('OPENED');
  });
});

describe('the error rate', () => {
  it('over 40 % opens it, from twenty calls on', () => {
    const x = new Bench();
    x.run('xx...xx...xx...xx..', 100);
    expect(x.state.state).toBe('CLOSED');
    // 8 of 20 are 40 %, not more.
    x.run('.', 100);
    expect(x.state.state).toBe('CLOSED');
    x.run('x', 100);
    expect(x.state).toMatchObject({ state: 'OPEN', reason: '9 of 21 recent calls failed' });
  });

  it('counts when the minimum volume is reached by a success', () => {
    const x = new Bench();
    x.run('xx.xx.xx.xx.xx.....', 100);
    expect(x.state.state).toBe('CLOSED');
    expect(x.end('SUCCESS')).toBe('OPENED');
    expect(x.state).toMatchObject({ reason: '10 of 20 recent calls failed' });
  });

  it('sees failures on both sides of a minute that a fixed window would have split', () => {
    const x = new Bench();
    x.run('.'.repeat(30), 1_000);
    x.run('xx.xx.xx.', 3_000);
    expect(x.state.state).toBe('CLOSED');
    // By now the minute holds only the later of the good calls.
    x.run('xx.xx.xx.', 3_000);
    expect(x.state.state).toBe('OPEN');
  });

  it('forgets what is older than a minute', () => {
    const x = new Bench();
    x.run('xx.xx.xx.xx.xx....', 100);
    x.now += 60_000;
    x.run('.', 100);
    x.run('xxxx....', 100);
    expect(x.state.state).toBe('CLOSED');
  });

  it('keeps counting while calls of two policies with windows of their own alternate', () => {
    const x = new Bench();
    for (let call = 0; call < 40; call++) {
      x.settings = { ...DEFAULTS, rateWindowMs: call % 2 === 0 ? 60_000 : 20_000 };
      x.now += 100;
      x.end(call % 4 < 2 ? 'FAILURE' : 'SUCCESS');
      if (x.state.state === 'OPEN') break;
    }
    // The window of 20 s began with the second call, and counts those of the other policy too.
    expect(x.state).toMatchObject({ reason: '11 of 21 recent calls failed' });
  });
});

describe('mean latency', () => {
  it('over the limit opens it, from twenty calls on, failures included', () => {
    const x = new Bench({ maxMeanLatencyMs: 1_000 });
    x.run('.x..'.repeat(4), 100, 1_200);
    x.run('...', 100, 1_200);
    expect(x.state.state).toBe('CLOSED');
    x.run('.', 100, 1_200);
    expect(x.state).toMatchObject({
      state: 'OPEN',
      reason: 'mean latency of 20 recent calls 1200 ms, over 1000 ms',
    });
  });

  it('without a limit never does', () => {
    const x = new Bench();
    x.run('.'.repeat(50), 100, 3_600_000);
    expect(x.state.state).toBe('CLOSED');
  });

  it('is not healed by probes that are as slow', () => {
    const x = new Bench({ maxMeanLatencyMs: 1_000 });
    x.run('.'.repeat(20), 100, 1_200);
    x.now += 30_000;
    expect(x.probe('SUCCESS', 1_500)).toBe('OPENED');
    expect(x.state).toMatchObject({ reason: 'its probe call took 1500 ms, over 1000 ms' });
  });
});

describe('open', () => {
  it('what was under way when it opened changes nothing, however it ends', () => {
    const x = new Bench();
    x.run('xxxxx', 1);
    const opened = x.state;
    x.now += 29_000;
    expect(x.end('FAILURE', 29_500)).toBeUndefined();
    expect(x.end('SUCCESS', 29_500)).toBeUndefined();
    expect(x.state).toBe(opened);
  });

  it('nor while it is half-open, nor when it is closed again', () => {
    const x = new Bench({ closeAfter: 1, consecutiveFailures: 1 }).opened();
    x.breaker.beginProbe();
    expect(x.end('FAILURE', 40_000)).toBeUndefined();
    expect(x.state).toMatchObject({ state: 'HALF_OPEN', probing: true });
    x.now += 100;
    expect(x.breaker.charge('SUCCESS', true, x.settings, x.now, 100)).toBe('CLOSED');
    x.now += 5_000;
    expect(x.end('FAILURE', 45_000)).toBeUndefined();
    expect(x.end('FAILURE', 5_000)).toBe('OPENED');
  });
});

describe('half-open', () => {
  it('closes after three good probes, and says so once', () => {
    const x = new Bench().opened();
    expect([x.probe('SUCCESS'), x.probe('SUCCESS'), x.probe('SUCCESS')]).toEqual([undefined, undefined, 'CLOSED']);
    expect(x.state).toEqual({ state: 'CLOSED' });
  });

  it('one failed probe opens it for another 30 s', () => {
    const x = new Bench().opened();
    x.probe('SUCCESS');
    expect(x.probe('FAILURE')).toBe('OPENED');
    expect(x.state).toEqual({ state: 'OPEN', until: x.now + 30_000, reason: 'its probe call failed' });
    x.now += 30_000;
    // The success before counts no more.
    x.probe('SUCCESS');
    expect(x.state).toMatchObject({ state: 'HALF_OPEN', successes: 1 });
  });

  it('a probe that says nothing gives its slot back', () => {
    const x = new Bench().opened();
    x.breaker.beginProbe();
    expect(x.state).toMatchObject({ probing: true });
    x.breaker.charge('NEITHER', true, x.settings, x.now, 10);
    expect(x.state).toEqual({
      state: 'HALF_OPEN',
      probing: false,
      successes: 0,
      failures: 0,
      reason: '5 failures in a row',
    });
  });

  it('begins with nothing against it when it closes', () => {
    const x = new Bench().opened();
    for (let probe = 0; probe < 3; probe++) x.probe('SUCCESS');
    x.run('xxxx', 20);
    expect(x.state.state).toBe('CLOSED');
    x.run('x', 20);
    expect(x.state.state).toBe('OPEN');
  });
});

describe('half-open under a policy that asks for a share of good probe calls', () => {
  it('opens again only when fewer are good', () => {
    const x = new Bench({ closeAfter: 4, closeSuccessRate: 0.8 }).opened();
    // One of four is less than 80 %.
    expect(x.probe('FAILURE')).toBe('OPENED');
    expect(x.state).toMatchObject({ reason: 'its probe call failed' });

    const y = new Bench({ closeAfter: 10, closeSuccessRate: 0.8 }).opened();
    expect([y.probe('FAILURE'), y.probe('SUCCESS'), y.probe('FAILURE')]).toEqual([undefined, undefined, undefined]);
    expect(y.state).toMatchObject({ state: 'HALF_OPEN', successes: 1, failures: 2 });
    expect(y.probe('FAILURE')).toBe('OPENED');
    expect(y.state).toMatchObject({ reason: '3 of its probe calls failed' });
  });

  it('closes once enough are good, the others forgiven', () => {
    const x = new Bench({ closeAfter: 8, closeSuccessRate: 0.8 }).opened();
    expect(x.probe('FAILURE')).toBeUndefined();
    for (let probe = 0; probe < 7; probe++) expect(x.probe('SUCCESS')).toBeUndefined();
    expect(x.probe('SUCCESS')).toBe('CLOSED');
  });
});

describe('half-open under a policy that asks for good probes of the health path', () => {
  it('closes with the first good call after so many since it opened', () => {
    const x = new Bench({ closeAfterProbes: 30 });
    x.health = 500;
    x.opened();
    for (let probe = 0; probe < 5; probe++) expect(x.probe('SUCCESS')).toBeUndefined();
    x.health = 529;
    expect(x.probe('SUCCESS')).toBeUndefined();
    x.health = 530;
    expect(x.probe('SUCCESS')).toBe('CLOSED');
  });

  it('counts a row that was broken from its new beginning', () => {
    const x = new Bench({ closeAfterProbes: 30 });
    x.health = 500;
    x.opened();
    x.health = 3;
    for (let probe = 0; probe < 5; probe++) x.probe('SUCCESS');
    x.health = 33;
    expect(x.probe('NEITHER')).toBe('CLOSED');
  });

  it('does not ask it of an instance that has no health path', () => {
    const x = new Bench({ closeAfterProbes: 30 }).opened();
    expect([x.probe('SUCCESS'), x.probe('SUCCESS'), x.probe('SUCCESS')].at(-1)).toBe('CLOSED');
  });
});

describe('settings changed while it is open', () => {
  it('fewer probes close it with the next end of one, more are waited for', () => {
    const fewer = new Bench({ closeAfter: 10 }).opened();
    fewer.probe('SUCCESS');
    fewer.probe('SUCCESS');
    fewer.settings = { ...fewer.settings, closeAfter: 2 };
    expect(fewer.probe('NEITHER')).toBe('CLOSED');

    const more = new Bench({ closeAfter: 2 }).opened();
    more.probe('SUCCESS');
    more.settings = { ...more.settings, closeAfter: 3 };
    expect(more.probe('SUCCESS')).toBeUndefined();
    expect(more.probe('SUCCESS')).toBe('CLOSED');
  });

  it('another rest holds from the next time it opens', () => {
    const x = new Bench();
    x.run('xxxxx', 1);
    const opened = x.state;
    x.settings = { ...x.settings, openMs: 5_000 };
    x.end('FAILURE');
    expect(x.state).toBe(opened);
    x.now += 30_000;
    x.probe('FAILURE');
    expect(x.state).toMatchObject({ until: x.now + 5_000 });
  });

  it('a stricter limit counts what came before it', () => {
    const x = new Bench();
    x.run('xx', 1);
    x.settings = { ...x.settings, consecutiveFailures: 3 };
    expect(x.end('FAILURE')).toBe('OPENED');
  });
});

it('never keeps the probe slot, whatever attempts end in whatever order', () => {
  for (let seed = 1; seed <= 200; seed++) {
    const random = seededRandom(seed);
    const x = new Bench({ consecutiveFailures: 2, closeAfter: 2, minimumCalls: 3, openMs: 50, maxMeanLatencyMs: 200 });
    const running: { readonly probe: boolean; readonly startedAt: number }[] = [];
    const endOne = () => {
      const [ended] = running.splice(Math.floor(random() * running.length), 1);
      if (ended === undefined) return;
      const charge = (['FAILURE', 'SUCCESS', 'SUCCESS', 'NEITHER'] as const)[Math.floor(random() * 4)] ?? 'NEITHER';
      x.breaker.charge(charge, ended.probe, x.settings, x.now, x.now - ended.startedAt);
    };
    for (let step = 0; step < 300; step++) {
      x.now += Math.floor(random() * 40);
      const { state } = x;
      const admits = state.state === 'CLOSED' || (state.state === 'OPEN' ? state.until <= x.now : !state.probing);
      if (admits && random() < 0.6) {
        const probe = state.state !== 'CLOSED';
        if (probe) x.breaker.beginProbe();
        running.push({ probe, startedAt: x.now });
      } else endOne();
      const probes = running.filter(({ probe }) => probe).length;
      expect(probes).toBe(x.state.state === 'HALF_OPEN' && x.state.probing ? 1 : 0);
    }
    while (running.length > 0) endOne();
    expect(x.state).not.toMatchObject({ probing: true });
  }
});
