import type { Page } from '@playwright/test';
import { expect, test } from './support/console-test.js';

test('runs a saved audit query on the session of the viewer', async ({ page, agents }) => {
  await agents.create('explored');
  await page.goto('/explorer');
  await open(page, 'Who changed what');
  await page.getByRole('button', { name: 'Execute query' }).click();
  const result = page.getByRole('region', { name: 'Result Window' });
  await expect(result).toContainText('token.issue');
  await expect(result).toContainText('default/explored');
});

test('follows health changes with a saved subscription', async ({ page, agents }) => {
  await page.goto('/explorer');
  await open(page, 'Follow health changes (subscription)');
  await page.getByRole('button', { name: 'Execute query' }).click();
  const result = page.getByRole('region', { name: 'Result Window' });
  await expect(result).toContainText('SNAPSHOT');
  await agents.start('followed');
  await expect(result).toContainText('default/followed/a');
});

/** Opens a saved operation once the editor knows the schema. */
async function open(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Saved operations' }).click();
  await page.getByRole('menuitem', { name }).click();
  await expect(page.getByRole('button', { name: 'Execute query' })).toBeEnabled();
}
