import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { localAdminToken } from './admin-token.js';

it('makes the token of this machine once, for its owner only', () => {
  const directory = mkdtempSync(join(tmpdir(), 'reach-admin-'));
  try {
    const token = localAdminToken(directory);
    expect(token).toMatch(/^rch_admin_[A-Za-z0-9_-]{43}$/);
    expect(localAdminToken(directory)).toBe(token);
    expect(statSync(join(directory, 'admin.token')).mode & 0o777).toBe(0o600);
  } finally {
    rmSync(directory, { recursive: true });
  }
});
