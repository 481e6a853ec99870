import { join } from 'node:path';
import { type AgentProcess, spawnAgent } from '../../support/agent-process.js';
import { freePorts } from '../../support/ports.js';
import { type Direction, TcpProxy } from '../../support/proxy.js';
import { CHECKOUT } from '../../support/server.js';
import { WORK_CAPABILITIES, workDeclaration } from '../../support/work.js';
import type { Transport } from './row.js';

/** How an agent behaves: `REFUSES` takes nothing, `TWICE` answers everything twice. */
export type Manner = 'WORKS' | 'REFUSES' | 'TWICE';

/** One running agent of a row. */
export interface Member {
  readonly instance: string;
  readonly process: AgentProcess;
  /** The cable between it and the server. */
  readonly cable: TcpProxy;
  /** From now on what the server sends to it, or what it sends, gets lost. */
  lose(what: 'REQUESTS' | 'ANSWERS'): void;
}

/** Where an agent joins, and as whom. */
export interface Place {
  readonly transport: Transport;
  readonly apiUrl: string;
  /** The agent's id. */
  readonly agent: string;
  readonly token: string;
  /** Directory of its work log and of what the SDK keeps. */
  readonly dir: string;
}

export const logFile = (dir: string): string => join(dir, 'work.log');

/** Told how to undo what was started, also when the start fails later on. */
type OnStarted = (undo: () => Promise<void>) => void;

/** Starts one agent behind a cable of its own, and registers it. */
export function startMember(place: Place, instance: string, manner: Manner, onStarted: OnStarted): Promise<Member> {
  return (place.transport === 'HTTP' ? startEndpoint : startSocket)(place, instance, manner, onStarted);
}

async function startSocket(place: Place, instance: string, manner: Manner, onStarted: OnStarted): Promise<Member> {
  const cable = await openCable(Number(new URL(place.apiUrl).port), onStarted);
  const module = manner === 'WORKS' ? 'work-agent' : 'bare-agent';
  const env = { REACH_URL: `http://127.0.0.1:${cable.port}`, REACH_TOKEN: place.token, AGENT_MANNER: manner };
  const process = await spawn(place, module, instance, env, onStarted);
  return memberOf(instance, process, cable, { REQUESTS: 'FROM_TARGET', ANSWERS: 'TO_TARGET' });
}

async function startEndpoint(place: Place, instance: string, manner: Manner, onStarted: OnStarted): Promise<Member> {
  const [port = 0] = await freePorts(1);
  const env = { AGENT_PORT: String(port), AGENT_REFUSES: String(manner === 'REFUSES') };
  const process = await spawn(place, 'work-endpoint', instance, env, onStarted);
  const cable = await openCable(port, onStarted);
  const response = await fetch(`${place.apiUrl}/v1/agents`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${place.token}` },
    body: JSON.stringify({
      agent: place.agent,
      instance,
      version: '1.0.0',
      agentType: 'test.work',
      description: 'Works, and stops where a test wants it to.',
      capabilities: WORK_CAPABILITIES.map(workDeclaration),
      endpoint: { url: `http://127.0.0.1:${cable.port}/work`, healthPath: '/health' },
    }),
  });
  if (response.status !== 201) throw new Error(`HTTP ${response.status}: ${await response.text()}`);
  return memberOf(instance, process, cable, { REQUESTS: 'TO_TARGET', ANSWERS: 'FROM_TARGET' });
}

/** The two ends of the cable are swapped between a socket, which the agent opens, and an endpoint, which the server does. */
function memberOf(
  instance: string,
  process: AgentProcess,
  cable: TcpProxy,
  directions: Readonly<Record<'REQUESTS' | 'ANSWERS', Direction>>,
): Member {
  return { instance, process, cable, lose: (what) => cable.lose(directions[what]) };
}

async function openCable(targetPort: number, onStarted: OnStarted): Promise<TcpProxy> {
  const cable = await TcpProxy.open(targetPort);
  onStarted(() => cable.close());
  return cable;
}

async function spawn(
  { dir }: Place,
  module: string,
  instance: string,
  env: Readonly<Record<string, string>>,
  onStarted: OnStarted,
): Promise<AgentProcess> {
  const process = await spawnAgent(join(CHECKOUT, `e2e/dist/support/${module}.js`), {
    ...env,
    AGENT_INSTANCE: instance,
    WORK_LOG: logFile(dir),
  });
  onStarted(() => process.kill());
  return process;
}
