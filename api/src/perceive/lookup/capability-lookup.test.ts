import { createPermissionSet, type PermissionRule } from '@agent-reach/sdk/decide';
import { beforeEach, describe, expect, it } from 'vitest';
import { CapabilityLookup } from './capability-lookup.js';
import { capability, offerer, shopOfferers } from './testing-shop.js';

const WEB = { caller: 'agent:shop/web', roles: [] } as const;
const EVERYTHING: PermissionRule = {
  id: 'all',
  namespace: 'shop',
  caller: '*',
  target: '*',
  capability: '*',
  effect: 'ALLOW',
};

let rules: PermissionRule[];
let lookup: CapabilityLookup;

beforeEach(() => {
  rules = [EVERYTHING];
  lookup = new CapabilityLookup({
    permissions: () => createPermissionSet(rules),
    typeOf: (agent) => (agent === 'shop/payments' ? 'shop.money' : 'shop.other'),
    wall: () => 1_000,
  });
  for (const each of shopOfferers()) lookup.follow(each, true);
});

const found = (text: string, limit = 3) => lookup.find(text, WEB, 'shop', limit).map((each) => each.capability);
const meant = (need: string) => {
  const resolution = lookup.resolve(need, WEB, 'shop');
  return 'capability' in resolution ? resolution.capability : resolution.error.code;
};

describe('a need that is clear', () => {
  it.each([
    // names and aliases, whatever the spelling
    ['order_query', 'order_query'],
    ['Order Query', 'order_query'],
    ['weather-forecast', 'weatherForecast'],
    ['find order', 'order_query'],
    ['money back', 'payment_refund'],
    ['translation', 'text_translate'],
    // sentences, with values in them
    ['what is the state of order 4711', 'order_query'],
    ['track my parcel', 'order_query'],
    ['cancel order 4711', 'order_cancel'],
    ['list all orders of a customer', 'order_list'],
    ['how many are in stock', 'inventory_check'],
    ['is SKU 17 available', 'inventory_check'],
    ['what will the weather be like in Paris tomorrow', 'weatherForecast'],
    ['temperature in Berlin', 'weatherForecast'],
    ['who is the customer with phone 0123', 'customer_lookup'],
    ['give the customer 10 EUR back', 'payment_refund'],
    // plural, singular, other endings
    ['orders status', 'order_query'],
    ['cancelling orders', 'order_cancel'],
    ['invoices as PDF', 'invoice_create'],
    ['summarise this document', 'text_summarize'],
    // typing errors
    ['wether forcast', 'weatherForecast'],
    ['check inventroy', 'inventory_check'],
    ['tranlsate this text', 'text_translate'],
    ['refnud', 'payment_refund'],
    ['validate postal adress', 'address_validate'],
    // synonyms, by tags and aliases
    ['availability of an article', 'inventory_check'],
    ['air pollution', 'air_quality'],
    ['pay', 'payment_charge'],
    // Chinese
    ['查询订单状态', 'order_query'],
    ['订单 4711 的状态', 'order_query'],
    ['取消订单', 'order_cancel'],
    ['下单', 'order_create'],
    ['历史订单', 'order_list'],
    ['查库存', 'inventory_check'],
    ['仓库调拨', 'warehouse.transfer'],
    ['明天北京的天气怎么样', 'weatherForecast'],
    ['把这段话翻译成英文', 'text_translate'],
    ['我要退款', 'payment_refund'],
    ['信用卡支付', 'payment_charge'],
    ['开发票', 'invoice_create'],
    ['发短信', 'sms_send'],
    ['给客户发邮件', 'email_send'],
    ['运费多少', 'shipping_quote'],
    ['判断这条评论的情感', 'sentiment_analyze'],
    // both at once
    ['查询 order 的状态', 'order_query'],
    ['退款 payment', 'payment_refund'],
    ['weather 天气', 'weatherForecast'],
  ])('%s → %s', (need, expected) => {
    expect(meant(need)).toBe(expected);
  });
});

