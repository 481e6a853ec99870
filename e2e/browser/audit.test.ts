import { auditUntil } from '../support/audit.js';
import { allow } from '../support/shop.js';
import { expect, test } from './support/console-test.js';

test('a call is found by its caller and outcome, and its page tells why that instance', async ({
  page,
  agents,
  server,
}) => {
  const web = await agents.caller('clerk-web');
  await allow(server, 'agent:default/clerk-web', 'default/clerk', 'echo');
  await agents.start('clerk', 'a');
  await agents.start('clerk', 'b');
  const ok = await web.callDetailed({ agent: 'clerk', capability: 'echo', params: { text: 'to the audit' } });
  await web.call({ agent: 'clerk', capability: 'refuse', params: {} }).catch(() => undefined);
  await auditUntil(server, { caller: 'agent:default/clerk-web' }, (entries) => entries.length === 2);

  await page.goto('/audit');
  await page.getByRole('textbox', { name: 'Caller' }).fill('agent:default/clerk-web');
  const table = page.getByRole('table', { name: 'Audit entries' });
  await expect(table.getByRole('row')).toHaveCount(3);
  await page.getByRole('combobox', { name: 'Outcome' }).click();
  await page.getByRole('option', { name: 'OK', exact: true }).click();
  await expect(table.getByRole('row')).toHaveCount(2);
  await expect(page).toHaveURL('/audit?caller=agent%3Adefault%2Fclerk-web&outcome=OK');

  await page.reload();
  await expect(page.getByRole('textbox', { name: 'Caller' })).toHaveValue('agent:default/clerk-web');
  await expect(page.getByRole('combobox', { name: 'Outcome' })).toHaveValue('OK');
  await expect(table.getByRole('row')).toHaveCount(2);

  await table.getByRole('link', { name: /^#\d+$/ }).click();
  await expect(page.getByRole('heading', { name: 'Call of echo' })).toBeVisible();
  await expect(page.getByText(ok.requestId).first()).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Attempts' })).toBeVisible();
  const attempts = page.getByRole('list', { name: 'Attempts' }).getByRole('listitem');
  await expect(attempts).toHaveCount(1);
  await expect(attempts).toContainText(ok.instance ?? 'an instance');
  await expect(attempts).toContainText('OK');
  await expect(page.getByRole('heading', { name: 'Why that instance' })).toBeVisible();
  const candidates = page.getByRole('table', { name: 'Best candidates' });
  await expect(candidates.getByRole('row', { name: ok.instance })).toContainText('This one');
  await expect(page.getByRole('table', { name: 'Stages of the decision' }).getByRole('row').nth(1)).toContainText('2');

  const address = page.url();
  await page.reload();
  expect(page.url()).toBe(address);
  await expect(page.getByRole('heading', { name: 'Call of echo' })).toBeVisible();
  await page.goBack();
  await expect(page).toHaveURL('/audit?caller=agent%3Adefault%2Fclerk-web&outcome=OK');
});

test('a refused call says at which stage nobody was left, and which rule is missing', async ({
  page,
  agents,
  server,
}) => {
  await agents.start('safe');
  const web = await agents.caller('safe-web');
  await web.call({ agent: 'safe', capability: 'echo', params: {} }).catch(() => undefined);
  const [entry] = await auditUntil(server, { caller: 'agent:default/safe-web' }, (entries) => entries.length === 1);

  await page.goto('/audit?caller=agent:default/safe-web&outcome=DENIED');
  await page.getByRole('link', { name: `#${entry?.sequence}` }).click();
  await expect(page.getByRole('alert').filter({ hasText: 'DENIED' })).toContainText(
    'agent:default/safe-web may not call default/safe:echo',
  );
  await expect(page.getByText('the call ended before it was sent to anybody')).toBeVisible();
});

test('a change is shown before and after, and the live tail shows it as it happens', async ({ page, server }) => {
  await page.goto('/audit?kind=CHANGE&range=15m');
  await page.getByRole('switch', { name: 'Live tail' }).click();
  await expect(page.getByText('Following')).toBeVisible();
  await server.graphql('mutation ($input: CreateAgentInput!) { createAgent(input: $input) { ref } }', {
    input: { namespace: 'default', id: 'newcomer', type: 'test.echo' },
  });
  const row = page.getByRole('table', { name: 'Audit entries' }).getByRole('row', { name: 'default/newcomer' });
  await expect(row).toContainText('agent.create');
  await row.getByRole('link', { name: /^#\d+$/ }).click();
  await expect(page.getByRole('heading', { name: 'Change: agent.create' })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Before and after' })).toBeVisible();
  await expect(page.getByRole('table', { name: 'Changed fields' })).toContainText('test.echo');
});
