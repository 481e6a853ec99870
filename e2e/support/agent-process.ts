import { type ChildProcess, fork } from 'node:child_process';
import { exited, OutputTail, terminate } from './child.js';

/** An agent in a process of its own. */
export interface AgentProcess {
  readonly pid: number;
  readonly child: ChildProcess;
  output(): string;
  /** Gives it a message; what it makes of that is its own business. */
  send(message: object): void;
  /** Asks it to drain and leave: SIGTERM, and SIGKILL after 15 s. */
  stop(): Promise<void>;
  /** Ends it as a crash would: SIGKILL. */
  kill(): Promise<void>;
}

/** Those that must not outlive this process. One listener for all: some tests start dozens. */
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/**
 * Starts a built module as an agent process and waits for its first message (`process.send`), by which it says that it
 * is registered. Throws with its output when it ends before.
 */
export async function spawnAgent(
  module: string,
  env: Readonly<Record<string, string>>,
  readyTimeoutMs = 30_000,
): Promise<AgentProcess> {
  const child = fork(module, {
    env: { ...process.env, ...env },
    // What the test runner gives to its own processes is not for agents.
    execArgv: [],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const output = new OutputTail(child);
  running.add(child);
  void exited(child).then(() => running.delete(child));
  let timer: NodeJS.Timeout | undefined;
  const outcome = await Promise.race([
    new Promise<'ready'>((resolve) => child.once('message', () => resolve('ready'))),
    exited(child).then(() => 'it ended' as const),
    new Promise<string>((resolve) => {
      timer = setTimeout(() => resolve(`nothing heard for ${readyTimeoutMs} ms`), readyTimeoutMs);
    }),
  ]);
  clearTimeout(timer);
  if (outcome !== 'ready') {
    await terminate(child, 1000);
    throw new Error(`the agent process ${module} did not join: ${outcome}\n${output}`);
  }
  return {
    pid: child.pid ?? 0,
    child,
    output: () => output.toString(),
    send: (message) => void child.send(message),
    stop: async () => void (await terminate(child, 15_000)),
    kill: async () => {
      child.kill('SIGKILL');
      await exited(child);
    },
  };
}
