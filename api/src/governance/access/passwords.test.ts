import { scryptSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { hashPassword, passwordFault, verifyPassword } from './passwords.js';

describe('passwords', () => {
  it('are verified against their own hash only', async () => {
    const stored = await hashPassword('correct horse battery');
    expect(stored).toMatch(/^scrypt\$32768\$8\$3\$[A-Za-z0-9+/]{22}==\$[A-Za-z0-9+/]{43}=$/);
    expect(await verifyPassword('correct horse battery', stored)).toBe(true);
    expect(await verifyPassword('correct horse batterz', stored)).toBe(false);
    expect(await verifyPassword('', stored)).toBe(false);
  });

  it('stay valid when the parameters of new ones change', async () => {
    const salt = Buffer.alloc(16, 7);
    const hash = scryptSync('an older password', salt, 32, { N: 1024, r: 8, p: 1 });
    const stored = `scrypt$1024$8$1$${salt.toString('base64')}$${hash.toString('base64')}`;
    expect(await verifyPassword('an older password', stored)).toBe(true);
  });

  it('are the same however their letters were composed', async () => {
    const stored = await hashPassword('caf\u00e9 au lait, s\u2019il');
    expect(await verifyPassword('cafe\u0301 au lait, s\u2019il', stored)).toBe(true);
  });

  it.each([null, 'plain'])('are never right without a usable hash (%j)', async (stored) => {
    expect(await verifyPassword('', stored)).toBe(false);
  });

  it.each([
    [undefined, 'nothing'],
    [7, 'number'],
    ['eleven char', '11 characters'],
    ['x'.repeat(1025), '1025 characters'],
  ])('are refused when they are no text of 12 characters and more (%#)', (password, got) => {
    expect(passwordFault('password', password)).toEqual({ path: 'password', got, allowed: '12 to 1024 characters' });
  });

  it('are taken from 12 characters on', () => {
    expect(passwordFault('password', 'twelve chars')).toBeUndefined();
  });
});
