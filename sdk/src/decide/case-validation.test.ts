import { describe, expect, it } from 'vitest';
import { type PolicyTest, validatePolicyTests } from './policy-tests.js';

const one = {
  name: 'orders go to orders',
  table: {
    instances: [
      { ref: 'shop/orders/a', inFlight: 3, capabilities: { q: null } },
      { ref: 'shop/other/b', inFlight: 0, capabilities: { q: { aliases: ['ask'], tags: ['read'] } } },
    ],
  },
  request: { caller: 'agent:shop/web', target: { capability: 'q' } },
  expect: { outcome: 'OK', chosen: 'shop/orders/a' },
};

function testsOf(input: unknown): readonly PolicyTest[] {
  const { tests, faults } = validatePolicyTests(input);
  expect(faults).toEqual([]);
  return tests ?? [];
}

const faultsOf = (input: unknown) => validatePolicyTests(input).faults;
const withInstance = (more: object) => [
  { ...one, table: { instances: [{ ref: 'shop/orders/a', capabilities: { q: null }, ...more }] } },
];
const withRequest = (more: object) => [{ ...one, request: { ...one.request, ...more } }];
const withExpect = (more: unknown) => [{ ...one, expect: more }];

describe('validatePolicyTests', () => {
  it('takes none at all', () => {
    expect(validatePolicyTests(undefined)).toEqual({ tests: [], faults: [] });
    expect(validatePolicyTests(null)).toEqual({ tests: [], faults: [] });
    expect(validatePolicyTests([])).toEqual({ tests: [], faults: [] });
  });

  it('gives back what it was given, without what was null', () => {
    const full: PolicyTest = {
      name: 'everything',
      table: {
        instances: [
          {
            ref: 'shop/orders/a',
            type: 'shop.orders',
            version: '1.2.0',
            zone: 'north',
            domain: 'CANARY',
            weight: 50,
            maxConcurrency: 4,
            maxQueue: 2,
            lifecycle: 'READY',
            health: 'DEGRADED',
            reason: 'slow',
            inFlight: 1,
            queueDepth: 1,
            utilisation: 0.5,
            meanLatencyMs: 20.5,
            successRate: 0.99,
            ackOverdue: false,
            callerHistory: { 'agent:shop/web': 0.5 },
            breaker: { open: '5 failures in a row', forMs: 1000 },
            slowStart: { forMs: 4000, ofMs: 8000 },
            capabilities: { q: { aliases: ['ask'], tags: ['read'], mode: 'TASK' } },
          },
          { ref: 'shop/orders/b', breaker: { halfOpen: 'was open', probing: true }, capabilities: {} },
        ],
        permissions: [
          {
            namespace: 'shop',
            caller: 'role:reader',
            target: 'shop/*',
            capability: 'q',
            effect: 'DENY',
            expiresInMs: 5,
          },
        ],
      },
      request: {
        requestId: 'r1',
        caller: 'agent:shop/web',
        roles: ['reader'],
        namespace: 'shop',
        target: { agent: 'orders', type: 'shop.orders', capability: 'q', tags: ['read'], versions: '^1.2' },
        zone: 'north',
        domain: 'CANARY',
        affinityKey: 'k',
        boundTo: 'shop/orders/z',
        boundVersion: '1.1.0',
        alreadyTried: ['shop/orders/b'],
      },
      expect: {
        outcome: 'OK',
        chosen: 'shop/orders/a',
        agent: 'shop/orders',
        policy: 'mine',
        message: 'm',
        candidates: { 'shop/orders/a': 'kept', 'shop/orders/b': 'BREAKER: is open' },
      },
    };
    expect(testsOf([full])).toEqual([full]);
    const empty = { ...one, request: { ...one.request, zone: null, roles: null, affinityKey: null } };
    const [kept] = testsOf([empty]);
    expect(kept?.request).toEqual({ caller: 'agent:shop/web', target: { capability: 'q' } });
    expect(Object.keys(kept?.table.instances[0] ?? {})).toEqual(['ref', 'inFlight', 'capabilities']);
  });

  it.each([
    ['text', 'tests'],
    [{}, 'tests'],
    [[null], 'tests.0'],
    [[[]], 'tests.0'],
    [[{ ...one, name: null }], 'tests.0.name'],
    [[{ ...one, name: '' }], 'tests.0.name'],
    [[one, one], 'tests.1.name'],
    [[{ ...one, note: 'x' }], 'tests.0.note'],
    [[{ ...one, table: undefined }], 'tests.0.table'],
    [[{ ...one, table: {} }], 'tests.0.table.instances'],
    [[{ ...one, table: { instances: {} } }], 'tests.0.table.instances'],
    [[{ ...one, table: { ...one.table, policies: [] } }], 'tests.0.table.policies'],
    [[{ ...one, table: { ...one.table, canaryPercent: 101 } }], 'tests.0.table.canaryPercent'],
    [[{ ...one, table: { ...one.table, permissions: [{}] } }], 'tests.0.table.permissions.0.caller'],
    [[{ ...one, table: { ...one.table, permissions: [{ caller: 'web' }] } }], 'tests.0.table.permissions.0.caller'],
    [[{ ...one, table: { instances: [null] } }], 'tests.0.table.instances.0'],
    [[{ ...one, table: { instances: [{ capabilities: {} }] } }], 'tests.0.table.instances.0.ref'],
    [[{ ...one, table: { instances: [{ ref: 'shop/orders/a' }] } }], 'tests.0.table.instances.0.capabilities'],
    [
      [{ ...one, table: { instances: [one.table.instances[0], one.table.instances[0]] } }],
      'tests.0.table.instances.1.ref',
    ],
    [withInstance({ ref: 'orders' }), 'tests.0.table.instances.0.ref'],
    [withInstance({ domain: 'TEST' }), 'tests.0.table.instances.0.domain'],
    [withInstance({ weight: -1 }), 'tests.0.table.instances.0.weight'],
    [withInstance({ weight: 2 ** 31 }), 'tests.0.table.instances.0.weight'],
    [withInstance({ maxConcurrency: 0 }), 'tests.0.table.instances.0.maxConcurrency'],
    [withInstance({ maxQueue: 0.5 }), 'tests.0.table.instances.0.maxQueue'],
    [withInstance({ lifecycle: 'UP' }), 'tests.0.table.instances.0.lifecycle'],
    [withInstance({ health: 'GOOD' }), 'tests.0.table.instances.0.health'],
    [withInstance({ inFlight: Number.NaN }), 'tests.0.table.instances.0.inFlight'],
    [withInstance({ queueDepth: -1 }), 'tests.0.table.instances.0.queueDepth'],
    [withInstance({ utilisation: 1.1 }), 'tests.0.table.instances.0.utilisation'],
    [withInstance({ meanLatencyMs: Number.POSITIVE_INFINITY }), 'tests.0.table.instances.0.meanLatencyMs'],
    [withInstance({ successRate: 90 }), 'tests.0.table.instances.0.successRate'],
    [withInstance({ ackOverdue: 'no' }), 'tests.0.table.instances.0.ackOverdue'],
    [withInstance({ callerHistory: { web: 1 } }), 'tests.0.table.instances.0.callerHistory.web'],
    [withInstance({ callerHistory: { 'user:ann': 2 } }), 'tests.0.table.instances.0.callerHistory.user:ann'],
    [withInstance({ breaker: {} }), 'tests.0.table.instances.0.breaker'],
    [withInstance({ breaker: { open: 'a', halfOpen: 'b' } }), 'tests.0.table.instances.0.breaker'],
    [withInstance({ breaker: { open: 'a', probing: true } }), 'tests.0.table.instances.0.breaker.probing'],
    [withInstance({ slowStart: {} }), 'tests.0.table.instances.0.slowStart.forMs'],
    [withInstance({ slowStart: { forMs: 1, ofMs: 0 } }), 'tests.0.table.instances.0.slowStart.ofMs'],
    [withInstance({ slowStart: 4000 }), 'tests.0.table.instances.0.slowStart'],
    [withInstance({ capabilities: { q: { mode: 'LATER' } } }), 'tests.0.table.instances.0.capabilities.q.mode'],
    [withInstance({ capabilities: ['q'] }), 'tests.0.table.instances.0.capabilities'],
    [withInstance({ capabilities: { 'a b': null } }), 'tests.0.table.instances.0.capabilities.a b'],
    [withInstance({ capabilities: { q: { tags: 'x' } } }), 'tests.0.table.instances.0.capabilities.q.tags'],
    [withInstance({ capabilities: { q: { tag: 'x' } } }), 'tests.0.table.instances.0.capabilities.q.tag'],
    [withInstance({ colour: 'red' }), 'tests.0.table.instances.0.colour'],
    [[{ ...one, request: null }], 'tests.0.request'],
    [withRequest({ caller: undefined }), 'tests.0.request.caller'],
    [withRequest({ caller: 'web' }), 'tests.0.request.caller'],
    [withRequest({ caller: 'agent:shop/*' }), 'tests.0.request.caller'],
    [withRequest({ namespace: 'Shop' }), 'tests.0.request.namespace'],
    [withRequest({ target: undefined }), 'tests.0.request.target'],
    [withRequest({ target: { type: 'x' } }), 'tests.0.request.target'],
    [withRequest({ target: { capability: 'a b' } }), 'tests.0.request.target.capability'],
    [withRequest({ target: { capability: 'q', versions: '>1 <' } }), 'tests.0.request.target.versions'],
    [withRequest({ target: { capability: 'q', need: 'x' } }), 'tests.0.request.target.need'],
    [withRequest({ domain: 'PROD' }), 'tests.0.request.domain'],
    [withRequest({ boundTo: 'shop/orders' }), 'tests.0.request.boundTo'],
    [withRequest({ alreadyTried: ['a'] }), 'tests.0.request.alreadyTried.0'],
    [withExpect(undefined), 'tests.0.expect'],
    [withExpect({}), 'tests.0.expect'],
    [withExpect({ outcome: 'FINE' }), 'tests.0.expect.outcome'],
    [withExpect({ chosen: 'shop/orders/z' }), 'tests.0.expect.chosen'],
    [withExpect({ agent: 'shop/nobody' }), 'tests.0.expect.agent'],
    [withExpect({ outcome: 'NO_ROUTE', chosen: 'shop/orders/a' }), 'tests.0.expect.chosen'],
    [withExpect({ candidates: { 'shop/orders/z': 'kept' } }), 'tests.0.expect.candidates.shop/orders/z'],
    [withExpect({ candidates: { 'shop/orders/a': 'gone' } }), 'tests.0.expect.candidates.shop/orders/a'],
    [withExpect({ chose: 'x' }), 'tests.0.expect.chose'],
  ])('refuses %j', (input, path) => {
    const { tests, faults } = validatePolicyTests(input);
    expect(tests).toBeUndefined();
    expect(faults.map((fault) => fault.path)).toContain(path);
  });

  it('says what it got and what is allowed', () => {
    expect(faultsOf(withExpect({ outcome: 'FINE' }))).toEqual([
      {
        path: 'tests.0.expect.outcome',
        got: '"FINE"',
        allowed: 'OK, NO_ROUTE, DENIED, OVERLOADED, CIRCUIT_OPEN',
      },
    ]);
  });

  it('bounds the number of tests and of their instances', () => {
    const many = Array.from({ length: 51 }, (_, index) => ({ ...one, name: `test ${index}` }));
    expect(faultsOf(many)).toEqual([{ path: 'tests', got: '51 entries', allowed: 'at most 50' }]);
    expect(faultsOf(many.slice(1))).toEqual([]);
    const instances = Array.from({ length: 101 }, (_, index) => ({ ref: `shop/orders/i${index}`, capabilities: {} }));
    expect(faultsOf([{ ...one, table: { instances }, expect: { outcome: 'NO_ROUTE' } }])).toEqual([
      { path: 'tests.0.table.instances', got: '101 entries', allowed: 'at most 100' },
    ]);
  });
});
