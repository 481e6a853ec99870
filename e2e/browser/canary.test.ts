import type { Locator, Page } from '@playwright/test';
import { allow } from '../support/shop.js';
import { expect, test } from './support/console-test.js';
import { check, setCanary, startVersion } from './support/versions.js';

test.afterEach(({ server }) => setCanary(server, null));

const versionRow = (page: Page, version: string): Locator =>
  page.getByRole('table', { name: 'Versions' }).getByRole('row', { name: version });

test('new versions are tried out as the namespace says, seen on trial, and promoted', async ({
  page,
  agents,
  server,
}) => {
  await page.goto('/agents');
  await page.getByRole('link', { name: 'Namespaces' }).click();
  const table = page.getByRole('table', { name: 'Namespaces' });
  await expect(table.getByRole('row', { name: 'default' })).toContainText('New versions start in production');
  await table.getByRole('link', { name: 'default' }).click();
  await expect(page).toHaveURL('/namespaces/default');
  await page.getByRole('switch', { name: 'New versions start as canaries' }).click();
  await page.getByLabel('Share of the calls').fill('50');
  await page.getByLabel('Time on trial').fill('500');
  await page.getByLabel('Calls needed').fill('10');
  const save = page.getByRole('button', { name: 'Save settings' });
  await save.click();
  await expect(page.getByText('allowed: a whole number from 1000 to 604800000').first()).toBeVisible();
  await page.getByLabel('Time on trial').fill('1000');
  await save.click();
  await expect(page.getByText('Settings of default are saved')).toBeVisible();
  await page.reload();
  await expect(page.getByLabel('Share of the calls')).toHaveValue('50 %');

  const web = await agents.caller('parcels-web');
  await allow(server, 'agent:default/parcels-web', 'default/parcels', '*');
  const old = await startVersion(agents, server, 'parcels', '1.0.0');
  const fresh = await startVersion(agents, server, 'parcels', '2.0.0');
  await page.goto('/agents/default/parcels');
  await expect(versionRow(page, '1.0.0')).toContainText('Production');
  const row = versionRow(page, '2.0.0');
  await expect(row).toContainText('Canary');
  await expect(row).toContainText('On trial');
  await expect(row).toContainText('waits for 10 more calls');

  const counts = await check(web, 'parcels', 60);
  expect(Object.keys(counts).sort()).toEqual(['1.0.0', '2.0.0']);
  await expect(row).toContainText('Production');
  await expect(row).toContainText('Promoted');
  await expect(row).toContainText(/0 of \d+ calls failed in/);

  // The same process again, over a new connection.
  await fresh.close();
  const again = await startVersion(agents, server, 'parcels', '2.0.0');
  await expect(row).toContainText('Promoted');
  await page.goto('/audit?kind=CHANGE&target=default/parcels');
  await expect(page.getByRole('table').getByRole('row', { name: 'canary.promote' })).toBeVisible();
  await again.close();
  await old.close();
});

test('a version that fails is returned with its reason, and released by an operator', async ({
  page,
  agents,
  server,
}) => {
  await setCanary(server, { enabled: true, sharePercent: 50, promoteAfterMs: 600_000 });
  const web = await agents.caller('letters-web');
  await allow(server, 'agent:default/letters-web', 'default/letters', '*');
  const old = await startVersion(agents, server, 'letters', '1.0.0');
  const broken = await startVersion(agents, server, 'letters', '2.0.0', 'BADLY');
  await page.goto('/agents/default/letters');
  const row = versionRow(page, '2.0.0');
  await expect(row).toContainText('On trial');
  await expect(row).toContainText(/promoted in (9 min \d+ s|10 min) if all goes well/);

  expect((await check(web, 'letters', 40)).failed).toBeGreaterThanOrEqual(5);
  await expect(row).toContainText('Staging');
  await expect(row).toContainText('Returned');
  const alert = page.getByRole('alert').filter({ hasText: 'Version 2.0.0 was returned to staging' });
  await expect(alert).toContainText('the breaker of its instance is open: 5 failures in a row');
  expect(await check(web, 'letters', 20)).toEqual({ '1.0.0': 20 });

  await row.getByRole('button', { name: 'Release version 2.0.0' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Move to production' }).click();
  await expect(row).toContainText('Production');
  await expect(row).toContainText('Released');
  await expect(row).toContainText('released by user:admin');
  await expect(alert).toHaveCount(0);
  await broken.close();
  await old.close();
});

test('a canary is stopped and tried again, and a decision that comes too late is told so', async ({
  page,
  agents,
  server,
}) => {
  await setCanary(server, { enabled: true, promoteMinCalls: 1_000 });
  const old = await startVersion(agents, server, 'stamps', '1.0.0');
  const fresh = await startVersion(agents, server, 'stamps', '2.0.0');
  await page.goto('/agents/default/stamps');
  const row = versionRow(page, '2.0.0');
  await row.getByRole('button', { name: 'Stop canary 2.0.0' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Move to staging' }).click();
  await expect(row).toContainText('Stopped');
  await row.getByRole('button', { name: 'Set domain of version 2.0.0' }).click();
  await page.getByRole('menuitem', { name: 'Canary' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Move to canary' }).click();
  await expect(row).toContainText('On trial');

  await row.getByRole('button', { name: 'Stop canary 2.0.0' }).click();
  await server.graphql(
    'mutation { setVersionDomain(ref: "default/stamps", version: "2.0.0", domain: PRODUCTION) { ref } }',
  );
  await page.getByRole('dialog').getByRole('button', { name: 'Move to staging' }).click();
  await expect(page.getByRole('dialog').getByRole('alert')).toContainText('is in PRODUCTION by now, not CANARY');
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await expect(row).toContainText('Released');
  await fresh.close();
  await old.close();
});
