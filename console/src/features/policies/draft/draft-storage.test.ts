import { expect, test } from 'vitest';
import { partsOf } from './draft-parts';
import { keepDraft, keptDraft } from './draft-storage';
import { withValue } from './policy-draft';

class MemoryStore {
  readonly values = new Map<string, string>();
  getItem = (key: string) => this.values.get(key) ?? null;
  setItem = (key: string, value: string) => void this.values.set(key, value);
  removeItem = (key: string) => void this.values.delete(key);
}

const base = partsOf({ name: 'stock', content: {}, tests: [{ name: 'a' }] });
const mine = { ...base, content: withValue(base.content, 'retry.maxRetries', 5) };

test('a draft is kept by owner and policy', () => {
  const store = new MemoryStore();
  keepDraft(store, 'user:ann', 'p1', base, mine);
  expect(keptDraft(store, 'user:ann', 'p1', base)).toEqual(mine);
  expect(keptDraft(store, 'user:bob', 'p1', base)).toBeUndefined();
  expect(keptDraft(store, 'user:ann', 'p2', base)).toBeUndefined();
  keepDraft(store, 'user:ann', 'p1', base, undefined);
  expect(keptDraft(store, 'user:ann', 'p1', base)).toBeUndefined();
});

test('what was saved meanwhile is under it', () => {
  const store = new MemoryStore();
  keepDraft(store, 'user:ann', 'p1', base, mine);
  const saved = partsOf({
    name: 'stock of today',
    content: { priority: 9 },
    tests: [{ name: 'a' }, { name: 'b' }],
  });
  expect(keptDraft(store, 'user:ann', 'p1', saved)).toEqual({
    name: 'stock of today',
    content: withValue(saved.content, 'retry.maxRetries', 5),
    tests: [{ name: 'a' }, { name: 'b' }],
  });
});

test('what is no draft is no draft', () => {
  const store = new MemoryStore();
  store.values.set('reach.draft user:ann p1', '{"mine":');
  expect(keptDraft(store, 'user:ann', 'p1', base)).toBeUndefined();
});
