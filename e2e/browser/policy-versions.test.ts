import { expect, test } from './support/console-test.js';
import { allTo, createPolicy, review, saveAs, startPair, updatePolicy } from './support/policies.js';

test('any two versions are compared, and a restored one brings the calls back', async ({ page, agents, server }) => {
  const pair = await startPair(agents, server, 'undo');
  const match = { capability: 'echo', caller: pair.caller };
  const id = await createPolicy(server, 'undo', { match, strategy: allTo(pair.left, pair.right) }, { comment: 'left' });
  await updatePolicy(server, id, { content: { strategy: allTo(pair.right, pair.left) }, comment: 'right' }, 1);
  await updatePolicy(server, id, { content: { retry: { maxRetries: 4 } }, comment: 'patience' }, 2);
  expect(await pair.calls(20)).toEqual({ [pair.right]: 20 });

  await page.goto(`/policies/${id}?tab=versions`);
  const versions = page.getByRole('table', { name: 'Versions', exact: true });
  await expect(versions.getByRole('row', { name: 'Version 3' })).toContainText('patience');
  await expect(versions.getByRole('row', { name: 'Version 3' })).toContainText('Changed retry.maxRetries');
  await expect(versions.getByRole('row', { name: 'Version 2' })).toContainText('right');
  const compared = page.getByRole('table', { name: 'Compared versions' });
  await expect(compared.getByRole('row')).toHaveCount(2);
  await expect(compared.getByRole('row', { name: 'retry.maxRetries' })).toHaveText(/2\s*4$/);

  await versions.getByRole('radio', { name: 'Compare from version 1' }).click();
  await expect(page).toHaveURL(`/policies/${id}?tab=versions&from=1&to=3`);
  await expect(compared.getByRole('row', { name: 'strategy.agents' })).toBeVisible();
  await expect(compared.getByRole('row', { name: 'retry.maxRetries' })).toBeVisible();
  await page.reload();
  await expect(page.getByRole('heading', { name: 'Version 1 and version 3' })).toBeVisible();
  await expect(compared.getByRole('row')).toHaveCount(3);

  await versions.getByRole('button', { name: 'Restore version 1' }).click();
  const dialog = page.getByRole('dialog', { name: 'Restore version 1?' });
  await expect(dialog.getByRole('row', { name: 'retry.maxRetries' })).toHaveText(/4\s*2$/);
  await dialog.getByLabel('Comment').fill('back to the left');
  await dialog.getByRole('button', { name: 'Restore version 1' }).click();
  await expect(page.getByText('Version 4, saved')).toBeVisible();
  await expect(versions.getByRole('row', { name: 'Version 4' })).toContainText('Brought back from version 1.');
  expect(await pair.calls(20)).toEqual({ [pair.left]: 20 });
});

test('a version goes to a part of the calls first, and is widened', async ({ page, agents, server }) => {
  const pair = await startPair(agents, server, 'part');
  const match = { capability: 'echo', caller: pair.caller };
  const id = await createPolicy(server, 'part', { match, strategy: allTo(pair.left, pair.right) });

  await page.goto(`/policies/${id}`);
  await page.getByRole('button', { name: 'Move agent 2 up' }).click();
  await page.getByRole('textbox', { name: 'Share of agent 1' }).fill('100');
  await page.getByRole('textbox', { name: 'Share of agent 2' }).fill('0');
  const dialog = await review(page);
  await dialog.getByLabel('Share of the calls').fill('0');
  await expect(dialog.getByText('A whole number from 1 to 100')).toBeVisible();
  await dialog.getByRole('button', { name: '50 %' }).click();
  await expect(dialog.getByText('The others: version 1')).toBeVisible();
  await dialog.getByRole('button', { name: 'Save policy' }).click();
  const rollout = page.getByRole('region', { name: /^Version 2 is for/ });
  await expect(rollout).toContainText('Version 2 is for 50 % of the calls');
  const both = await pair.calls(60);
  expect(both[pair.left]).toBeGreaterThan(10);
  expect(both[pair.right]).toBeGreaterThan(10);

  await page.goto('/policies');
  const row = page.getByRole('table', { name: 'Policies' }).getByRole('row', { name: 'part' });
  await expect(row).toContainText('50 % of calls');
  await expect(row).toContainText('others: version 1');
  await row.getByRole('link', { name: 'part' }).click();
  await rollout.getByRole('button', { name: '100 %' }).click();
  await rollout.getByRole('button', { name: 'Set the share' }).click();
  await expect(rollout).toHaveCount(0);
  await expect(page.getByText('Version 2, saved')).toBeVisible();
  expect(await pair.calls(20)).toEqual({ [pair.right]: 20 });
});

test('a draft stays on top of a version that is restored under it', async ({ page, server }) => {
  const id = await createPolicy(server, 'on top', { match: { capability: 'on_top' }, priority: 1 });
  await updatePolicy(server, id, { content: { priority: 2 } }, 1);
  await page.goto(`/policies/${id}`);
  await page.getByRole('textbox', { name: 'Retries' }).fill('6');
  await page.getByRole('tab', { name: 'Versions' }).click();
  await page.getByRole('button', { name: 'Restore version 1' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Restore version 1' }).click();
  await expect(page.getByText('Version 3, saved')).toBeVisible();
  await page.getByRole('tab', { name: 'Edit' }).click();
  await expect(page.getByRole('textbox', { name: 'Priority' })).toHaveValue('1');
  await expect(page.getByRole('textbox', { name: 'Retries' })).toHaveValue('6');
  await saveAs(page, 4);
});

test('a version is not restored over one that somebody else saved meanwhile', async ({ page, server }) => {
  const id = await createPolicy(server, 'raced', { match: { capability: 'raced' }, priority: 1 });
  await updatePolicy(server, id, { content: { priority: 2 } }, 1);
  await page.goto(`/policies/${id}?tab=versions`);
  await page.getByRole('button', { name: 'Restore version 1' }).click();
  await updatePolicy(server, id, { content: { priority: 3 }, comment: 'urgent' }, 2);
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Restore version 1' }).click();
  await dialog
    .getByRole('alert')
    .filter({ hasText: 'saved version 3 meanwhile' })
    .getByRole('button', { name: 'Go on from version 3' })
    .click();
  await expect(page.getByText('“urgent”')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Version 2 and version 3' })).toBeVisible();
  await page.getByRole('button', { name: 'Restore version 1' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Restore version 1' }).click();
  await expect(page.getByText('Version 4, saved')).toBeVisible();
});
