import { expect, test } from './support/console-test.js';

const PAGES = [
  ['/agents', 'Agents'],
  ['/topology', 'Topology'],
  ['/tasks', 'Tasks'],
  ['/policies', 'Policies'],
  ['/policies/new', 'New policy'],
  ['/permissions', 'Permissions'],
  ['/audit', 'Audit'],
  ['/namespaces', 'Namespaces'],
  ['/namespaces/default', 'default'],
  ['/explorer', 'API explorer'],
] as const;

test('the dark colours are a switch away and stay', async ({ page }) => {
  await page.goto('/agents');
  const root = page.locator('html');
  await expect(root).toHaveAttribute('data-mantine-color-scheme', 'light');
  await page.getByRole('button', { name: 'Use the dark colours' }).click();
  await expect(root).toHaveAttribute('data-mantine-color-scheme', 'dark');
  await page.reload();
  await expect(root).toHaveAttribute('data-mantine-color-scheme', 'dark');
  await expect(page.getByRole('button', { name: 'Use the light colours' })).toBeVisible();
});

for (const [address, heading] of PAGES) {
  // What the browser reports, a violated content policy among it, fails each test: see console-test.ts.
  test(`${address} opens without a fault and stays in the window`, async ({ page }) => {
    await page.goto(address);
    await expect(page.getByRole('heading', { name: heading, exact: true })).toBeVisible();
    await expect(page.getByRole('group', { name: 'Live connection' })).toHaveText(/Live/);
    expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true);
  });
}
