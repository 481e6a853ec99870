import { usageOf } from '../support/usage.js';
import { type Product, startProduct } from './product.js';
import type { Bench } from './rounds.js';
import { Worker } from './worker.js';

/** Resident memory of the two middle processes, in MB. */
export interface Memory {
  readonly product: number;
  readonly floor: number;
}

/** All processes of a run: the two middles, and the generators that load them. */
export class Stage {
  private readonly workers: Worker[] = [];
  private product: Product | undefined;
  private stopping: Promise<void> | undefined;

  /** Starts both middles with their agents and callers. */
  async setUp(agentCount: number): Promise<Bench> {
    this.product = await startProduct();
    const floor = this.start('floor.js');
    const floorUrl = `ws://127.0.0.1:${await floor.firstMessage()}`;
    const agents = this.start('agents.js');
    const callers = this.start('callers.js');
    const { url, enrolmentKey, callerToken, server } = this.product;
    await agents.order({ order: 'join', side: 'floor', url: floorUrl, token: '', agents: agentCount });
    await agents.order({ order: 'join', side: 'product', url, token: enrolmentKey, agents: agentCount });
    await callers.order({ order: 'connect', side: 'floor', url: floorUrl, token: '' });
    await callers.order({ order: 'connect', side: 'product', url, token: callerToken });
    return { callers, middles: { product: server.pid, floor: floor.pid } };
  }

  /** Joins as many agents again that use the SDK, and answers with callers that do. */
  async addSdk(agentCount: number): Promise<Worker> {
    if (this.product === undefined) throw new Error('the product is not running');
    const { url, enrolmentKey, callerToken } = this.product;
    const agents = this.start('sdk-agents.js');
    const callers = this.start('sdk-callers.js');
    await agents.order({ order: 'join', side: 'product', url, token: enrolmentKey, agents: agentCount });
    await callers.order({ order: 'connect', side: 'product', url, token: callerToken });
    return callers;
  }

  /** Ends every process. Safe to call twice. */
  stop(): Promise<void> {
    this.stopping ??= this.stopAll();
    return this.stopping;
  }

  private start(module: string): Worker {
    const worker = Worker.start(module);
    this.workers.push(worker);
    return worker;
  }

  private async stopAll(): Promise<void> {
    // The last started first: callers before agents before middles, so that nobody is left to complain.
    for (const worker of this.workers.reverse()) await worker.stop();
    await this.product?.server.stop();
  }
}

export const memoryOf = ({ middles }: Bench): Memory => ({
  product: usageOf(middles.product).residentBytes / 2 ** 20,
  floor: usageOf(middles.floor).residentBytes / 2 ** 20,
});
