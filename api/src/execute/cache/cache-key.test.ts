import { describe, expect, it } from 'vitest';
import { cacheKey, type EqualityParts } from './cache-key.js';

const PARTS: EqualityParts = {
  namespace: 'shop',
  capability: 'order_query',
  target: { capability: 'order_query' } as EqualityParts['target'],
  caller: 'agent:shop/helper',
  domain: 'PRODUCTION',
  paramsHash: 'h1',
  headers: undefined,
};
const key = (parts: Partial<EqualityParts>) => cacheKey({ ...PARTS, ...parts });

describe('calls are not equal', () => {
  it.each<[string, Partial<EqualityParts>]>([
    ['in another namespace', { namespace: 'bank' }],
    ['for another capability', { capability: 'order_list' }],
    ['for one agent alone', { target: { agent: 'orders' } }],
    ['for one type alone', { target: { type: 'orders' } }],
    ['for some versions alone', { target: { versions: '^1.2' } }],
    ['for what has a tag alone', { target: { tags: ['eu'] } }],
    ['of another caller', { caller: 'agent:shop/other' }],
    ['of callers who share, beside one who does not', { caller: undefined }],
    ['from another domain', { domain: 'CANARY' }],
    ['with other parameters', { paramsHash: 'h2' }],
    ['with a header', { headers: { 'accept-language': 'de' } }],
  ])('%s', (_, parts) => {
    expect(key(parts)).not.toBe(key({}));
  });

  it('where a boundary between two parts could be elsewhere', () => {
    expect(key({ target: { agent: 'a","b' } })).not.toBe(key({ target: { agent: 'a', type: 'b' } }));
    expect(key({ target: { tags: ['a', 'b'] } })).not.toBe(key({ target: { tags: ['a,b'] } }));
    expect(key({ headers: { a: 'de' } })).not.toBe(key({ headers: { a: 'd', e: '' } }));
  });
});

it('the order of tags and of headers, and how a header is capitalised, make no difference', () => {
  expect(key({ target: { tags: ['eu', 'fast', 'eu'] } })).toBe(key({ target: { tags: ['fast', 'eu'] } }));
  expect(key({ headers: { 'Accept-Language': 'de', 'x-a': '1' } })).toBe(
    key({ headers: { 'x-a': '1', 'accept-language': 'de' } }),
  );
  expect(key({ headers: {} })).toBe(key({ headers: undefined }));
});
