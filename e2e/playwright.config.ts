import { defineConfig } from '@playwright/test';

/** Chromium of the machine, or the one that `npm test` found; as root it refuses to run in its sandbox. */
const executablePath = process.env.REACH_CHROMIUM || '/usr/bin/chromium';
const asRoot = process.getuid?.() === 0;

export default defineConfig({
  testDir: 'browser',
  outputDir: 'test-results',
  // One server, one browser, one operator at a time: the tests measure seconds on small machines.
  workers: 1,
  fullyParallel: false,
  // A test that passes at the second try is a bug that nobody looks at.
  retries: 0,
  forbidOnly: process.env.CI !== undefined,
  timeout: 45_000,
  expect: { timeout: 10_000 },
  reporter: 'list',
  use: {
    viewport: { width: 1280, height: 800 },
    colorScheme: 'light',
    locale: 'en-GB',
    timezoneId: 'UTC',
    actionTimeout: 10_000,
    navigationTimeout: 20_000,
    // Without its film, which costs more than the tests themselves: each step's DOM is in the trace anyway.
    trace: { mode: 'retain-on-failure', screenshots: false },
    screenshot: 'only-on-failure',
    launchOptions: {
      executablePath,
      args: [
        ...(asRoot ? ['--no-sandbox'] : []),
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
});
