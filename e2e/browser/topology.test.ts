import { auditUntil } from '../support/audit.js';
import { allow } from '../support/shop.js';
import { expect, test } from './support/console-test.js';

test('calls appear as lines between their ends, with rate and failures, and lead to the audit', async ({
  page,
  agents,
  server,
}) => {
  const web = await agents.caller('graph-web');
  await agents.start('graph-desk');
  await agents.start('graph-vault');
  await allow(server, 'agent:default/graph-web', 'default/graph-desk', '*');
  const call = (agent: string, capability: string) =>
    web.call({ agent, capability, params: {} }).catch(() => undefined);
  for (let ok = 0; ok < 3; ok++) await call('graph-desk', 'echo');
  await call('graph-desk', 'refuse');
  await call('graph-vault', 'echo');
  await web.call({ capability: 'graph_nothing', params: {} }).catch(() => undefined);

  await page.goto('/agents');
  await page.getByRole('link', { name: 'Topology' }).click();
  await page.getByRole('textbox', { name: 'Caller or agent' }).fill('default/graph-web');
  const graph = page.getByRole('region', { name: 'Graph of calls' });
  const boxes = graph.getByRole('list', { name: 'Callers and agents' }).getByRole('listitem');
  await expect(boxes).toHaveCount(3);
  const box = (name: string) => boxes.filter({ has: page.getByRole('link', { name: `default/${name}`, exact: true }) });
  await expect(box('graph-desk')).toContainText('Healthy');
  await expect(box('graph-desk')).toContainText('1 of 1 ready');
  await expect(box('graph-web')).toContainText('1 reached nobody');

  const toDesk = graph.getByRole('link', { name: /^default\/graph-web calls default\/graph-desk: / });
  await expect(toDesk).toHaveText(/min\s*25 % failed$/);
  const toVault = graph.getByRole('link', { name: /^default\/graph-web calls default\/graph-vault: / });
  await expect(toVault).toHaveText(/min\s*100 % failed$/);
  // Callers stand left of whom they call.
  const left = async (name: string) => (await box(name).boundingBox())?.x ?? 0;
  expect(await left('graph-web')).toBeLessThan(await left('graph-desk'));
  expect(await left('graph-vault')).toBe(await left('graph-desk'));

  const table = page.getByRole('table', { name: 'Calls by caller and agent' });
  const row = table.getByRole('row', { name: 'default/graph-desk' });
  await expect(row).toContainText('echo');
  await expect(row).toContainText('BUSINESS_ERROR');
  await expect(table.getByRole('row', { name: 'default/graph-vault' })).toContainText('DENIED');
  const inVain = page.getByRole('table', { name: 'Calls that reached nobody' });
  await expect(inVain.getByRole('row', { name: 'default/graph-web' })).toContainText('graph_nothing');

  await auditUntil(server, { caller: 'agent:default/graph-web' }, (entries) => entries.length === 6);
  await toDesk.click();
  await expect(page).toHaveURL(/\/audit\?kind=CALL&caller=agent%3Adefault%2Fgraph-web&target=default%2Fgraph-desk/);
  await expect(page.getByRole('table', { name: 'Audit entries' }).getByRole('row')).toHaveCount(5);
  await page.goBack();
  await box('graph-desk').getByRole('link').click();
  await expect(page).toHaveURL('/agents/default/graph-desk');
});

test('a drawing follows by itself, and nothing in it moves when figures do', async ({ page, agents, server }) => {
  const web = await agents.caller('steady-web');
  const desk = await agents.start('steady-desk');
  await agents.start('steady-till');
  for (const id of ['steady-desk', 'steady-till']) {
    await allow(server, 'agent:default/steady-web', `default/${id}`, 'echo');
  }
  const echo = (agent: string) => web.call({ agent, capability: 'echo', params: {} });
  await echo('steady-desk');
  await echo('steady-till');

  await page.goto('/topology?node=default/steady-web&window=60');
  const boxes = page.getByRole('list', { name: 'Callers and agents' }).getByRole('listitem');
  await expect(boxes).toHaveCount(3);
  const places = () => boxes.evaluateAll((all) => all.map((each) => each.getAttribute('style')));
  const before = await places();
  const row = page.getByRole('table', { name: 'Calls by caller and agent' }).getByRole('row', { name: 'steady-till' });
  // Now the other line is the busiest, and one end is gone.
  for (let call = 0; call < 4; call++) await echo('steady-till');
  await desk.stop();
  await expect(row.getByRole('cell').nth(2)).toHaveText('5', { timeout: 15_000 });
  await expect(boxes.filter({ hasText: 'steady-desk' })).toContainText('Offline');
  expect(await places()).toEqual(before);
});

test('window and filter stand in the address; what matches nothing says so', async ({ page, agents, server }) => {
  const web = await agents.caller('narrow-web');
  await agents.start('narrow-desk');
  await allow(server, 'agent:default/narrow-web', 'default/narrow-desk', '*');
  await web.call({ agent: 'narrow-desk', capability: 'echo', params: {} });

  await page.goto('/topology');
  await page.getByText('15 min').click();
  await page.getByRole('textbox', { name: 'Caller or agent' }).fill('default/narrow-desk');
  await expect(page).toHaveURL('/topology?window=15&node=default%2Fnarrow-desk');
  const rows = page.getByRole('table', { name: 'Calls by caller and agent' }).getByRole('row');
  await expect(rows).toHaveCount(2);
  await page.reload();
  await expect(page.getByRole('radio', { name: '15 min' })).toBeChecked();
  await expect(rows).toHaveCount(2);

  await page.getByText('Only with failures').click();
  await expect(page.getByText('No call matches')).toBeVisible();
  await page.getByRole('button', { name: 'Clear the filters' }).click();
  await expect(page).toHaveURL('/topology?window=15');
  await expect(rows.filter({ hasText: 'narrow-desk' })).toHaveCount(1);
});

test.describe('on a narrow screen', () => {
  test.use({ viewport: { width: 390, height: 780 } });

  test('the graph scrolls within its frame, by keyboard too', async ({ page, agents, server }) => {
    const web = await agents.caller('small-web');
    await agents.start('small-desk');
    await allow(server, 'agent:default/small-web', 'default/small-desk', '*');
    await web.call({ agent: 'small-desk', capability: 'echo', params: {} });

    await page.goto('/topology?node=default/small-web');
    const graph = page.getByRole('region', { name: 'Graph of calls' });
    await expect(graph.getByRole('link', { name: /calls default\/small-desk/ })).toBeVisible();
    expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true);
    await graph.focus();
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => graph.evaluate((element) => element.scrollLeft)).toBeGreaterThan(0);
  });
});
