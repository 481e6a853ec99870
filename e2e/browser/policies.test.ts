import { expect, test } from './support/console-test.js';
import {
  allTo,
  chooseStrategy,
  createPolicy,
  draftJson,
  review,
  saveAs,
  startPair,
  updatePolicy,
} from './support/policies.js';

test('a policy is created, edited with its faults in place, and saved as another version', async ({ page }) => {
  await page.goto('/policies');
  await page.getByRole('button', { name: 'New policy' }).first().click();
  await page.getByLabel('Policy name').fill('quiet hours');
  await page.getByRole('textbox', { name: 'Capability' }).fill('reserve_*');
  await chooseStrategy(page, 'Least in flight');
  await expect(page.getByLabel('Weight of load')).toHaveCount(0);
  const creation = await review(page, 'Review and create');
  const created = creation.getByRole('table', { name: 'Changes to save' });
  await expect(created.getByRole('row', { name: 'match.capability' })).toHaveText(/"\*"\s*"reserve_\*"$/);
  await creation.getByRole('button', { name: 'Create policy' }).click();
  await expect(page.getByRole('heading', { name: 'quiet hours' })).toBeVisible();
  await expect(page.getByText('Version 1, saved')).toBeVisible();

  const retries = page.getByRole('textbox', { name: 'Retries' });
  const open = page.getByRole('button', { name: 'Review and save' });
  await retries.fill('11');
  await expect(retries).toHaveAttribute('aria-invalid', 'true');
  await expect(page.getByText('Got 11; allowed: a whole number from 0 to 10').first()).toBeVisible();
  await expect(open).toHaveAttribute('aria-disabled', 'true');
  await open.hover();
  await expect(page.getByRole('tooltip')).toHaveText('Correct the marked fields first.');

  await retries.fill('4');
  await chooseStrategy(page, 'Weighted score');
  await page.getByLabel('Weight of load').fill('2');
  await page.getByLabel('Weight of latency').fill('1');
  await page.getByLabel('Weight of affinity').fill('1');
  await expect(page.getByText('50 % of the score')).toBeVisible();
  const dialog = await review(page);
  const changes = dialog.getByRole('table', { name: 'Changes to save' });
  await expect(changes.getByRole('row', { name: 'retry.maxRetries' })).toHaveText(/2\s*4$/);
  await expect(changes.getByRole('row', { name: 'strategy.name' })).toHaveText(/"LEAST_IN_FLIGHT"\s*"WEIGHTED_SCORE"$/);
  await expect(changes.getByRole('row', { name: 'strategy.weights.load' })).toHaveText(/not set\s*2$/);
  await dialog.getByLabel('Comment').fill('more patience');
  await dialog.getByRole('button', { name: 'Save policy' }).click();
  await expect(page.getByText('Version 2, saved')).toBeVisible();
  await expect(page.getByText('“more patience”')).toBeVisible();
  await expect(page.getByRole('status', { name: 'State of the draft' })).toHaveText('Nothing changed');

  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Policies' }).click();
  const row = page.getByRole('table', { name: 'Policies' }).getByRole('row', { name: 'quiet hours' });
  await expect(row).toContainText('reserve_*');
  await expect(row).toContainText('Weighted score');
  await expect(row).toContainText('version 2');
  await expect(row).toContainText('In force');
});

