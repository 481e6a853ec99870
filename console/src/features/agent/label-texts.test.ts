import { expect, test } from 'vitest';
import { labelPatch, labelsOf, labelTexts } from './label-texts';

test('labels are written as name=value and read back', () => {
  const labels = { team: 'a=b', tier: '' };
  expect(labelTexts(labels)).toEqual(['team=a=b', 'tier=']);
  expect(labelsOf(labelTexts(labels))).toEqual({ labels });
  expect(labelsOf([' team = x ', 'team=y'])).toEqual({ labels: { team: 'y' } });
});

test('a text without a name or a value is named', () => {
  expect(labelsOf(['team=a', 'tier'])).toEqual({ fault: '"tier" is no label: write name=value' });
  expect(labelsOf(['=x'])).toEqual({ fault: '"=x" is no label: write name=value' });
});

test('a patch takes away what is there no more', () => {
  expect(labelPatch({ team: 'a', tier: '1' }, { team: 'b', zone: 'z' })).toEqual({ team: 'b', zone: 'z', tier: null });
});
