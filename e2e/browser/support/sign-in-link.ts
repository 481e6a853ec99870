import { setTimeout as sleep } from 'node:timers/promises';
import { request } from '@playwright/test';
import { exited } from '../../support/child.js';
import type { RunningServer } from '../../support/server.js';

/** What the browser keeps of a session. */
export type StorageState = Awaited<ReturnType<Awaited<ReturnType<typeof request.newContext>>['storageState']>>;

/** The password that the tests set for `admin`. */
export const PASSWORD = 'correct horse battery staple';

/** The sign-in link that a server prints once its console is served. Fails when it ends, or after 60 s. */
export async function printedLink(server: RunningServer): Promise<string> {
  const end = performance.now() + 60_000;
  let over = false;
  void exited(server.child).then(() => {
    over = true;
  });
  for (;;) {
    const link = /\bhttp:\S+\/sign-in#token=\S+/.exec(server.output())?.[0];
    if (link !== undefined) return link;
    if (over || performance.now() > end) throw new Error(`no sign-in link was printed\n${server.output()}`);
    await sleep(50);
  }
}

/** Spends the printed link as a page of the console would; answers the session. */
export async function signInByLink(server: RunningServer): Promise<StorageState> {
  const token = new URL(await printedLink(server)).hash.replace('#token=', '');
  const client = await request.newContext({
    baseURL: server.consoleUrl,
    extraHTTPHeaders: { origin: server.consoleUrl },
  });
  try {
    const answer = await client.post('/auth/link', { data: { token, password: PASSWORD } });
    if (!answer.ok()) throw new Error(`the link was refused: ${answer.status()} ${await answer.text()}`);
    return await client.storageState();
  } finally {
    await client.dispose();
  }
}
