import type { Page } from '@playwright/test';
import { expect, test } from './support/console-test.js';

test('a policy is created, edited with its faults in place, and saved as another version', async ({ page }) => {
  await page.goto('/policies');
  await page.getByRole('button', { name: 'New policy' }).first().click();
  await page.getByLabel('Policy name').fill('quiet hours');
  await page.getByRole('textbox', { name: 'Capability' }).fill('reserve_*');
  await chooseStrategy(page, 'Least in flight');
  await expect(page.getByLabel('Weight of load')).toHaveCount(0);
  await page.getByRole('button', { name: 'Create policy' }).click();
  await expect(page.getByRole('heading', { name: 'quiet hours' })).toBeVisible();
  await expect(page.getByText('Version 1, saved')).toBeVisible();

  const retries = page.getByRole('textbox', { name: 'Retries' });
  const save = page.getByRole('button', { name: 'Save policy' });
  await retries.fill('11');
  await expect(retries).toHaveAttribute('aria-invalid', 'true');
  await expect(page.getByText('Got 11; allowed: a whole number from 0 to 10')).toBeVisible();
  await expect(save).toHaveAttribute('aria-disabled', 'true');

  await retries.fill('4');
  await chooseStrategy(page, 'Weighted score');
  await page.getByLabel('Weight of load').fill('2');
  await page.getByLabel('Weight of latency').fill('1');
  await page.getByLabel('Weight of affinity').fill('1');
  await expect(page.getByText('50 % of the score')).toBeVisible();
  const changes = page.getByRole('table', { name: 'Changes to save' });
  await expect(changes.getByRole('row', { name: 'retry.maxRetries' })).toHaveText(/2\s*4$/);
  await expect(changes).toContainText('WEIGHTED_SCORE');
  await save.click();
  await expect(page.getByText('Version 2, saved')).toBeVisible();
  await expect(changes).toHaveCount(0);

  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Policies' }).click();
  const row = page.getByRole('table', { name: 'Policies' }).getByRole('row', { name: 'quiet hours' });
  await expect(row).toContainText('reserve_*');
  await expect(row).toContainText('WEIGHTED_SCORE');
  await expect(row).toContainText('version 2');
});

test('a save that somebody else overtook shows theirs and yours', async ({ page, server }) => {
  const { createPolicy } = await server.graphql<{ createPolicy: { policy: { id: string } } }>(
    'mutation ($input: CreatePolicyInput!) { createPolicy(input: $input) { policy { id } } }',
    { input: { namespace: 'default', name: 'contested', content: { retry: { maxRetries: 1 } } } },
  );
  const { id } = createPolicy.policy;
  await page.goto(`/policies/${id}`);
  const retries = page.getByRole('textbox', { name: 'Retries' });
  await expect(retries).toHaveValue('1');
  await server.graphql(
    `mutation ($id: ID!, $patch: PolicyPatch!) {
      updatePolicy(id: $id, patch: $patch, expectedVersion: 1) { policy { version } } }`,
    { id, patch: { content: { retry: { maxRetries: 7 } } } },
  );

  await retries.fill('3');
  await page.getByRole('button', { name: 'Save policy' }).click();
  const conflict = page.getByRole('alert').filter({ hasText: 'saved version 2 meanwhile' });
  const row = conflict.getByRole('table', { name: 'Theirs and yours' }).getByRole('row', { name: 'retry.maxRetries' });
  await expect(row).toHaveText(/7\s*3$/);
  await conflict.getByRole('button', { name: 'Take theirs' }).click();
  await expect(retries).toHaveValue('7');
  await expect(conflict).toHaveCount(0);

  await retries.fill('3');
  await page.getByRole('button', { name: 'Save policy' }).click();
  await expect(page.getByText('Version 3, saved')).toBeVisible();
});

async function chooseStrategy(page: Page, name: string): Promise<void> {
  await page.getByRole('combobox', { name: 'Strategy' }).click();
  await page.getByRole('option', { name }).click();
}
