import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type Reach } from '@agent-reach/sdk';
import { type RunningServer, type StartServerOptions, startServer } from '../../support/server.js';
import { agentToken, allow } from '../../support/shop.js';
import { Crew } from './crew.js';
import type { RowKind } from './row.js';

/** Time for one attempt of the `brief_…` capabilities. */
export const BRIEF_MS = 3_000;

/** One server for the rows of some faults, with a caller that may call all their agents. */
export class Stand {
  readonly #crews: Crew[] = [];

  private constructor(
    private running: RunningServer,
    readonly callerToken: string,
    private caller: Reach,
    private readonly dir: string,
    private readonly first: RunningServer,
  ) {}

  static async open(): Promise<Stand> {
    const server = await startServer();
    try {
      const token = await agentToken(server, 'web', 'test.web');
      await allow(server, 'agent:default/web', 'default/*', '*');
      await server.graphql('mutation ($input: CreatePolicyInput!) { createPolicy(input: $input) { policy { id } } }', {
        input: {
          namespace: 'default',
          name: 'brief',
          content: {
            match: { capability: 'brief_*', tags: [], caller: '*' },
            timeoutMs: BRIEF_MS,
            retry: { maxRetries: 1, baseMs: 100, factor: 2, capMs: 500 },
          },
        },
      });
      const dir = mkdtempSync(join(tmpdir(), 'agent-reach-faults-'));
      return new Stand(server, token, callerOf(server.apiUrl, token), dir, server);
    } catch (error) {
      await server.stop();
      throw error;
    }
  }

  get server(): RunningServer {
    return this.running;
  }

  /** The caller's connection, through the SDK. */
  get reach(): Reach {
    return this.caller;
  }

  /** Another connection of the caller, by another address of the server. */
  connect(url: string): Reach {
    return callerOf(url, this.callerToken);
  }

  /** Makes an agent of its own for a row. */
  async crew(name: string, kind: RowKind): Promise<Crew> {
    const id = `${name}-${kind.transport === 'HTTP' ? 'http' : 'ws'}-${kind.idempotent ? 'safe' : 'once'}`;
    const crew = new Crew(this, id, kind, await agentToken(this.running, id, 'test.work'), join(this.dir, id));
    this.#crews.push(crew);
    return crew;
  }

  /** Ends the server with SIGKILL and starts another on the same data and ports. */
  async restart(options: StartServerOptions = {}): Promise<void> {
    await this.running.kill();
    await this.startAgain(options);
  }

  /** Starts a server on the data and ports of one that was killed. */
  async startAgain(options: StartServerOptions = {}): Promise<void> {
    const { dataDir, ports, adminToken } = this.first;
    this.running = await startServer({ dataDir, ports, adminToken, ...options });
  }

  /** Waits until nothing runs any more; answers what does not come to rest within 10 s, in words. */
  async atRest(): Promise<string[]> {
    const end = performance.now() + 10_000;
    for (;;) {
      const busy = await this.#busy();
      if (busy.length === 0 || performance.now() > end) return busy;
      await sleep(100);
    }
  }

  async close(): Promise<void> {
    await this.caller.close();
    await Promise.all(this.#crews.map((crew) => crew.leave()));
    if (this.running !== this.first) await this.running.stop();
    await this.first.stop();
    rmSync(this.dir, { recursive: true, force: true });
  }

  async #busy(): Promise<string[]> {
    const metrics = await (await fetch(`${this.running.apiUrl}/metrics`)).text();
    const busy = ['reach_calls_open', 'reach_attempts_running'].flatMap((name) => {
      const value = new RegExp(`^${name} (.+)$`, 'm').exec(metrics)?.[1];
      return value === '0' ? [] : [`${name} is ${value}`];
    });
    const { instances } = await this.running.graphql<{
      instances: { nodes: { ref: string; inFlight: number }[] };
    }>('{ instances(first: 200) { nodes { ref inFlight } } }');
    for (const { ref, inFlight } of instances.nodes) if (inFlight !== 0) busy.push(`${ref} has ${inFlight} in flight`);
    return busy;
  }
}

function callerOf(url: string, token: string): Reach {
  return connect({ url, token, drainOn: [], reconnectCapMs: 500, log: () => undefined });
}
