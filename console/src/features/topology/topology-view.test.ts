import { expect, it } from 'vitest';
import { edgeHref, nodeHref } from './topology-links';
import { readTopologyFilter, readWindow } from './topology-view';

const urlOf = (query: string) => {
  const params = new URLSearchParams(query);
  return { get: (name: string) => params.get(name) ?? undefined };
};

it('reads the window from the address, and takes the usual one for others', () => {
  expect(readWindow(urlOf('window=60'))).toBe(60);
  expect(readWindow(urlOf('window=7'))).toBe(5);
  expect(readWindow(urlOf(''))).toBe(5);
});

it('reads the filter from the address; an agent needs no prefix', () => {
  expect(readTopologyFilter(urlOf('node=shop/orders&capability=order_query'))).toEqual({
    node: 'agent:shop/orders',
    capability: 'order_query',
  });
  expect(readTopologyFilter(urlOf('node=app:shop/web'))).toEqual({ node: 'app:shop/web' });
  expect(readTopologyFilter(urlOf(''))).toEqual({});
});

it('leads from an edge to its calls', () => {
  const ends = { from: 'app:shop/web', to: 'agent:shop/orders' } as Parameters<typeof edgeHref>[0];
  expect(edgeHref(ends, 5)).toBe('/audit?kind=CALL&caller=app%3Ashop%2Fweb&target=shop%2Forders&range=15m');
  expect(edgeHref(ends, 60, 'FAILED')).toBe(
    '/audit?kind=CALL&caller=app%3Ashop%2Fweb&target=shop%2Forders&outcome=FAILED&range=1h',
  );
});

it('leads from an agent to its page, from others to their calls', () => {
  const agent = { id: 'agent:shop/orders', namespace: 'shop', agent: { id: 'orders' } };
  expect(nodeHref(agent as Parameters<typeof nodeHref>[0], 5)).toBe('/agents/shop/orders');
  const person = { id: 'user:ann', namespace: null, agent: null };
  expect(nodeHref(person as Parameters<typeof nodeHref>[0], 5)).toBe('/audit?kind=CALL&caller=user%3Aann&range=15m');
});
