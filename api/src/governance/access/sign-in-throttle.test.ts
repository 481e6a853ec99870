import { describe, expect, it } from 'vitest';
import { SignInThrottle } from './sign-in-throttle.js';

function setUp() {
  const clock = { now: 0 };
  return { clock, throttle: new SignInThrottle({ now: () => clock.now }) };
}

describe('SignInThrottle', () => {
  it('makes a name wait after ten failures, for a minute, from wherever they come', () => {
    const { clock, throttle } = setUp();
    for (let n = 0; n < 10; n += 1) throttle.attempt(`10.0.0.${n}`, 'admin');
    clock.now += 20_000;
    expect(() => throttle.attempt('10.0.1.1', 'admin')).toThrow('try again in 40 seconds');
    throttle.attempt('10.0.1.1', 'other');
    clock.now += 40_000;
    throttle.attempt('10.0.1.1', 'admin');
  });

  it('makes an address wait after thirty failures, whatever the names', () => {
    const { clock, throttle } = setUp();
    for (let n = 0; n < 30; n += 1) throttle.attempt('10.0.0.1', `name-${n}`);
    expect(() => throttle.attempt('10.0.0.1', 'admin')).toThrow('try again in 600 seconds');
    expect(() => throttle.attempt('10.0.0.1', undefined)).toThrow('try again in 600 seconds');
    throttle.attempt('10.0.0.2', 'admin');
    clock.now += 600_000;
    throttle.attempt('10.0.0.1', 'admin');
  });

  it('takes a network of IPv6 as one address', () => {
    const { throttle } = setUp();
    for (let n = 0; n < 30; n += 1) throttle.attempt(`2001:db8:0:1::${n.toString(16)}`, undefined);
    expect(() => throttle.attempt('2001:db8:0:1:ffff::1', undefined)).toThrow();
    throttle.attempt('2001:db8:0:2::1', undefined);
  });

  it('does not count what succeeded', () => {
    const { throttle } = setUp();
    for (let n = 0; n < 100; n += 1) throttle.attempt('10.0.0.1', 'admin')();
  });
});
