import { expect, test } from './support/console-test.js';
import { createPolicy } from './support/policies.js';

const TABS = ['edit', 'try', 'tests', 'versions'] as const;

// What the browser reports fails each test: see console-test.ts.
for (const colorScheme of ['light', 'dark'] as const) {
  test.describe(`on a narrow ${colorScheme} screen`, () => {
    test.use({ colorScheme, viewport: { width: 390, height: 844 } });

    test('each part of a policy stays in the window, and its save is in reach', async ({ page, server }) => {
      const id = await createPolicy(
        server,
        `narrow ${colorScheme}`,
        {
          match: { capability: `narrow_${colorScheme}`, caller: 'agent:default/somebody-with-a-long-name' },
          strategy: {
            name: 'PRIORITY_RATIO',
            agents: [
              { agent: 'default/one-with-quite-a-long-name', ratio: 60 },
              { agent: 'default/another-with-a-long-name', ratio: 40 },
            ],
            fallback: ['default/one-that-stands-in'],
          },
          domainSplit: { CANARY: 5, STAGING: 5, PRODUCTION: 90 },
        },
        { rolloutPercent: 20 },
      );
      await page.goto(`/policies/${id}`);
      await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', colorScheme);
      for (const tab of TABS) {
        await page.goto(`/policies/${id}?tab=${tab}`);
        await expect(page.getByRole('tab', { selected: true })).toBeVisible();
        await expect(page.getByRole('button', { name: 'Review and save' })).toBeInViewport();
        expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth'), tab).toBe(true);
      }
      await page.goto(`/policies/${id}`);
      await page.getByRole('textbox', { name: 'Retries' }).fill('5');
      await page.getByRole('button', { name: 'Review and save' }).click();
      const dialog = page.getByRole('dialog');
      await expect(dialog.getByRole('button', { name: 'Save policy' })).toBeVisible();
      expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true);
    });
  });
}
