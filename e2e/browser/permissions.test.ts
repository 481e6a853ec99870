import { ReachError } from '@agent-reach/sdk/protocol';
import type { Page } from '@playwright/test';
import { allow } from '../support/shop.js';
import { expect, test } from './support/console-test.js';

test('a removed rule refuses the next call, and the link of its error brings the rule back', async ({
  page,
  agents,
  server,
}) => {
  await agents.start('desk');
  const web = await agents.caller('desk-web');
  await allow(server, 'agent:default/desk-web', 'default/desk', 'echo');
  const call = () => web.call({ agent: 'desk', capability: 'echo', params: { text: 'hello' } });
  expect(await call()).toEqual({ text: 'hello', instance: 'a' });

  await page.goto('/permissions');
  await check(page, 'agent:default/desk-web', 'default/desk', 'echo');
  const answer = page.getByRole('status', { name: 'Answer' });
  await expect(answer).toContainText('Allowed');
  await expect(answer).toContainText('agent:default/desk-web → default/desk : echo');
  const rule = page
    .getByRole('table', { name: 'Permission rules' })
    .getByRole('row', { name: 'Allow agent:default/desk-web → default/desk : echo' });
  await expect(rule).toContainText('Decides the check above');

  await rule.getByRole('button', { name: 'Remove ALLOW agent:default/desk-web → default/desk:echo' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove rule' }).click();
  await expect(rule).toHaveCount(0);
  const denied = await refusalOf(call());
  expect(denied.code).toBe('DENIED');
  expect(denied.message).toContain('Missing is ALLOW agent:default/desk-web → default/desk:echo');
  const link = new URL(String(denied.details?.link));
  expect(link.origin).toBe(server.consoleUrl);
  await expect(answer).toContainText('Denied');
  await expect(answer.getByRole('button', { name: 'Add the missing rule' })).toBeVisible();

  await page.goto(link.href);
  const dialog = page.getByRole('dialog', { name: 'New rule' });
  await expect(dialog.getByLabel('Rule caller')).toHaveValue('agent:default/desk-web');
  await expect(dialog.getByLabel('Rule target')).toHaveValue('default/desk');
  await expect(dialog.getByLabel('Rule capability')).toHaveValue('echo');
  await dialog.getByRole('button', { name: 'Add rule' }).click();
  await expect(dialog).toBeHidden();
  await expect(rule).toContainText('In force');
  expect(await call()).toEqual({ text: 'hello', instance: 'a' });
});

test('a rule that denies wins over one that allows, and the check names it', async ({ page, agents, server }) => {
  await agents.start('vault');
  const web = await agents.caller('vault-web');
  await allow(server, 'agent:default/vault-web', 'default/vault', '*');
  const call = () => web.call({ agent: 'vault', capability: 'echo', params: { text: 'hello' } });
  expect(await call()).toEqual({ text: 'hello', instance: 'a' });

  await page.goto('/permissions');
  await page.getByRole('button', { name: 'New rule' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'New rule' });
  await dialog.getByRole('radiogroup', { name: 'Rule effect' }).getByText('Deny').click();
  await dialog.getByLabel('Rule caller').fill('agent:default/vault-web');
  await dialog.getByLabel('Rule target').fill('default/vault');
  await dialog.getByLabel('Rule capability').fill('ec*ho');
  await dialog.getByRole('button', { name: 'Add rule' }).click();
  await expect(dialog.getByText('An exact name, *, or a prefix ending in * after . _ - or /')).toBeVisible();
  await dialog.getByLabel('Rule capability').fill('echo');
  await dialog.getByRole('button', { name: 'Add rule' }).click();
  await expect(dialog).toBeHidden();

  const rule = page.getByRole('row', { name: 'Deny agent:default/vault-web → default/vault : echo' });
  await expect(rule).toContainText('In force');
  await expect(call()).rejects.toMatchObject({ code: 'DENIED' });
  await check(page, 'agent:default/vault-web', 'default/vault', 'echo');
  const answer = page.getByRole('status', { name: 'Answer' });
  await expect(answer).toContainText('Denied');
  await expect(answer).toContainText('agent:default/vault-web → default/vault : echo');
  await expect(rule).toContainText('Decides the check above');
});

/** The error of a call that has to fail. */
async function refusalOf(call: Promise<unknown>): Promise<ReachError> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof ReachError) return error;
  throw new Error('the call was not refused', { cause: error });
}

/** Asks "Can A call B?". */
async function check(page: Page, caller: string, target: string, capability: string): Promise<void> {
  const form = page.getByRole('form', { name: 'Check a permission' });
  await form.getByLabel('Caller').fill(caller);
  await form.getByLabel('Target agent').fill(target);
  await form.getByLabel('Capability to call').fill(capability);
  await form.getByRole('button', { name: 'Check' }).click();
}
