import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type AgentProcess, spawnAgent } from '../support/agent-process.js';
import { exited } from '../support/child.js';
import { CHECKOUT } from '../support/server.js';
import type { AgentId, Credentials } from './setup.js';

/** One process of the demo. */
interface Member {
  readonly agent: AgentId;
  readonly instance: string;
  readonly zone: string;
  readonly module: string;
  readonly strained?: boolean;
}

const MEMBERS: readonly Member[] = [
  { agent: 'order-eu', instance: 'berlin-1', zone: 'eu', module: 'order-agent.js' },
  { agent: 'order-eu', instance: 'berlin-2', zone: 'eu', module: 'order-agent.js', strained: true },
  { agent: 'order-us', instance: 'austin-1', zone: 'us', module: 'order-agent.js' },
  { agent: 'order-us', instance: 'austin-2', zone: 'us', module: 'order-agent.js' },
  { agent: 'inventory', instance: 'berlin-1', zone: 'eu', module: 'inventory-agent.js' },
  { agent: 'inventory', instance: 'lyon-1', zone: 'eu', module: 'inventory-agent.js' },
  { agent: 'inventory', instance: 'austin-1', zone: 'us', module: 'inventory-agent.js' },
  { agent: 'session', instance: 'berlin-1', zone: 'eu', module: 'session-agent.js' },
  { agent: 'session', instance: 'berlin-2', zone: 'eu', module: 'session-agent.js' },
  { agent: 'session', instance: 'austin-1', zone: 'us', module: 'session-agent.js' },
];

const RESTART_MS = 15_000;

/** All agent processes of the demo. One that ends is started again after a while, so that its absence can be seen. */
export class Crew {
  private readonly running = new Map<Member, AgentProcess>();
  private stopping = false;

  constructor(
    private readonly url: string,
    private readonly credentials: Credentials,
    private readonly tell: (line: string) => void,
  ) {}

  async start(): Promise<void> {
    await Promise.all(MEMBERS.map((member) => this.spawn(member)));
  }

  /** Process id and name of each, for people who want to end one. */
  list(): string[] {
    return MEMBERS.flatMap((member) => {
      const process = this.running.get(member);
      return process === undefined ? [] : [`${String(process.pid).padStart(8)}  ${nameOf(member)}`];
    });
  }

  async stop(): Promise<void> {
    this.stopping = true;
    await Promise.all([...this.running.values()].map((process) => process.stop()));
  }

  private async spawn(member: Member): Promise<void> {
    const process = await spawnAgent(join(CHECKOUT, 'e2e/dist/demo', member.module), {
      REACH_URL: this.url,
      REACH_TOKEN: this.credentials.agents.get(member.agent) ?? '',
      DEMO_INSTANCE: member.instance,
      DEMO_ZONE: member.zone,
      DEMO_STRAINED: String(member.strained ?? false),
    });
    this.running.set(member, process);
    if (this.stopping) await process.stop();
    else void this.startAgainAfter(member, process);
  }

  private async startAgainAfter(member: Member, process: AgentProcess): Promise<void> {
    const { code, signal } = await exited(process.child);
    this.running.delete(member);
    if (this.stopping) return;
    this.tell(`${nameOf(member)} ended (${signal ?? code}); it starts again in ${RESTART_MS / 1000} s`);
    await sleep(RESTART_MS, undefined, { ref: false });
    if (this.stopping) return;
    try {
      await this.spawn(member);
      this.tell(`${nameOf(member)} is back`);
    } catch (error) {
      this.tell(error instanceof Error ? error.message : String(error));
    }
  }
}

const nameOf = (member: Member): string => `${member.agent}/${member.instance} (${member.zone})`;
