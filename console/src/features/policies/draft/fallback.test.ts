import { expect, test } from 'vitest';
import { fallbackSteps, initialStep, resultFault, STEP_KINDS, shownResult, typedResult } from './fallback';
import { checkDraft, draftOf, withValue } from './policy-draft';
import { moved } from './ratios';

test('reads the steps, and an empty one for what is none', () => {
  const stale = { kind: 'STALE', maxAgeMs: 1000 };
  expect(fallbackSteps({ fallback: [stale, 'later', null, []] })).toEqual([stale, {}, {}, {}]);
  expect(fallbackSteps({})).toEqual([]);
  expect(fallbackSteps({ fallback: 'none' })).toEqual([]);
});

test('a new step is complete but for the agent that has to be named', () => {
  const faultsOf = (kind: (typeof STEP_KINDS)[number]['value']) =>
    checkDraft(withValue(draftOf({}), 'fallback', [initialStep(kind)])).faults.map(({ path }) => path);
  expect(STEP_KINDS.map(({ value }) => [value, faultsOf(value)])).toEqual([
    ['AGENT', ['fallback.0.agent']],
    ['STALE', []],
    ['ANSWER', []],
  ]);
});

test('an answer that is no JSON yet stays as typed and keeps the draft from being saved', () => {
  const half = typedResult('{ "state": ');
  expect(half).toBe('{ "state": ');
  expect(shownResult('{ "state": ', half)).toBe('{ "state": ');
  expect(resultFault(half)).toBe('This is no JSON yet: line 1, column 12, the text ends too early.');
  const draft = withValue(draftOf({}), 'fallback', [{ kind: 'ANSWER', result: half }]);
  expect(checkDraft(draft).faults.map(({ path }) => path)).toEqual(['fallback.0.result']);
});

test('an answer keeps the form in which it was typed, until the JSON side says something else', () => {
  const typed = '{"state":   "unknown"}';
  expect(shownResult(typed, typedResult(typed))).toBe(typed);
  expect(shownResult(typed, { state: 'gone' })).toBe('{\n  "state": "gone"\n}');
});

test('steps move within the list', () => {
  const steps = [initialStep('AGENT'), initialStep('STALE')];
  expect(moved(steps, 1, -1).map(({ kind }) => kind)).toEqual(['STALE', 'AGENT']);
  expect(moved(steps, 1, 1)).toBe(steps);
});
