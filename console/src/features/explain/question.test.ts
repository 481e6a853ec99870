import { expect, test } from 'vitest';
import { inputOf, isComplete, readQuestion } from './question';

const url = (parameters: Record<string, string>) => ({ get: (name: string) => parameters[name] });

test('the address holds the question', () => {
  const question = readQuestion(
    url({ caller: 'agent:shop/web', capability: 'order_find', tags: 'fast, eu', key: 'c7', request: 'r1' }),
    'shop',
  );
  expect(isComplete(question)).toBe(true);
  expect(inputOf(question)).toEqual({
    caller: 'agent:shop/web',
    target: { namespace: 'shop', capability: 'order_find', tags: ['fast', 'eu'] },
    affinityKey: 'c7',
    requestId: 'r1',
  });
});

test('who calls and whom must be there', () => {
  expect(isComplete(readQuestion(url({ capability: 'order_find' }), 'shop'))).toBe(false);
  expect(isComplete(readQuestion(url({ caller: 'agent:shop/web' }), 'shop'))).toBe(false);
  expect(isComplete(readQuestion(url({ caller: 'agent:shop/web', type: 'shop.orders' }), 'shop'))).toBe(true);
});
