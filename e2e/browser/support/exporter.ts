import type { RunningServer } from '../../support/server.js';
import { allow } from '../../support/shop.js';
import { WireClient } from '../../support/wire-client.js';
import type { Agents } from './agents.js';

/** An agent that exports orders as a task, and does so when the test says; and a program-like caller of it. */
export interface Exporter {
  /** `default/<name>` */
  readonly agent: string;
  readonly wire: WireClient;
  /** Calls it over HTTP; resolves with the task's id once the exporter has accepted it. */
  start(requestId: string): Promise<{ readonly taskId: string; readonly dispatchId: string }>;
  /** What the caller gets at an address of the API. */
  get(path: string): Promise<unknown>;
}

/** Joins `<name>` with the capability `<name>_export` and lets `<name>-web` call it. */
export async function startExporter(agents: Agents, server: RunningServer, name: string): Promise<Exporter> {
  const capability = `${name}_export`;
  const token = await agents.create(`${name}-web`);
  await allow(server, `agent:default/${name}-web`, `default/${name}`, capability);
  const wire = await WireClient.hello(server.apiUrl, await agents.create(name));
  wire.send({
    type: 'register',
    id: 'r',
    instance: 'one',
    version: '1.0.0',
    agentType: 'test.export',
    capabilities: [
      {
        name: capability,
        description: 'Exports all orders of a month. Use it for reports; answers where the file is.',
        inputSchema: { type: 'object', properties: { month: { type: 'string' } } },
        mode: 'TASK',
      },
    ],
  });
  await wire.next('registered');
  wire.send({ type: 'ready', instance: `default/${name}/one` });
  const headers = { authorization: `Bearer ${token}` };

  return {
    agent: `default/${name}`,
    wire,
    async start(requestId) {
      const body = JSON.stringify({ requestId, target: { capability }, params: { month: '2026-01' } });
      const answer = fetch(`${server.apiUrl}/v1/call`, { method: 'POST', headers, body });
      const { dispatchId } = await wire.next('dispatch');
      wire.send({ type: 'ack', dispatchId, accepted: true });
      const { taskId } = (await (await answer).json()) as { taskId: string };
      return { taskId, dispatchId };
    },
    async get(path) {
      return (await fetch(`${server.apiUrl}${path}`, { headers })).json();
    },
  };
}