describe('a need that is not clear', () => {
  it.each([
    // too little said
    'order',
    '订单',
    'text',
    'create',
    'nlp',
    '查询',
    'inventory 库存',
    // two things at once
    'order weather',
    'cancel my order and refund the payment',
    'air temperature',
    // one word of many is known
    'book a table in a restaurant near the station with good weather',
    // the action is another, or its object
    'delete customer',
    'add address',
    'delete order 17',
    'cancel subscription',
    'convert currency',
    '删除订单',
    '修改收货地址',
  ])('%s', (need) => {
    expect(meant(need)).toBe('NEED_UNCLEAR');
  });

  it('is answered with the nearest, best first', () => {
    expect(lookup.resolve('库存', WEB, 'shop')).toEqual({
      error: {
        code: 'NEED_UNCLEAR',
        message: 'No capability clearly fits the need "库存"; the nearest are inventory_check, inventory_reserve.',
        retryable: false,
        details: {
          need: '库存',
          candidates: [
            {
              namespace: 'shop',
              capability: 'inventory_check',
              description:
                'Use it to see how many pieces of an article are in stock in each warehouse. 查询商品在各仓库的库存数量。',
              score: expect.any(Number),
            },
            {
              namespace: 'shop',
              capability: 'inventory_reserve',
              description: expect.any(String),
              score: expect.any(Number),
            },
          ],
        },
      },
    });
  });

  it.each(['kubernetes', '下棋', '!!!', 'play chess'])('is NO_ROUTE when nothing fits: %s', (need) => {
    expect(lookup.resolve(need, WEB, 'shop')).toMatchObject({
      error: {
        code: 'NO_ROUTE',
        message: `Nothing that agent:shop/web may call in shop fits the need ${JSON.stringify(need)}.`,
      },
    });
  });
});

describe('a search', () => {
  it('ranks what fits, and tells what a caller needs to go on', () => {
    const [best, ...others] = lookup.find('give money back', WEB, 'shop', 10);
    expect(best).toEqual({
      namespace: 'shop',
      capability: 'payment_refund',
      aliases: ['refund', 'money_back'],
      description: expect.stringContaining('Use it to give the money of a payment back'),
      tags: ['退款', '退货', 'money'],
      idempotent: true,
      mode: 'SYNC',
      inputSchema: { type: 'object', properties: { paymentId: { type: 'string' }, amount: { type: 'number' } } },
      score: expect.any(Number),
    });
    expect(others.map((each) => each.capability)).toContain('payment_charge');
    for (const other of others) expect(other.score).toBeLessThan(best?.score ?? 0);
  });

  it('finds the usual things first, also where a need would be unclear', () => {
    expect(found('库存')[0]).toBe('inventory_check');
    expect(found('订单 refund')[0]).toBe('payment_refund');
    expect(found('what does it cost to send a parcel to France')[0]).toBe('shipping_quote');
    expect(new Set(found('order', 4))).toEqual(new Set(['order_query', 'order_create', 'order_cancel', 'order_list']));
  });

  it('answers no more than asked for', () => {
    expect(found('order', 2)).toHaveLength(2);
  });

  it('leaves out a large schema', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 400 }, (_, n) => [`parameter_${n}`, { type: 'string' }]),
    );
    lookup.follow(
      offerer('shop/big', [
        capability('big_form', { description: 'A form with very many fields.', input: properties }),
      ]),
      true,
    );
    expect(lookup.find('big form', WEB, 'shop', 1)[0]).not.toHaveProperty('inputSchema');
  });

  it('takes any text', () => {
    const texts = [
      '',
      ' ',
      '\u0000',
      '🙂'.repeat(250),
      'a'.repeat(500),
      '的'.repeat(500),
      'x '.repeat(250),
      '__proto__',
    ];
    for (const text of texts) expect(found(text, 50)).toEqual([]);
  });
});

