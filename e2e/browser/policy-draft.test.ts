import type { Page } from '@playwright/test';
import { expect, test } from './support/console-test.js';
import { allTo, createPolicy, review, saveAs, startPair } from './support/policies.js';

test('a draft is tried against one request, beside what happens now', async ({ page, agents, server }) => {
  const pair = await startPair(agents, server, 'trial');
  const match = { capability: 'echo', caller: pair.caller };
  const id = await createPolicy(server, 'trial', { match, strategy: allTo(pair.left, pair.right) });
  await page.goto(`/policies/${id}`);
  await turnAround(page);

  await page.getByRole('tab', { name: 'Try the draft' }).click();
  await ask(page, pair.caller);
  await expect(page.getByRole('status', { name: 'Comparison' })).toHaveText('It goes elsewhere');
  await expect(page.getByRole('region', { name: 'With the draft', exact: true })).toContainText(`${pair.right}/a`);
  await expect(page.getByRole('region', { name: 'As saved', exact: true })).toContainText(`${pair.left}/a`);
  await expect(page.getByRole('region', { name: 'As saved', exact: true })).toContainText(
    'By the policy trial, version 1',
  );
  const candidates = page.getByRole('table', { name: 'Candidates' });
  await expect(candidates.getByRole('row', { name: `${pair.right}/a` })).toContainText('Chosen');
  await expect(
    page.getByRole('table', { name: 'Stages with the draft' }).getByRole('row', { name: 'Permission' }),
  ).toBeVisible();
  await expect(page).toHaveURL(/tab=try/);
  await expect(page).toHaveURL(/capability=echo/);
  // Nothing of it counted.
  expect(await pair.calls(10)).toEqual({ [pair.left]: 10 });

  await page.reload();
  await expect(page.getByRole('status', { name: 'Comparison' })).toHaveText('It goes elsewhere');
  await page.getByRole('button', { name: 'Discard' }).click();
  await expect(page.getByRole('status', { name: 'Comparison' })).toHaveText('It goes where it goes now');
});

test('a draft is replayed against recent calls, which move as it says', async ({ page, agents, server }) => {
  const pair = await startPair(agents, server, 'replay');
  const match = { capability: 'echo', caller: pair.caller };
  const id = await createPolicy(server, 'replay', { match, strategy: allTo(pair.left, pair.right) });
  expect(await pair.calls(30)).toEqual({ [pair.left]: 30 });

  await page.goto(`/policies/${id}?tab=try`);
  await page.getByRole('button', { name: 'Replay recent calls' }).click();
  const result = page.getByRole('status', { name: 'Result of the replay' });
  await expect(result).toHaveText(/^0 of 30 calls that this is about would go elsewhere, 30 would stay\./);

  await page.getByRole('tab', { name: 'Edit' }).click();
  await turnAround(page);
  await page.getByRole('tab', { name: 'Try the draft' }).click();
  await page.getByRole('button', { name: 'Replay recent calls' }).click();
  await expect(result).toHaveText(/^30 of 30 calls that this is about would go elsewhere, 0 would stay\./);
  const moves = page.getByRole('table', { name: 'Moves' });
  await expect(moves.getByRole('row')).toHaveCount(2);
  await expect(moves).toContainText(pair.left);
  await expect(moves.getByRole('row').nth(1)).toHaveText(new RegExp(`${pair.left}\\s*${pair.right}\\s*30$`));

  await saveAs(page, 2);
  expect(await pair.calls(30)).toEqual({ [pair.right]: 30 });
});

test('a request is kept as a test, which refuses a save that breaks it', async ({ page, agents, server }) => {
  const pair = await startPair(agents, server, 'kept');
  const match = { capability: 'echo', caller: pair.caller };
  const id = await createPolicy(server, 'kept', { match, strategy: allTo(pair.left, pair.right) });
  await page.goto(`/policies/${id}?tab=tests`);
  await expect(page.getByRole('heading', { name: 'No test is saved with this policy' })).toBeVisible();
  await page.getByRole('button', { name: 'Make one of a request' }).click();
  await ask(page, pair.caller);
  await page.getByRole('button', { name: 'Keep this as a test' }).click();
  const dialog = page.getByRole('dialog', { name: 'New test' });
  const json = dialog.getByRole('textbox', { name: 'Test as JSON' });
  await expect(json).toHaveValue(new RegExp(`"chosen": "${pair.left}/a"`));
  await expect(dialog.getByRole('status', { name: 'Result of the test' })).toHaveText('Passes');
  const built = JSON.parse(await json.inputValue());
  await json.fill(JSON.stringify({ ...built, name: 'echo goes left' }));
  await dialog.getByRole('button', { name: 'Add the test' }).click();
  await saveAs(page, 2, 'with a test');

  await page.getByRole('tab', { name: 'Edit' }).click();
  await turnAround(page);
  await expect(page.getByRole('status', { name: 'State of the draft' })).toContainText('1 of its tests fail');
  const refused = await review(page);
  await expect(refused.getByRole('button', { name: 'Save policy' })).toHaveAttribute('aria-disabled', 'true');
  await refused.getByRole('button', { name: 'Cancel' }).click();

  await page.getByRole('tab', { name: /^Tests/ }).click();
  const row = page.getByRole('table', { name: 'Saved tests' }).getByRole('row', { name: 'echo goes left' });
  await expect(row).toContainText('Fails');
  await expect(row).toContainText(`expect.chosen: expected ${pair.left}/a, got ${pair.right}/a`);
  await row.getByRole('button', { name: 'Edit test echo goes left' }).click();
  const editing = page.getByRole('dialog', { name: 'Edit echo goes left' });
  const text = editing.getByRole('textbox', { name: 'Test as JSON' });
  await text.fill((await text.inputValue()).replace(`"chosen": "${pair.left}/a"`, `"agent": "${pair.right}"`));
  await expect(editing.getByRole('status', { name: 'Result of the test' })).toHaveText('Passes');
  await editing.getByRole('button', { name: 'Keep the test' }).click();
  await expect(row).toContainText('Passes');
  await saveAs(page, 3, 'to the right, and its test');
  expect(await pair.calls(10)).toEqual({ [pair.right]: 10 });

  await row.getByRole('button', { name: 'Remove test echo goes left' }).click();
  const removal = await review(page);
  await expect(removal.getByRole('row', { name: 'tests: echo goes left' })).toContainText('not set');
});

/** Hands all calls to the agent that only stood in. */
async function turnAround(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Move agent 2 up' }).click();
  await page.getByRole('textbox', { name: 'Share of agent 1' }).fill('100');
  await page.getByRole('textbox', { name: 'Share of agent 2' }).fill('0');
}

/** Asks where a call to `echo` would go. */
async function ask(page: Page, caller: string): Promise<void> {
  const form = page.getByRole('form', { name: 'Try the draft' });
  await form.getByLabel('Caller').fill(caller);
  await form.getByLabel('Capability').fill('echo');
  await form.getByRole('button', { name: 'Try the draft' }).click();
}
