import { allow } from '../support/shop.js';
import { expect, test } from './support/console-test.js';
import { steer } from './support/steer.js';

test('shows the instance, the capabilities with their schemas, and issues a token to copy', async ({
  page,
  context,
  agents,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await agents.start('reader', 'reader-1');
  await page.goto('/agents/default/reader');
  await expect(page.getByRole('heading', { name: 'default/reader' })).toBeVisible();
  await expect(page.getByRole('status', { name: 'State of the agent' })).toContainText('Healthy');
  const instance = page.getByRole('table', { name: 'Instances' }).getByRole('row', { name: 'reader-1' });
  await expect(instance).toContainText('Ready');
  await expect(instance).toContainText('0 / 1000');
  await expect(instance).toContainText('REALTIME');

  await page.getByRole('tab', { name: 'Capabilities' }).click();
  await page.getByRole('button', { name: /^sleep/ }).click();
  const field = page.getByRole('table', { name: 'Parameters of sleep' }).getByRole('row', { name: 'ms' });
  await expect(field).toContainText('integer');
  await expect(field).toContainText('required');
  await expect(page).toHaveURL('/agents/default/reader?tab=capabilities&capability=sleep');

  await page.getByRole('tab', { name: 'Tokens' }).click();
  await page.getByRole('button', { name: 'Issue token' }).click();
  await page.getByLabel('Token name').fill('laptop');
  await page.getByRole('button', { name: 'Issue', exact: true }).click();
  const secret = (await page.getByRole('region', { name: 'Token', exact: true }).textContent()) ?? '';
  expect(secret).toMatch(/^rch_\S{40,}$/);
  await page.getByRole('button', { name: 'Copy Token' }).click();
  await expect(page.getByRole('button', { name: 'Token copied' })).toBeVisible();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(secret);
  await page.getByRole('button', { name: 'Done' }).click();

  // The secret was shown once; what stays is enough to recognise it by.
  const row = page.getByRole('table', { name: 'Tokens' }).getByRole('row', { name: 'laptop' });
  await expect(row).toContainText('Live');
  await expect(page.getByText(secret)).toHaveCount(0);
  await page.getByRole('button', { name: 'Revoke token laptop' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke token' }).click();
  await expect(row).toContainText('Revoked');
});

test('drains and resumes an instance, pauses and resumes the agent, and calls follow', async ({
  page,
  agents,
  server,
}) => {
  const web = await agents.caller('pair-web');
  await allow(server, 'agent:default/pair-web', 'default/pair', 'echo');
  await agents.start('pair', 'a');
  await agents.start('pair', 'b');
  const call = async () => {
    const { instance } = await web.callDetailed({ agent: 'pair', capability: 'echo', params: {} });
    return instance;
  };
  const calls = async (count: number) => new Set(await Promise.all(Array.from({ length: count }, call)));

  await page.goto('/agents/default/pair');
  const a = page.getByRole('table', { name: 'Instances' }).getByRole('row', { name: 'default/pair/a' });
  const b = page.getByRole('table', { name: 'Instances' }).getByRole('row', { name: 'default/pair/b' });
  await expect(a).toContainText('Ready');
  await expect(b).toContainText('Ready');

  await steer(page, 'Drain default/pair/a', 'Drain instance', 'disk is full');
  await expect(a).toContainText('Draining');
  await expect(a).toContainText('disk is full');
  expect(await calls(20)).toEqual(new Set(['default/pair/b']));

  await steer(page, 'Resume default/pair/a', 'Resume instance');
  await expect(a).toContainText('Ready');
  await steer(page, 'Pause default/pair/b', 'Pause instance', 'upgrade');
  await expect(b).toContainText('Paused');
  expect(await calls(20)).toEqual(new Set(['default/pair/a']));
  await steer(page, 'Resume default/pair/b', 'Resume instance');
  await expect(b).toContainText('Ready');

  await steer(page, 'Pause agent', 'Pause agent', 'stock-taking');
  await expect(page.getByRole('status', { name: 'State of the agent' })).toContainText('Paused');
  await expect(call()).rejects.toMatchObject({ code: 'NO_ROUTE' });
  await steer(page, 'Resume agent', 'Resume agent');
  await expect(page.getByRole('status', { name: 'State of the agent' })).not.toContainText('Paused');
  expect(await call()).toMatch(/^default\/pair\/[ab]$/);
});

test('keeps what operators set when the agent registers again, apart from what it reports', async ({
  page,
  agents,
}) => {
  const process = await agents.start('keeper');
  await page.goto('/agents/default/keeper?tab=settings');
  const reported = page.getByRole('region', { name: 'Reported by the agent' });
  await expect(reported).toContainText('Answers what it is asked, for tests.');
  await page.getByLabel('Weight').fill('50');
  const labels = page.getByRole('combobox', { name: 'Labels' });
  await labels.fill('team');
  await labels.press('Enter');
  await expect(page.getByText('"team" is no label: write name=value').first()).toBeVisible();
  await labels.press('Backspace');
  await labels.fill('team=desk');
  await labels.press('Enter');
  await expect(page.getByRole('table', { name: 'Changes to save' })).toContainText('labels.team');
  await page.getByRole('button', { name: 'Save settings' }).click();
  await expect(page.getByRole('table', { name: 'Changes to save' })).toBeHidden();

  await process.stop();
  await agents.start('keeper');
  await page.goto('/agents/default/keeper?tab=settings');
  await expect(page.getByText('team=desk', { exact: false }).first()).toBeVisible();
  await expect(page.getByLabel('Weight')).toHaveValue('50');
  await expect(reported).toContainText('test.echo');
});
