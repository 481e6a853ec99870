import { expect, it } from 'vitest';
import { progressText } from './progress-text';

it.each([
  [null, undefined],
  [{}, undefined],
  [{ percent: 41.6 }, '42 %'],
  [{ done: 3, total: 7 }, '3 of 7'],
  [{ percent: 50, step: 'copying' }, '50 % · step copying'],
  [{ done: 3 }, 'done 3'],
  [{ percent: 'half', done: 1, total: 'many' }, 'percent half · done 1 · total many'],
  [{ rows: [1, 2] }, 'rows [1,2]'],
  [{ text: 'x'.repeat(200) }, `text ${'x'.repeat(75)}…`],
])('%j reads %s', (progress, text) => {
  expect(progressText(progress)).toBe(text);
});
