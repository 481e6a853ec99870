import { expect, test } from './support/console-test.js';
import { startExporter } from './support/exporter.js';

test('a task appears, goes on and ends live, and its page tells all of it', async ({ page, agents, server }) => {
  const exporter = await startExporter(agents, server, 'files');
  await page.goto('/tasks?agent=default/files');
  await expect(page.getByText('No task matches')).toBeVisible();

  const { taskId, dispatchId } = await exporter.start('export-1');
  const row = page.getByRole('table', { name: 'Tasks' }).getByRole('row', { name: 'files_export' });
  await expect(row).toContainText('Accepted');
  await expect(row).toContainText('agent:default/files-web');
  exporter.wire.send({ type: 'progress', dispatchId, sequence: 1, progress: { done: 1, total: 3 } });
  await expect(row).toContainText('Running');
  await expect(row).toContainText('1 of 3');

  await row.getByRole('link', { name: 'files_export' }).click();
  await expect(page).toHaveURL(`/tasks/${taskId}`);
  const state = page.getByRole('status', { name: 'State of the task' });
  await expect(state).toContainText('Running');
  exporter.wire.send({ type: 'progress', dispatchId, sequence: 2, progress: { done: 2, total: 3 } });
  await expect(page.getByRole('region', { name: 'Progress as JSON' })).toContainText('"done": 2');
  exporter.wire.send({ type: 'result', dispatchId, ok: true, result: { file: 'exports/2026-01.csv' } });
  await exporter.wire.next('resultAck');
  await expect(state).toContainText('Completed');
  await expect(page.getByRole('region', { name: 'Result as JSON' })).toContainText('exports/2026-01.csv');
  await expect(page.getByRole('button', { name: 'Cancel task' })).toHaveCount(0);

  await page.reload();
  await expect(page.getByRole('region', { name: 'Result as JSON' })).toContainText('exports/2026-01.csv');
  await exporter.wire.close();
});

test('an operator cancels a task: its agent is asked to stop, its caller is told', async ({ page, agents, server }) => {
  const exporter = await startExporter(agents, server, 'stopped');
  const { taskId, dispatchId } = await exporter.start('export-2');
  await page.goto(`/tasks/${taskId}`);
  await page.getByRole('button', { name: 'Cancel task' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('stopped_export on default/stopped, for agent:default/stopped-web');
  await dialog.getByRole('button', { name: 'Cancel task' }).click();
  await expect(dialog).toBeHidden();

  await expect(page.getByRole('status', { name: 'State of the task' })).toContainText('Cancelled');
  expect(await exporter.wire.next('cancel')).toEqual({ type: 'cancel', dispatchId, reason: 'OPERATOR' });
  expect(await exporter.get(`/v1/tasks/${taskId}`)).toMatchObject({
    state: 'CANCELLED',
    error: { code: 'CANCELLED' },
  });
  await exporter.wire.close();
});

test('the filter stands in the address', async ({ page, agents, server }) => {
  const exporter = await startExporter(agents, server, 'sorted');
  const done = await exporter.start('export-3');
  exporter.wire.send({ type: 'result', dispatchId: done.dispatchId, ok: true, result: {} });
  await exporter.wire.next('resultAck');
  await exporter.start('export-4');

  await page.goto('/tasks');
  await page.getByRole('textbox', { name: 'Agent' }).fill('default/sorted');
  const table = page.getByRole('table', { name: 'Tasks' });
  await expect(table.getByRole('row')).toHaveCount(3);
  await page.getByRole('group', { name: 'State' }).getByText('Completed').click();
  await expect(table.getByRole('row')).toHaveCount(2);
  await expect(table).toContainText(done.taskId);
  await expect(page).toHaveURL('/tasks?agent=default%2Fsorted&state=COMPLETED');

  await page.reload();
  await expect(page.getByRole('textbox', { name: 'Agent' })).toHaveValue('default/sorted');
  await expect(table.getByRole('row')).toHaveCount(2);
  await page.getByRole('button', { name: 'Clear', exact: true }).click();
  await expect(page).toHaveURL('/tasks');
  await exporter.wire.close();
});

test("an agent's page counts the tasks of an instance, and says which traffic a version gets", async ({
  page,
  agents,
  server,
}) => {
  const exporter = await startExporter(agents, server, 'counted');
  await exporter.start('export-5');
  await page.goto('/agents/default/counted');
  const instance = page.getByRole('table', { name: 'Instances' }).getByRole('row', { name: 'one' });
  await instance.getByRole('link', { name: '1 / 100' }).click();
  await expect(page.getByRole('table', { name: 'Tasks' }).getByRole('row')).toHaveCount(2);
  await page.goBack();

  const version = page.getByRole('table', { name: 'Versions' }).getByRole('row', { name: '1.0.0' });
  await expect(version).toContainText('Production');
  await version.getByRole('button', { name: 'Set domain of version 1.0.0' }).click();
  await page.getByRole('menuitem', { name: 'Canary' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Move to canary' }).click();
  await expect(version).toContainText('Canary');
  await expect(instance).toContainText('canary');
  await exporter.wire.close();
});
