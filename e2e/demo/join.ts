import { type Agent, type AgentOptions, connect } from '@agent-reach/sdk';

/** What the demo tells each of its agent processes through the environment. */
export function joinFromEnvironment(options: Omit<AgentOptions, 'instance' | 'zone' | 'version'>): {
  readonly agent: Agent;
  readonly zone: string;
} {
  const { REACH_URL = '', REACH_TOKEN = '', DEMO_INSTANCE = 'a', DEMO_ZONE = 'eu' } = process.env;
  const reach = connect({ url: REACH_URL, token: REACH_TOKEN });
  const agent = reach.agent({ ...options, version: '1.2.0', instance: DEMO_INSTANCE, zone: DEMO_ZONE });
  // Ctrl-C reaches every process of the terminal: each drains as on SIGTERM, which the demo sends.
  process.on('SIGINT', () => undefined);
  process.on('disconnect', () => void reach.close());
  return { agent, zone: DEMO_ZONE };
}

/** Tells the demo that this agent is registered. */
export function announce(): void {
  process.send?.('ready');
  process.channel?.unref();
}
