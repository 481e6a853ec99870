import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type Reach } from '@agent-reach/sdk';
import { type AgentProcess, spawnAgent } from '../../support/agent-process.js';
import { CHECKOUT, type RunningServer } from '../../support/server.js';
import { agentToken } from '../../support/shop.js';

/** The agents of one test, in the namespace `default`: real processes that answer, and callers in the test's process. */
export class Agents {
  private readonly tokens = new Map<string, string>();
  private readonly processes: AgentProcess[] = [];
  private readonly callers: Reach[] = [];

  constructor(private readonly server: RunningServer) {}

  /** Creates an agent, if this test has not yet; answers its token. */
  async create(id: string): Promise<string> {
    const token = this.tokens.get(id) ?? (await agentToken(this.server, id, 'test.echo'));
    this.tokens.set(id, token);
    return token;
  }

  /** Starts an instance of an agent that has this token; resolves as soon as its process says that it is registered. */
  async join(token: string, instance = 'a'): Promise<AgentProcess> {
    const agent = await spawnAgent(join(CHECKOUT, 'e2e/dist/support/echo-agent.js'), {
      REACH_URL: this.server.apiUrl,
      REACH_TOKEN: token,
      AGENT_INSTANCE: instance,
    });
    this.processes.push(agent);
    return agent;
  }

  /** Creates an agent and starts an instance; resolves when calls are routed to it. */
  async start(id: string, instance = 'a'): Promise<AgentProcess> {
    const agent = await this.join(await this.create(id), instance);
    await this.untilReady(`default/${id}`, instance);
    return agent;
  }

  /** Creates an agent that only calls, and connects as it. */
  async caller(id: string): Promise<Reach> {
    const reach = connect({ url: this.server.apiUrl, token: await this.create(id), drainOn: [] });
    this.callers.push(reach);
    await reach.connected;
    return reach;
  }

  async close(): Promise<void> {
    await Promise.all(this.callers.map((reach) => reach.close()));
    // They say goodbye, so that no lease runs out in the middle of another test.
    await Promise.all(this.processes.map((agent) => agent.stop()));
  }

  /** An agent's word that it is ready and a call of somebody else may overtake each other on their way. */
  private async untilReady(ref: string, instance: string): Promise<void> {
    const end = performance.now() + 10_000;
    for (;;) {
      const { agent } = await this.server.graphql<{ agent: { instances: { ref: string; lifecycle: string }[] } }>(
        'query ($ref: String!) { agent(ref: $ref) { instances { ref lifecycle } } }',
        { ref },
      );
      const found = agent.instances.find((each) => each.ref === `${ref}/${instance}`);
      if (found?.lifecycle === 'READY') return;
      if (performance.now() > end) throw new Error(`${ref}/${instance} is ${found?.lifecycle ?? 'not known'}`);
      await sleep(20);
    }
  }
}
