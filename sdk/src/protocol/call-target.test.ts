import { describe, expect, it } from 'vitest';
import { parseCallRequest, parseClientFrame, targetFaults } from './index.js';

const ADDRESSES = 'agent, type, capability, need';

describe('a target', () => {
  it.each([
    { capability: 'order_query' },
    { agent: 'order' },
    { type: 'shop.order' },
    { need: '查询订单状态' },
    { need: 'x'.repeat(500), namespace: 'shop', agent: 'order', tags: ['read'], versions: '^1.2' },
    { capability: 'c', versions: '>=1.4 <3 || 5.x' },
    { capability: 'c', versions: '1.2.3-rc.1+build' },
    // The versions of agents need not be semantic.
    { capability: 'c', versions: '2024-blue' },
  ])('may be %j', (target) => {
    expect(targetFaults(target, 'target')).toEqual([]);
  });

  it.each([
    [{}, 'target', `none of ${ADDRESSES}`, `at least one of ${ADDRESSES}`],
    [{ tags: ['read'], versions: '1.x' }, 'target', `none of ${ADDRESSES}`, `at least one of ${ADDRESSES}`],
    [{ need: 'orders', capability: 'c' }, 'target.need', 'a need beside a capability', 'one of capability and need'],
    [{ need: '' }, 'target.need', '""', 'a string of 1 to 500 characters'],
    [{ need: 'x'.repeat(501) }, 'target.need', `"${'x'.repeat(59)}…`, 'a string of 1 to 500 characters'],
    [{ need: 7 }, 'target.need', '7', 'a string of 1 to 500 characters'],
    [{ need: 'a\0b' }, 'target.need', '"a\\u0000b"', 'a string without NUL and halves of surrogate pairs'],
    [{ needs: 'orders', agent: 'a' }, 'target.needs', 'an unknown field', expect.stringContaining('need')],
  ])('may not be %j', (target, path, got, allowed) => {
    expect(targetFaults(target, 'target')).toEqual([{ path, got, allowed }]);
  });

  it.each(['', ' ', '^^1', '>=', 'one two', 'x'.repeat(129), 7])('may not ask for the versions %j', (versions) => {
    expect(targetFaults({ capability: 'c', versions }, 'target')).toMatchObject([
      { path: 'target.versions', allowed: expect.stringContaining('a semantic version range such as "^1.2"') },
    ]);
  });
});

describe('a call', () => {
  const call = (target: object) => JSON.stringify({ type: 'call', requestId: 'r1', target, params: {} });

  it('by need and versions is a frame', () => {
    const target = { need: 'where is my order', versions: '^1' };
    expect(parseClientFrame(call(target))).toMatchObject({ kind: 'FRAME', frame: { target } });
    expect(parseCallRequest({ target, params: {} }).target).toEqual(target);
  });

  it('with a faulty target is answered with its fields, under its requestId', () => {
    expect(parseClientFrame(call({ need: 'orders', capability: 'c' }))).toMatchObject({
      kind: 'FAULTY',
      ref: 'r1',
      error: {
        code: 'INVALID_FRAME',
        message: 'call: target.need: got a need beside a capability, allowed: one of capability and need.',
        fields: [{ path: 'target.need' }],
      },
    });
    expect(() => parseCallRequest({ target: {}, params: {} })).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT', fields: [expect.objectContaining({ path: 'target' })] }),
    );
  });
});
