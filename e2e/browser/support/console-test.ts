import { test as base, expect } from '@playwright/test';
import { type RunningServer, startServer } from '../../support/server.js';
import { Agents } from './agents.js';
import { ConsoleFaults } from './console-faults.js';
import { type StorageState, signInByLink } from './sign-in-link.js';

interface OfTest {
  readonly agents: Agents;
  readonly faults: ConsoleFaults;
}

interface OfWorker {
  readonly server: RunningServer;
  readonly session: StorageState;
}

/** A fixture: a new server with its console. */
// biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures that it needs from the pattern
export async function withServer({}: object, use: (server: RunningServer) => Promise<void>): Promise<void> {
  const server = await startServer({ console: true });
  await use(server);
  await server.stop();
}

/** A test on the real console of a real server, signed in as `admin`. It fails on any fault that the browser reports. */
export const test = base.extend<OfTest, OfWorker>({
  server: [withServer, { scope: 'worker', timeout: 150_000 }],
  session: [async ({ server }, use) => use(await signInByLink(server)), { scope: 'worker', timeout: 90_000 }],
  baseURL: ({ server }, use) => use(server.consoleUrl),
  storageState: ({ session }, use) => use(session),
  agents: async ({ server }, use) => {
    const agents = new Agents(server);
    await use(agents);
    await agents.close();
  },
  faults: [
    async ({ context }, use) => {
      const faults = new ConsoleFaults(context);
      await use(faults);
      expect(faults.unexpected(), 'faults that the browser reported').toEqual([]);
    },
    { auto: true },
  ],
});

export { expect };