test('the form and the JSON edit each other, and a draft survives a reload', async ({ page, server }) => {
  const id = await createPolicy(server, 'two sides', { match: { capability: 'two_sides' } });
  await page.goto(`/policies/${id}`);
  const json = page.getByRole('textbox', { name: 'JSON' });
  await chooseStrategy(page, 'Quality');
  await page.getByLabel('Bound of latency').fill('2000');
  await page.getByRole('switch', { name: 'Split the calls over domains' }).check({ force: true });
  await page.getByRole('textbox', { name: 'Versions' }).fill('^1.2');
  expect(await draftJson(page)).toMatchObject({
    strategy: {
      name: 'QUALITY',
      quality: { base: 100, successWeight: 60, latencyWeight: 40, latencyBoundMs: 2000 },
    },
    domainSplit: { CANARY: 5, STAGING: 0, PRODUCTION: 95 },
    versions: { range: '^1.2', sticky: false },
  });

  await json.fill(
    '{ "match": { "capability": "two_*" }, "strategy": { "name": "CONSISTENT_HASH", "spillPercent": 7 } }',
  );
  await expect(page.getByRole('textbox', { name: 'Capability' })).toHaveValue('two_*');
  await expect(page.getByRole('combobox', { name: 'Strategy' })).toHaveValue('Consistent hash');
  await expect(page.getByRole('textbox', { name: 'Spill' })).toHaveValue('7 %');
  await expect(page.getByRole('switch', { name: 'Split the calls over domains' })).not.toBeChecked();

  await json.fill('{\n  "match": { "capability": }\n}');
  await expect(page.getByText('This is no JSON yet: line 2, column 28, did not expect }.')).toBeVisible();
  await expect(page.getByRole('textbox', { name: 'Capability' })).toBeDisabled();
  await expect(page.getByRole('button', { name: 'Review and save' })).toHaveAttribute('aria-disabled', 'true');
  await page.getByRole('button', { name: 'Go back to the last readable JSON' }).click();
  await json.fill('{ "strategy": { "name": "RANDOM", "wieghts": 1 } }');
  await expect(page.getByRole('list', { name: 'Faults of the policy' })).toContainText(
    'strategy.wieghts: Got an unknown field',
  );

  await json.fill('{ "match": { "capability": "two_sides" }, "retry": { "maxRetries": 5 } }');
  await page.reload();
  await expect(page.getByText('Your draft of before is still here')).toBeVisible();
  await expect(page.getByRole('textbox', { name: 'Retries' })).toHaveValue('5');
  await page.getByRole('button', { name: 'Discard' }).click();
  await expect(page.getByRole('textbox', { name: 'Retries' })).toHaveValue('2');
});

test('limits, waiting and a fallback are set in the form and saved as they stand', async ({ page, server }) => {
  const id = await createPolicy(server, 'careful', { match: { capability: 'careful' } });
  await page.goto(`/policies/${id}`);
  await page.getByRole('switch', { name: 'Limit the calls of each caller' }).check({ force: true });
  await page.getByRole('textbox', { name: 'Calls allowed' }).fill('3');
  await page.getByRole('switch', { name: 'Let calls wait' }).check({ force: true });
  await page.getByRole('textbox', { name: 'Wait at most' }).fill('70000');
  await expect(page.getByText('Got 70000; allowed: a whole number from 1 to 60000').first()).toBeVisible();
  await page.getByRole('textbox', { name: 'Wait at most' }).fill('250');
  await page.getByRole('textbox', { name: 'Mean latency' }).fill('800');

  const add = page.getByRole('button', { name: 'Add a step' });
  await add.click();
  await page.getByRole('combobox', { name: 'Agent of step 1' }).fill('default/spare');
  await add.click();
  await page.getByRole('combobox', { name: 'Kind of step 2' }).selectOption('A fixed answer');
  const answer = page.getByRole('textbox', { name: 'Answer of step 2' });
  await answer.fill('{ "state": ');
  await expect(page.getByText('This is no JSON yet: line 1, column 12, the text ends too early.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Review and save' })).toHaveAttribute('aria-disabled', 'true');
  await answer.fill('{ "state": "unknown" }');
  await page.getByRole('button', { name: 'Move step 2 up' }).click();
  await expect(page.getByText('fallback.0 always answers, so no step after it is ever reached.').first()).toBeVisible();
  await page.getByRole('button', { name: 'Move step 1 down' }).click();
  await expect(page.getByText('there is no agent default/spare').first()).toBeVisible();

  await saveAs(page, 2, 'three a minute');
  const { policy } = await server.graphql<{ policy: { content: unknown } }>(
    'query ($id: ID!) { policy(id: $id) { content } }',
    { id },
  );
  expect(policy.content).toMatchObject({
    breaker: { maxMeanLatencyMs: 800, slowStartMs: 10_000 },
    rateLimit: { calls: 3, windowMs: 60_000 },
    queue: { maxLength: 100, maxWaitMs: 250 },
    fallback: [
      { kind: 'AGENT', agent: 'default/spare' },
      { kind: 'ANSWER', result: { state: 'unknown' } },
    ],
  });

  await page.reload();
  await expect(page.getByRole('textbox', { name: 'Calls allowed' })).toHaveValue('3');
  await expect(page.getByRole('textbox', { name: 'Answer of step 2' })).toHaveValue('{\n  "state": "unknown"\n}');
  await page.getByRole('button', { name: 'Remove step 1' }).click();
  await expect(page.getByRole('textbox', { name: 'Answer of step 1' })).toHaveValue('{\n  "state": "unknown"\n}');
});

