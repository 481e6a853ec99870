import { expect, it } from 'vitest';
import { RetryBudget } from './retry-budget.js';

function budgetAt(start = 1_000_000) {
  const time = { now: start };
  return { time, budget: new RetryBudget({ monotonic: () => time.now }) };
}

const grants = (budget: RetryBudget, tries: number, capability = 'shop find') =>
  Array.from({ length: tries }, () => budget.take(capability)).filter(Boolean).length;

it('grants a hundred retries in ten seconds to a capability with few calls', () => {
  const { budget } = budgetAt();
  budget.first('shop find');
  expect(grants(budget, 150)).toBe(100);
});

it('grants a fifth of the first attempts to a busy capability', () => {
  const { budget } = budgetAt();
  for (let call = 0; call < 1_000; call++) budget.first('shop find');
  expect(grants(budget, 1_000)).toBe(200);
});

it('gives back what is older than ten seconds, second by second', () => {
  const { budget, time } = budgetAt();
  expect(grants(budget, 60)).toBe(60);
  time.now += 5_000;
  expect(grants(budget, 60)).toBe(40);
  time.now += 4_999;
  expect(grants(budget, 1)).toBe(0);
  time.now += 1;
  expect(grants(budget, 100)).toBe(60);
  time.now += 60_000;
  expect(grants(budget, 150)).toBe(100);
});

it('keeps capabilities apart', () => {
  const { budget } = budgetAt();
  expect(grants(budget, 150, 'shop find')).toBe(100);
  expect(grants(budget, 150, 'shop book')).toBe(100);
});
