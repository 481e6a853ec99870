import type { Reach } from '@agent-reach/sdk';
import type { Locator, Page } from '@playwright/test';
import type { RunningServer } from '../../support/server.js';
import { allow } from '../../support/shop.js';
import type { Agents } from './agents.js';
import { expect } from './console-test.js';

/** Two agents that both offer `echo`, and a caller that may call either and names neither. */
export interface Pair {
  readonly left: string;
  readonly right: string;
  readonly caller: string;
  /** Where so many calls went, by agent. */
  readonly calls: (count: number) => Promise<Readonly<Record<string, number>>>;
}

/** Starts `<name>-left` and `<name>-right` and connects `<name>-web`. */
export async function startPair(agents: Agents, server: RunningServer, name: string): Promise<Pair> {
  const [left, right] = [`default/${name}-left`, `default/${name}-right`];
  const web = await agents.caller(`${name}-web`);
  const caller = `agent:default/${name}-web`;
  for (const target of [left, right]) await allow(server, caller, target, 'echo');
  await agents.start(`${name}-left`);
  await agents.start(`${name}-right`);
  return { left, right, caller, calls: (count) => callsByAgent(web, count) };
}

async function callsByAgent(web: Reach, count: number): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for (let made = 0; made < count; made += 1) {
    const { instance = '' } = await web.callDetailed({ capability: 'echo', params: { text: `${made}` } });
    const agent = instance.slice(0, instance.lastIndexOf('/'));
    counts[agent] = (counts[agent] ?? 0) + 1;
  }
  return counts;
}

/** All calls to the first of these agents, as PRIORITY_RATIO; the others stand in. */
export function allTo(first: string, ...others: readonly string[]) {
  return {
    name: 'PRIORITY_RATIO',
    agents: [{ agent: first, ratio: 100 }, ...others.map((agent) => ({ agent, ratio: 0 }))],
    fallback: [],
  };
}

/** Saves a policy past the console; answers its id. */
export async function createPolicy(
  server: RunningServer,
  name: string,
  content: object,
  more: object = {},
): Promise<string> {
  const { createPolicy: saved } = await server.graphql<{ createPolicy: { policy: { id: string } } }>(
    'mutation ($input: CreatePolicyInput!) { createPolicy(input: $input) { policy { id } } }',
    { input: { namespace: 'default', name, content, ...more } },
  );
  return saved.policy.id;
}

/** Saves another version past the console, as somebody else would. */
export async function updatePolicy(
  server: RunningServer,
  id: string,
  patch: object,
  expectedVersion: number,
): Promise<void> {
  await server.graphql(
    `mutation ($id: ID!, $patch: PolicyPatch!, $expectedVersion: Int!) {
      updatePolicy(id: $id, patch: $patch, expectedVersion: $expectedVersion) { policy { version } } }`,
    { id, patch, expectedVersion },
  );
}

export async function chooseStrategy(page: Page, name: string): Promise<void> {
  await page.getByRole('combobox', { name: 'Strategy' }).click();
  await page.getByRole('option', { name, exact: true }).click();
}

/** Opens what a save would change; answers the dialog. */
export async function review(page: Page, button = 'Review and save'): Promise<Locator> {
  await page.getByRole('button', { name: button }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toBeVisible();
  return dialog;
}

/** Reviews and saves the draft as this version. */
export async function saveAs(page: Page, version: number, comment = ''): Promise<void> {
  const dialog = await review(page);
  if (comment !== '') await dialog.getByLabel('Comment').fill(comment);
  await dialog.getByRole('button', { name: 'Save policy' }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByText(`Version ${version}, saved`)).toBeVisible();
}

/** The JSON side of the draft, read. */
export async function draftJson(page: Page): Promise<unknown> {
  return JSON.parse(await page.getByRole('textbox', { name: 'JSON' }).inputValue());
}
