import type { Page } from '@playwright/test';
import { expect, test as signedInTest, withServer } from './support/console-test.js';
import { printedLink } from './support/sign-in-link.js';

// The printed link works once, so these tests have a server of their own, and a browser that knows no session.
const test = signedInTest.extend({
  server: [withServer, { scope: 'worker', timeout: 150_000 }],
  storageState: { cookies: [], origins: [] },
});

const PASSWORD = 'first password of the day';

async function signIn(page: Page, password: string): Promise<void> {
  await page.getByLabel('Name').fill('admin');
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

test.describe.configure({ mode: 'serial' });

test('the printed link asks for a password and signs in, once', async ({ page, server, faults }) => {
  faults.expect(/status of 401/);
  const link = await printedLink(server);
  await page.goto(link);
  await expect(page.getByRole('heading', { name: 'Set a password for admin' })).toBeVisible();
  // Whoever looks over the shoulder, or into the history, finds no token.
  expect(page.url()).toBe(`${server.consoleUrl}/sign-in`);

  await page.getByLabel('New password').fill('short');
  await page.getByLabel('Repeat the password').fill('shorter');
  await page.getByRole('button', { name: 'Set password and sign in' }).click();
  await expect(page.getByText('5 characters; at least 12 are needed')).toBeVisible();
  await expect(page.getByText('The two passwords differ')).toBeVisible();

  await page.getByLabel('New password').fill(PASSWORD);
  await page.getByLabel('Repeat the password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Set password and sign in' }).click();
  await expect(page).toHaveURL('/agents');
  await expect(page.getByRole('heading', { name: 'Agents', exact: true })).toBeVisible();

  await page.getByRole('button', { name: 'Account of admin' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();

  await page.goto(link);
  await page.getByLabel('New password').fill('another password of the day');
  await page.getByLabel('Repeat the password').fill('another password of the day');
  await page.getByRole('button', { name: 'Set password and sign in' }).click();
  await expect(
    page.getByRole('alert').filter({ hasText: 'This sign-in link is not valid: it was used' }),
  ).toBeVisible();
});

test('a wrong password is refused, the right one leads back to where one wanted to go', async ({ page, faults }) => {
  faults.expect(/status of 401/);
  await page.goto('/audit?caller=agent:default/web&range=1h');
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();

  await signIn(page, 'not the password of today');
  await expect(page.getByRole('alert').filter({ hasText: /password/ })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();

  await signIn(page, PASSWORD);
  await expect(page.getByRole('heading', { name: 'Audit' })).toBeVisible();
  await expect(page).toHaveURL('/audit?caller=agent:default/web&range=1h');
  await expect(page.getByRole('textbox', { name: 'Caller' })).toHaveValue('agent:default/web');
});

test('a session ends with its sign-out, in every tab', async ({ page, context, faults }) => {
  faults.expect(/status of 401/);
  await page.goto('/sign-in');
  await signIn(page, PASSWORD);
  await expect(page.getByRole('group', { name: 'Live connection' })).toHaveText(/Live/);
  const other = await context.newPage();
  await other.goto('/permissions');
  await expect(other.getByRole('heading', { name: 'Permissions' })).toBeVisible();

  await page.getByRole('button', { name: 'Account of admin' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  await other.reload();
  await expect(other.getByRole('heading', { name: 'Sign in' })).toBeVisible();
});

test('the keyboard alone signs in and opens a page', async ({ page, faults }) => {
  faults.expect(/status of 401/);
  await page.goto('/sign-in');
  await expect(page.getByLabel('Name')).toBeFocused();
  await page.keyboard.type('admin');
  await page.keyboard.press('Tab');
  await expect(page.getByLabel('Password', { exact: true })).toBeFocused();
  await page.keyboard.type(PASSWORD);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Agents', exact: true })).toBeVisible();

  await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused();
  const audit = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Audit' });
  for (let presses = 0; presses < 10; presses += 1) {
    await page.keyboard.press('Tab');
    if (await audit.evaluate((link) => link.matches(':focus'))) break;
  }
  await expect(audit).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Audit' })).toBeVisible();
});
