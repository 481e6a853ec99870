import { allow } from '../support/shop.js';
import { expect, test } from './support/console-test.js';
import { steer } from './support/steer.js';

test('shows state, reason and history live through start, load, degradation, drain, kill and return', async ({
  page,
  agents,
  server,
}) => {
  test.setTimeout(90_000);
  const token = await agents.create('walker');
  const web = await agents.caller('walker-web');
  await page.goto('/agents/default/walker');
  const state = page.getByRole('status', { name: 'State of the agent' });
  const instance = page.getByRole('table', { name: 'Instances' }).getByRole('row', { name: 'default/walker/a' });
  const checklist = page.getByRole('list', { name: 'Checklist' });
  const item = (title: string) => checklist.getByRole('listitem').filter({ hasText: title });
  const steps = page.getByRole('table', { name: 'History' }).getByRole('row');
  /** The newest step in the history. */
  const latest = steps.nth(1);
  // All that follows is told by streams: the page is never loaded again.
  await page.evaluate('window.notReloaded = true');

  // Start. The checklist names what is missing, and shrinks.
  await expect(state).toContainText('Offline');
  await expect(item('May join')).toContainText('It has a token to join with.');
  await expect(item('Connected')).toContainText('No instance is connected.');
  await expect(item('May be called')).toContainText('No permission rule lets anybody call it.');
  await expect(item('May be called').getByRole('link', { name: 'Add a rule' })).toHaveAttribute(
    'href',
    /^\/permissions\?ns=default&add=1&target=default%2Fwalker&capability=\*/,
  );
  const process = await agents.join(token);
  await expect(state).toContainText('Healthy');
  await expect(instance).toContainText('Ready');
  await expect(latest).toContainText('Ready');
  await expect(latest).toContainText('ready');
  await expect(steps.nth(2)).toContainText('registered, in its startup grace');
  await expect(item('Ready')).toContainText('a is READY.');

  await allow(server, 'agent:default/walker-web', 'default/walker', 'echo');
  await expect(item('May be called')).toContainText('agent:default/walker-web may call echo.');
  await web.call({ agent: 'walker', capability: 'echo', params: { text: 'hello' } });
  await expect(checklist).toBeHidden();

  // Load, up to saturation and back.
  process.send({ busy: 0.83 });
  await expect(instance).toContainText('Degraded');
  await expect(instance).toContainText('utilisation 0.83 over 0.7');
  await expect(state).toContainText('utilisation 0.83 over 0.7');
  await expect(latest).toContainText('utilisation 0.83 over 0.7');
  process.send({ busy: 0.95 });
  const saturated = 'utilisation 0.95 over 0.9: saturated, gets calls only when nobody else has room';
  await expect(instance).toContainText(saturated);
  await expect(latest).toContainText(saturated);
  process.send({ busy: 0.1 });
  await expect(instance).toContainText('Healthy');
  await expect(latest).toContainText('utilisation 0.10 back under 0.6');

  // Drain and resume, then a pause that outlives what comes.
  await steer(page, 'Drain default/walker/a', 'Drain instance', 'disk is full');
  await expect(instance).toContainText('Draining');
  await expect(latest).toContainText('disk is full');
  await expect(latest).toContainText('user:admin');
  await steer(page, 'Resume default/walker/a', 'Resume instance');
  await expect(latest).toContainText('resumed by user:admin');
  await steer(page, 'Pause default/walker/a', 'Pause instance', 'keep it out');
  await expect(latest).toContainText('keep it out');

  // Kill.
  await process.kill();
  await expect(instance).toContainText('Suspect');
  await expect(instance).toContainText('Offline');
  await expect(instance).toContainText('connection closed');
  await expect(state).toContainText('Offline');
  await expect(latest).toContainText('connection closed');
  await expect(item('Connected')).toContainText('a is SUSPECT and OFFLINE: connection closed.');

  // Return, as another process.
  await agents.join(token);
  await expect(instance).toContainText('Paused');
  await expect(state).toContainText('Healthy');
  await expect(steps.filter({ hasText: 'another incarnation took its place' })).toContainText('Gone');
  await expect(item('Ready')).toContainText('a is PAUSED: paused by an operator.');
  await steer(page, 'Resume default/walker/a', 'Resume instance');
  await expect(instance).toContainText('Ready');
  await expect(checklist).toBeHidden();
  expect(await page.evaluate('window.notReloaded')).toBe(true);
});
