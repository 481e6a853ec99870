import { randomUUID } from 'node:crypto';
import type { InstanceRef, RegisterFrame, ServerFrame } from '@agent-reach/sdk/protocol';
import { takeOrders } from './child-orders.js';
import { Line } from './line.js';
import type { RegistryOrder } from './registry-messages.js';

const BEAT_MS = 5_000;
/** Busy enough that the server never stretches the interval. */
const BUSY = 0.4;
const SCHEMA = { type: 'object', properties: { id: { type: 'string', maxLength: 100 } }, required: ['id'] };

const crews: Crew[] = [];

/** The agents' process: each connection speaks for many instances of one agent, and beats for all in one frame. */
takeOrders<RegistryOrder>(async (order) => {
  if (order.order === 'connect') {
    const { url, token } = order;
    for (let number = 0; number < order.connections; number++) crews.push(await Crew.connect(url, token, number));
    return undefined;
  }
  const startedAt = performance.now();
  await Promise.all(crews.map((crew) => crew.join(order.instances)));
  const elapsedMs = performance.now() - startedAt;
  if (order.beats) for (const crew of crews) crew.beat();
  return { calls: order.instances * crews.length, failures: 0, failure: undefined, elapsedMs, p50Ms: 0, p99Ms: 0 };
});

/** One connection, and the instances that it speaks for. */
class Crew {
  readonly #refs: InstanceRef[] = [];
  #missing = 0;
  #joined: () => void = () => {};

  private constructor(
    private readonly line: Line,
    private readonly agent: string,
  ) {}

  static async connect(url: string, token: string, number: number): Promise<Crew> {
    let crew: Crew | undefined;
    let greeted: () => void = () => {};
    const welcomed = new Promise<void>((resolve) => {
      greeted = resolve;
    });
    const line = await Line.open(url, (text) => {
      const frame = JSON.parse(text) as ServerFrame;
      if (frame.type === 'welcome') greeted();
      else crew?.take(frame);
    });
    crew = new Crew(line, `crew-${String(number).padStart(4, '0')}`);
    line.send(JSON.stringify({ type: 'hello', protocol: 1, token, incarnation: randomUUID() }));
    await welcomed;
    return crew;
  }

  join(instances: number): Promise<void> {
    return new Promise((resolve) => {
      this.#missing = instances;
      this.#joined = resolve;
      for (let number = 0; number < instances; number++) this.line.send(JSON.stringify(this.#registration(number)));
    });
  }

  take(frame: ServerFrame): void {
    if (frame.type === 'error') throw new Error(`${this.agent}: ${frame.error.code} ${frame.error.message}`);
    if (frame.type !== 'registered') return;
    const instance: InstanceRef = `${frame.agent}/${frame.instance}`;
    this.#refs.push(instance);
    this.line.send(JSON.stringify({ type: 'ready', instance }));
    if (--this.#missing === 0) this.#joined();
  }

  /** All of them in one frame each time; connections begin at a moment of their own. */
  beat(): void {
    const frame = JSON.stringify({
      type: 'heartbeat',
      instances: this.#refs.map((instance) => ({ instance, inFlight: 0, queueDepth: 0, busy: BUSY })),
    });
    const send = () => this.line.send(frame);
    setTimeout(() => {
      send();
      setInterval(send, BEAT_MS);
    }, Math.random() * BEAT_MS);
  }

  #registration(number: number): RegisterFrame {
    return {
      type: 'register',
      id: String(number),
      agent: this.agent,
      instance: `i${number}`,
      version: '1.0.0',
      agentType: 'bench.crew',
      description: 'An agent of the benchmark with many instances.',
      capabilities: ['bench_read', 'bench_list', 'bench_find'].map((name) => ({
        name,
        description: 'Use it to measure what a registered instance costs; answers nothing of interest.',
        inputSchema: SCHEMA,
        idempotent: true,
      })),
    };
  }
}
