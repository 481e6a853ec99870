import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, ReachError } from '@agent-reach/sdk';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { spawnAgent } from '../support/agent-process.js';
import { embeddedDatabase } from '../support/database-process.js';
import { CHECKOUT, type RunningServer, startServer } from '../support/server.js';
import { agentToken, allow } from '../support/shop.js';
import { WorkLog } from '../support/work-log.js';

const IN_FLIGHT = 500;
/** Seven short calls and three tasks, of either kind. */
const MIX = [
  'run_safe',
  'run_once',
  'task_safe',
  'run_once',
  'run_safe',
  'task_once',
  'run_safe',
  'run_once',
  'task_once',
  'run_safe',
];

let server: RunningServer;
let dir: string;
beforeAll(async () => {
  server = await startServer();
  dir = mkdtempSync(join(tmpdir(), 'agent-reach-mixed-'));
});
afterAll(async () => {
  await server.stop();
  rmSync(dir, { recursive: true, force: true });
});

/** The end of one request, on the monotonic clock. */
interface End {
  readonly requestId: string;
  readonly capability: string;
  readonly outcome: string;
  readonly attempts: number;
  readonly endedAt: number;
}

describe('70 % short calls and 30 % tasks, 500 in flight over four providers, one killed', () => {
  it('no idempotent call fails, nothing else is executed twice, and the rest carries on within a second', async () => {
    const log = new WorkLog(join(dir, 'work.log'));
    const token = await agentToken(server, 'work', 'test.work');
    const web = await agentToken(server, 'web', 'test.web');
    await allow(server, 'agent:default/web', 'default/work', '*');
    const providers = await Promise.all(
      ['a', 'b', 'c', 'd'].map((instance) =>
        spawnAgent(join(CHECKOUT, 'e2e/dist/support/work-agent.js'), {
          REACH_URL: server.apiUrl,
          REACH_TOKEN: token,
          AGENT_INSTANCE: instance,
          AGENT_TASKS: 'true',
          WORK_LOG: join(dir, 'work.log'),
        }),
      ),
    );
    const reach = connect({ url: server.apiUrl, token: web, drainOn: [] });
    await reach.connected;

    const ends: End[] = [];
    let begun = 0;
    let stopped = false;
    const ask = async (): Promise<void> => {
      const capability = MIX[begun % MIX.length] ?? '';
      const requestId = `mixed-${begun++}`;
      const request = { requestId, capability, params: { ms: 20 }, timeoutMs: 20_000 };
      let outcome = 'OK';
      let attempts = 1;
      try {
        if (capability.startsWith('task_')) await reach.startTask(request);
        else attempts = (await reach.callDetailed(request)).attempts;
      } catch (error) {
        if (!(error instanceof ReachError)) throw error;
        outcome = error.code;
      }
      ends.push({ requestId, capability, outcome, attempts, endedAt: performance.now() });
    };
    const lanes = Array.from({ length: IN_FLIGHT }, async () => {
      while (!stopped) await ask();
    });
    const until = async (count: number): Promise<void> => {
      while (ends.length < count) await sleep(10);
    };
    await until(2_000);
    await providers[0]?.kill();
    const killedAt = performance.now();
    await until(5_000);
    stopped = true;
    await Promise.all(lanes);

    const tasks = await untilTasksEnded(server.dataDir);
    const executions = log.executions();
    const failed = ends.filter(({ outcome }) => outcome !== 'OK');
    const once = ends.filter(({ capability }) => capability.endsWith('_once'));
    // Recovered: the last answer that the death delayed is there.
    const delayed = ends.filter(
      ({ endedAt, attempts, outcome }) => endedAt > killedAt && (attempts > 1 || outcome !== 'OK'),
    );
    const recoveredMs = Math.max(0, ...delayed.map(({ endedAt }) => endedAt - killedAt));
    const metrics = await (await fetch(`${server.apiUrl}/metrics`)).text();
    const amplification = Number(/^reach_retry_amplification (.+)$/m.exec(metrics)?.[1]);
    console.log(
      `${ends.length} requests, ${delayed.length} met the death, recovered after ${recoveredMs.toFixed(0)} ms, ` +
        `amplification ${amplification.toFixed(3)}, tasks ${JSON.stringify(tasks)}`,
    );

    expect(delayed.length).toBeGreaterThan(0);
    expect(failed.filter(({ capability }) => capability.endsWith('_safe'))).toEqual([]);
    expect([...new Set(failed.map(({ outcome }) => outcome))].filter((code) => code !== 'OUTCOME_UNKNOWN')).toEqual([]);
    expect(once.filter(({ requestId }) => (executions.get(requestId) ?? 0) > 1)).toEqual([]);
    expect(tasks.filter(({ idempotent, state }) => idempotent && state !== 'COMPLETED')).toEqual([]);
    expect(tasks.filter(({ state }) => state !== 'COMPLETED' && state !== 'UNKNOWN')).toEqual([]);
    expect(amplification).toBeLessThan(1.3);
    expect(recoveredMs).toBeLessThan(1_000);
    expect(metrics).toMatch(/^reach_calls_open 0$/m);
    expect(metrics).toMatch(/^reach_attempts_running 0$/m);

    await reach.close();
    await Promise.all(providers.slice(1).map((provider) => provider.stop()));
  }, 180_000);
});

interface TaskCount {
  readonly state: string;
  readonly idempotent: boolean;
  readonly count: number;
}

/** How many tasks there are of each state, once none runs any more; what they are after 60 s otherwise. */
async function untilTasksEnded(dataDir: string): Promise<readonly TaskCount[]> {
  const client = new pg.Client({ connectionString: embeddedDatabase(dataDir).url });
  await client.connect();
  try {
    const end = performance.now() + 60_000;
    for (;;) {
      const { rows } = await client.query<TaskCount>(
        'SELECT state::text, idempotent, count(*)::int FROM tasks GROUP BY state, idempotent ORDER BY state, idempotent',
      );
      const open = rows.some(({ state }) => state === 'ACCEPTED' || state === 'RUNNING');
      if (!open || performance.now() > end) return rows;
      await sleep(200);
    }
  } finally {
    await client.end();
  }
}
