import { expect, test } from './support/console-test.js';
import { createPolicy, startPair } from './support/policies.js';

test('explains where a call would go, by which part of a rollout, and for which affinity key', async ({
  page,
  agents,
  server,
}) => {
  const pair = await startPair(agents, server, 'why');
  const match = { capability: 'echo', caller: pair.caller };
  const id = await createPolicy(
    server,
    'why',
    { match, candidates: [pair.left], sticky: true },
    { rolloutPercent: 50 },
  );

  await page.goto('/explain');
  const form = page.getByRole('form', { name: 'Explain a route' });
  await form.getByLabel('Caller').fill(pair.caller);
  await form.getByLabel('Capability').fill('echo');
  await form.getByRole('button', { name: 'Type, tags, versions, zone, affinity key, request id' }).click();
  await form.getByLabel('Affinity key').fill('customer-7');
  const decision = page.getByRole('status', { name: 'Decision' });
  // Some of these fall into the half that the policy is for, and some into the other.
  const seen = new Set<string>();
  for (let index = 0; index < 20 && seen.size < 2; index += 1) {
    await form.getByLabel('Request id').fill(`request-${index}`);
    await form.getByRole('button', { name: 'Explain' }).click();
    await expect(page).toHaveURL(new RegExp(`request=request-${index}$`));
    await expect(decision).toContainText('OK');
    seen.add((await decision.textContent())?.includes('By the policy why, version 1') ? 'IN' : 'OUT');
    if (seen.has('IN') && seen.size === 1) await expect(decision).toContainText(`${pair.left}/a`);
  }
  expect(seen).toEqual(new Set(['IN', 'OUT']));

  await server.graphql(
    'mutation ($id: ID!) { setPolicyRollout(id: $id, percent: 100, expectedVersion: 1) { policy { id } } }',
    { id },
  );
  await form.getByRole('button', { name: 'Explain' }).click();
  await expect(decision).toContainText('By the policy why, version 1, strategy WEIGHTED_SCORE.');
  await expect(decision).toContainText(`Its affinity key would be bound to ${pair.left}/a.`);
  const candidates = page.getByRole('table', { name: 'Candidates' });
  const left = candidates.getByRole('row', { name: `${pair.left}/a` });
  await expect(left).toContainText('Chosen');
  await expect(left).toContainText('affinity');
  const right = candidates.getByRole('row', { name: `${pair.right}/a` });
  await expect(right).toContainText('is not among the agents that policy why lists');
  await expect(
    page.getByRole('table', { name: 'Stages of the decision' }).getByRole('row', { name: 'Target' }),
  ).toContainText('1');

  await page.reload();
  await expect(decision).toContainText(`${pair.left}/a`);
  await form.getByLabel('Capability').fill('nothing_offers_this');
  await form.getByRole('button', { name: 'Explain' }).click();
  await expect(decision).toContainText('NO_ROUTE');
});