describe('what a caller may not call', () => {
  it('is not found and not resolved, as if it were not there', () => {
    rules = [{ ...EVERYTHING, target: 'shop/inventory', capability: 'inventory_check' }];
    expect(found('库存')).toEqual(['inventory_check']);
    expect(meant('库存')).toBe('inventory_check');
    expect(meant('refund')).toBe('NO_ROUTE');
    expect(meant('payment_refund')).toBe('NO_ROUTE');
    rules = [];
    expect(found('库存')).toEqual([]);
  });

  it('is taken away by a DENY, at once', () => {
    rules = [
      EVERYTHING,
      { ...EVERYTHING, id: 'no', caller: 'agent:shop/web', target: 'shop/payments', effect: 'DENY' },
    ];
    expect(found('refund')).toEqual([]);
    expect(lookup.find('refund', { caller: 'agent:shop/other', roles: [] }, 'shop', 3)).toHaveLength(1);
  });

  it('is not found by the words of an agent that it may not call, though another offers it too', () => {
    const secret = offerer('shop/secret', [
      capability('order_query', { description: 'Also knows the zanzibar accounts.' }),
    ]);
    lookup.follow(secret, true);
    expect(found('zanzibar')).toEqual(['order_query']);
    rules = [{ ...EVERYTHING, target: 'shop/orders' }];
    expect(found('zanzibar')).toEqual([]);
    expect(JSON.stringify(lookup.find('order_query', WEB, 'shop', 50))).not.toContain('zanzibar');
  });

  it('does not change what is found by a mistyped word, though it has that very word', () => {
    rules = [{ ...EVERYTHING, target: 'shop/payments' }];
    expect(found('refunnd')).toEqual(['payment_refund']);
    lookup.follow(offerer('shop/secret', [capability('refunnd', { description: 'Something of its own.' })]), true);
    expect(found('refunnd')).toEqual(['payment_refund']);
  });

  it('may still be seen by people who may read it', () => {
    rules = [];
    expect(lookup.search('refund', (namespace) => namespace === 'shop', 3)).toMatchObject([
      { capability: 'payment_refund' },
    ]);
    expect(lookup.search('refund', () => false, 3)).toEqual([]);
  });
});

describe('namespaces', () => {
  beforeEach(() => {
    lookup.follow(
      offerer('bank/desk', [capability('refund_loan', { description: 'Pays back a loan of the bank.' })]),
      true,
    );
    rules.push({ ...EVERYTHING, id: 'bank', namespace: 'bank', capability: 'refund_loan' });
  });

  it('are searched one at a time by callers, and together by people', () => {
    expect(found('refund')).toEqual(['payment_refund']);
    expect(lookup.find('refund', WEB, 'bank', 3).map((each) => each.capability)).toEqual(['refund_loan']);
    expect(lookup.find('refund', WEB, 'nowhere', 3)).toEqual([]);
    expect(lookup.search('refund', () => true, 3).map((each) => `${each.namespace} ${each.capability}`)).toEqual([
      'shop payment_refund',
      'bank refund_loan',
    ]);
  });

  it('change nothing in the scores of another', () => {
    const before = lookup.find('refund a payment', WEB, 'shop', 3);
    for (let n = 0; n < 20; n++) {
      lookup.follow(
        offerer(`bank/agent${n}`, [capability('refund_payment', { description: `Refund ${n} payments.` })]),
        true,
      );
    }
    expect(lookup.find('refund a payment', WEB, 'shop', 3)).toEqual(before);
  });
});

describe('a need with more of a target', () => {
  it('is looked for only where the rest of the target points', () => {
    expect(meant('order')).toBe('NEED_UNCLEAR');
    expect(lookup.resolve('order', WEB, 'shop', { agent: 'inventory' })).toEqual({ capability: 'inventory_reserve' });
    expect(lookup.resolve('customer', WEB, 'shop', { type: 'shop.money', tags: ['退款'] })).toEqual({
      capability: 'payment_refund',
    });
    expect(lookup.resolve('refund', WEB, 'shop', { agent: 'orders' })).toMatchObject({ error: { code: 'NO_ROUTE' } });
    expect(lookup.resolve('refund', WEB, 'shop', { tags: ['no such tag'] })).toMatchObject({
      error: { code: 'NO_ROUTE' },
    });
  });
});

describe('names and aliases that collide', () => {
  it('a name is meant before an alias of another, and two equal aliases are unclear', () => {
    lookup.follow(
      offerer('shop/vendor', [capability('refund', { description: 'Gives back what a vendor paid.' })]),
      true,
    );
    expect(found('refund', 2)).toEqual(['refund', 'payment_refund']);
    expect(meant('refund')).toBe('refund');
    expect(meant('money_back')).toBe('payment_refund');
    lookup.follow(
      offerer('shop/vault', [capability('vault_return', { description: 'Returns gold.', aliases: ['money_back'] })]),
      true,
    );
    expect(meant('money_back')).toBe('NEED_UNCLEAR');
  });
});
