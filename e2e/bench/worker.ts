import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { exited, terminate } from '../support/child.js';
import type { Answer, Measured } from './messages.js';

/** A process of the bench that carries out one order at a time. */
export class Worker {
  readonly pid: number;

  private waiter: { readonly resolve: (message: unknown) => void; readonly reject: (error: Error) => void } | undefined;

  private constructor(private readonly child: ChildProcess) {
    this.pid = child.pid ?? 0;
    child.on('message', (message) => this.waiter?.resolve(message));
    void exited(child).then(({ code, signal }) =>
      this.waiter?.reject(new Error(`a process of the bench ended: ${code ?? signal}`)),
    );
  }

  /** Starts a module of this folder as a process. */
  static start(module: string): Worker {
    return new Worker(fork(join(import.meta.dirname, module), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] }));
  }

  /** The first message that the process sends by itself. */
  async firstMessage(): Promise<unknown> {
    return this.message();
  }

  /** Gives an order and waits for its answer. Throws what the process says went wrong. */
  async order<M = Measured>(order: object): Promise<M | undefined> {
    this.child.send(order);
    const answer = (await this.message()) as Answer<M>;
    if (!answer.ok) throw new Error(answer.error);
    return answer.measured;
  }

  async stop(): Promise<void> {
    await terminate(this.child, 2000);
  }

  private message(): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.waiter = { resolve, reject };
    });
  }
}
