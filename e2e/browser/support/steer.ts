import { expect, type Page } from '@playwright/test';

/** Presses a button that drains, pauses or resumes, and answers its question. */
export async function steer(page: Page, button: string, confirm: string, reason?: string): Promise<void> {
  await page.getByRole('button', { name: button, exact: true }).click();
  const dialog = page.getByRole('dialog');
  if (reason !== undefined) await dialog.getByLabel('Reason').fill(reason);
  await dialog.getByRole('button', { name: confirm }).click();
  await expect(dialog).toBeHidden();
}
