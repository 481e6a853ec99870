import type { Policy } from '@agent-reach/sdk/decide';
import { describe, expect, it } from 'vitest';
import { contentOf } from './policies.testing.js';
import { PolicyBook } from './policy-book.js';

function scene() {
  const sets: (readonly Policy[])[] = [];
  const book = new PolicyBook({ setPolicies: (policies) => sets.push(policies) });
  const state = (id: string, revision: number) => ({
    policy: {
      id,
      namespace: 'shop',
      name: id,
      version: revision,
      content: contentOf({}),
      rolloutPercent: 100,
      stable: undefined,
    },
    revision,
  });
  const inForce = () => sets.at(-1)?.map(({ id, version }) => `${id} ${version}`);
  return { book, sets, state, inForce };
}

describe('PolicyBook', () => {
  it('hands over one whole set for each change', () => {
    const { book, sets, state, inForce } = scene();
    book.replace([state('a', 1), state('b', 1)]);
    book.put(state('a', 2));
    expect(inForce()).toEqual(['a 2', 'b 1']);
    book.remove('b');
    expect(inForce()).toEqual(['a 2']);
    expect(sets.length).toBe(3);
    expect(sets[0]?.map(({ version }) => version)).toEqual([1, 1]);
  });

  it('keeps what a reload finds unchanged, so that strategies go on from where they are', () => {
    const { book, sets, state } = scene();
    book.replace([state('a', 1), state('b', 1)]);
    book.replace([state('a', 1), state('b', 2)]);
    const [first, second] = [sets[0] ?? [], sets[1] ?? []];
    expect(second[0]).toBe(first[0]);
    expect(second.map(({ version }) => version)).toEqual([1, 2]);
  });

  it('keeps the newer of two states, in whatever order their commits are confirmed', () => {
    const { book, sets, state, inForce } = scene();
    book.put(state('a', 3));
    book.put(state('a', 2));
    book.put(state('a', 3));
    expect([inForce(), sets.length]).toEqual([['a 3'], 1]);
  });

  it('does not bring back a deleted policy when an earlier save is confirmed after it', () => {
    const { book, state, inForce } = scene();
    book.put(state('a', 1));
    book.remove('a');
    book.put(state('a', 2));
    expect(inForce()).toEqual([]);
  });
});
