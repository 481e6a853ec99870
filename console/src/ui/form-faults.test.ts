import { expect, test } from 'vitest';
import { formFaults } from './form-faults';

test('a fault goes to the field that its path ends with', () => {
  const faults = [
    { path: 'patch.content.retry.baseMs', got: '-1', allowed: '0 to 60000' },
    { path: 'input.id', got: '"A"', allowed: 'lower-case letters' },
    { path: 'content.zones', got: 'nothing', allowed: 'a list' },
  ];
  const { errors, rest } = formFaults(faults, ['id', 'retry.baseMs']);
  expect(errors).toEqual({
    'retry.baseMs': 'Got -1; allowed: 0 to 60000',
    id: 'Got "A"; allowed: lower-case letters',
  });
  expect(rest).toEqual([{ path: 'content.zones', got: 'nothing', allowed: 'a list' }]);
});