test('ratios are ordered, summed, and move every call once they are saved', async ({ page, agents, server }) => {
  const pair = await startPair(agents, server, 'ratio');
  const id = await createPolicy(server, 'ratio', {
    match: { capability: 'echo', caller: pair.caller },
    strategy: allTo(pair.left, pair.right),
  });
  expect(await pair.calls(20)).toEqual({ [pair.left]: 20 });

  await page.goto(`/policies/${id}`);
  const sum = page.getByRole('status', { name: 'Sum of the shares' });
  await expect(sum).toHaveText('Sum 100 %');
  await page.getByRole('button', { name: 'Move agent 2 up' }).click();
  await expect(page.getByRole('combobox', { name: 'Agent 1' })).toHaveValue(pair.right);
  await page.getByRole('textbox', { name: 'Share of agent 1' }).fill('90');
  await page.getByRole('textbox', { name: 'Share of agent 2' }).fill('0');
  await expect(sum).toHaveText('Sum 90 %: 10 % are missing');
  await expect(page.getByText('ratios that sum to 90').first()).toBeVisible();
  await page.getByRole('textbox', { name: 'Share of agent 1' }).fill('100');
  await expect(sum).toHaveText('Sum 100 %');
  await saveAs(page, 2, 'all to the right');
  expect(await pair.calls(20)).toEqual({ [pair.right]: 20 });

  await page.getByRole('combobox', { name: 'Agent 1' }).fill('default/nobody-there');
  await expect(page.getByText('there is no agent default/nobody-there').first()).toBeVisible();
});

test('a save that somebody else overtook shows theirs and yours', async ({ page, server }) => {
  const id = await createPolicy(server, 'contested', { retry: { maxRetries: 1 }, match: { capability: 'contested' } });
  await page.goto(`/policies/${id}`);
  const retries = page.getByRole('textbox', { name: 'Retries' });
  await expect(retries).toHaveValue('1');
  await updatePolicy(server, id, { content: { retry: { maxRetries: 7 } }, comment: 'more is better' }, 1);

  await retries.fill('3');
  let dialog = await review(page);
  await dialog.getByRole('button', { name: 'Save policy' }).click();
  let conflict = dialog.getByRole('alert').filter({ hasText: 'saved version 2 meanwhile' });
  await expect(conflict).toContainText('“more is better”');
  const theirsAndYours = conflict.getByRole('table', { name: 'Theirs and yours' });
  await expect(theirsAndYours.getByRole('row', { name: 'retry.maxRetries' })).toHaveText(/7\s*3\s*Both$/);
  await conflict.getByRole('button', { name: 'Take theirs' }).click();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(retries).toHaveValue('7');
  await expect(page.getByText('Version 2, saved')).toBeVisible();

  // They change one field, we another: mine on top of theirs keeps both.
  await updatePolicy(server, id, { content: { retry: { baseMs: 50 } } }, 2);
  await retries.fill('4');
  dialog = await review(page);
  await dialog.getByRole('button', { name: 'Save policy' }).click();
  conflict = dialog.getByRole('alert').filter({ hasText: 'saved version 3 meanwhile' });
  await expect(conflict.getByRole('row', { name: 'retry.baseMs' })).toHaveText(/50\s*300\s*Them$/);
  await expect(conflict.getByRole('row', { name: 'retry.maxRetries' })).toHaveText(/7\s*4\s*You$/);
  await conflict.getByRole('button', { name: 'Keep mine on top of theirs' }).click();
  const changes = dialog.getByRole('table', { name: 'Changes to save' });
  await expect(changes.getByRole('row')).toHaveCount(2);
  await expect(changes.getByRole('row', { name: 'retry.maxRetries' })).toHaveText(/7\s*4$/);
  await dialog.getByRole('button', { name: 'Save policy' }).click();
  await expect(page.getByText('Version 4, saved')).toBeVisible();
  const { policy } = await server.graphql<{ policy: { content: unknown } }>(
    'query ($id: ID!) { policy(id: $id) { content } }',
    { id },
  );
  expect(policy.content).toMatchObject({ retry: { maxRetries: 4, baseMs: 50 } });
});
