import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type Reach } from '@agent-reach/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AgentProcess, spawnAgent } from '../support/agent-process.js';
import { keepCalling, untilEnded } from '../support/load.js';
import { CHECKOUT, type RunningServer, startServer } from '../support/server.js';
import { agentToken, allow } from '../support/shop.js';

let server: RunningServer;
let reach: Reach;
let token: string;
beforeAll(async () => {
  server = await startServer();
  token = await agentToken(server, 'echo', 'test.echo');
  const web = await agentToken(server, 'web', 'test.web');
  await allow(server, 'agent:default/web', 'default/echo', '*');
  reach = connect({ url: server.apiUrl, token: web });
  await reach.connected;
});
afterAll(async () => {
  await reach.close();
  await server.stop();
});

function spawnEcho(instance: string): Promise<AgentProcess> {
  return spawnAgent(join(CHECKOUT, 'e2e/dist/support/echo-agent.js'), {
    REACH_URL: server.apiUrl,
    REACH_TOKEN: token,
    AGENT_INSTANCE: instance,
  });
}

describe('an agent killed with SIGKILL', () => {
  it('costs no idempotent call with 500 in flight over four instances, and counters come back to zero', async () => {
    const agents = await Promise.all(['a', 'b', 'c', 'd'].map(spawnEcho));
    const load = keepCalling(reach, 500, (index) => ({
      requestId: `kill-${index}`,
      capability: 'sleep',
      params: { ms: 20 },
      timeoutMs: 20_000,
    }));
    await untilEnded(load.tally, 1_000);
    await agents[0]?.kill();
    await untilEnded(load.tally, 3_000);
    await load.stop();
    await Promise.all(agents.slice(1).map((agent) => agent.stop()));
    expect(Object.fromEntries(load.tally.outcomes)).toEqual({ OK: load.tally.total });
    const metrics = await (await fetch(`${server.apiUrl}/metrics`)).text();
    expect(metrics).toMatch(/^reach_calls_open 0$/m);
    expect(metrics).toMatch(/^reach_attempts_running 0$/m);
  });

  it('is out of routing and OFFLINE for subscribers as soon as its socket is closed', async () => {
    const agent = await spawnEcho('victim');
    const changes = reach.healthChanges({ filter: { agent: 'default/echo' } });
    await changes.next();
    const at = performance.now();
    await agent.kill();
    for await (const event of changes) {
      if (event.kind !== 'Change' || event.instance.instance !== 'default/echo/victim') continue;
      // The snapshot may have been taken before it was known to be ready.
      if (event.instance.lifecycle === 'READY') continue;
      console.log(`killed agent known OFFLINE after ${(performance.now() - at).toFixed(0)} ms`);
      expect(event.instance).toMatchObject({ lifecycle: 'SUSPECT', health: 'OFFLINE', reason: 'connection closed' });
      break;
    }
    await expect(reach.call({ capability: 'echo', params: { text: 'x' } })).rejects.toMatchObject({
      code: 'NO_ROUTE',
      attempts: 0,
    });
  });

  it('in the middle of a call ends that call elsewhere', async () => {
    const [one, two] = await Promise.all([spawnEcho('one'), spawnEcho('two')]);
    const calls = Array.from({ length: 20 }, (_, index) =>
      reach.call<{ instance: string }>({ requestId: `mid-${index}`, capability: 'sleep', params: { ms: 1_000 } }),
    );
    await sleep(100);
    await one.kill();
    const answers = await Promise.all(calls);
    await two.stop();
    expect(new Set(answers.map((answer) => answer.instance))).toEqual(new Set(['two']));
  });
});

describe('an agent that drains', () => {
  it('on SIGTERM finishes what runs, gets nothing new, and leaves', async () => {
    const [one, two] = await Promise.all([spawnEcho('drain-1'), spawnEcho('drain-2')]);
    const load = keepCalling(reach, 50, (index) => ({
      requestId: `drain-${index}`,
      capability: 'sleep',
      params: { ms: 50 },
    }));
    await untilEnded(load.tally, 200);
    await one.stop();
    await untilEnded(load.tally, load.tally.total + 200);
    await load.stop();
    await two.stop();
    expect(Object.fromEntries(load.tally.outcomes)).toEqual({ OK: load.tally.total });
    // It ended by the signal, after it had drained; a drain that hangs ends by SIGKILL.
    expect(one.child.signalCode).toBe('SIGTERM');
  });
});
