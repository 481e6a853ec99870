import { expect, it } from 'vitest';
import { readTaskFilter } from './task-filter';

const urlOf = (query: string) => {
  const params = new URLSearchParams(query);
  return {
    get: (name: string) => params.get(name) ?? undefined,
    list: (name: string) => (params.get(name) ?? '').split(',').filter((part) => part !== ''),
  };
};

it('reads the filter from the address and leaves out what nobody knows', () => {
  expect(readTaskFilter(urlOf('state=RUNNING,DONE,FAILED&agent=shop/orders&request=r1&x=1'))).toEqual({
    states: ['RUNNING', 'FAILED'],
    agent: 'shop/orders',
    requestId: 'r1',
  });
  expect(readTaskFilter(urlOf('state=DONE'))).toEqual({});
});
