import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Where an agent of a fault stops and waits. BEFORE_ACK: it has the dispatch, did not confirm it and did not begin; its
 * whole process stands still. AT_WORK: it confirmed and began.
 */
export const HOLD_POINTS = ['BEFORE_ACK', 'AT_WORK'] as const;
export type HoldPoint = (typeof HOLD_POINTS)[number];

/** HOLDS: it waits where it was told to. EXECUTED: it begins. DONE: it is about to answer. CANCELLED: it was asked to stop. */
export type WorkEvent = 'HOLDS' | 'EXECUTED' | 'DONE' | 'CANCELLED';

/** One line of a work log. */
export interface WorkLine {
  readonly requestId: string;
  readonly instance: string;
  readonly event: WorkEvent;
}

/**
 * The file in which the agents of one fault write down what they do, each line before it is done, so that a killed
 * process leaves what it did. Several processes write into one file; a line is one write.
 */
export class WorkLog {
  constructor(private readonly file: string) {}

  write(requestId: string, instance: string, event: WorkEvent): void {
    appendFileSync(this.file, `${requestId} ${instance} ${event}\n`);
  }

  lines(): WorkLine[] {
    if (!existsSync(this.file)) return [];
    return readFileSync(this.file, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => {
        const [requestId = '', instance = '', event = ''] = line.split(' ');
        return { requestId, instance, event: event as WorkEvent };
      });
  }

  /** How often each request was executed. */
  executions(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { requestId, event } of this.lines())
      if (event === 'EXECUTED') counts.set(requestId, (counts.get(requestId) ?? 0) + 1);
    return counts;
  }

  /** Waits for a line; fails after 20 s. */
  async until(requestId: string, event: WorkEvent): Promise<WorkLine> {
    const end = performance.now() + 20_000;
    for (;;) {
      const found = this.lines().find((line) => line.requestId === requestId && line.event === event);
      if (found !== undefined) return found;
      if (performance.now() > end)
        throw new Error(`no ${event} of ${requestId}; there is ${JSON.stringify(this.lines())}`);
      await sleep(5);
    }
  }

  /** Lets all that hold go on, and nobody hold from now on. */
  release(): void {
    appendFileSync(this.#goFile, '');
  }

  get released(): boolean {
    return existsSync(this.#goFile);
  }

  /** Of several executions of one request only the first holds: the one that a fault is about to meet. */
  holdsNow(requestId: string): boolean {
    return !this.released && !this.lines().some((line) => line.requestId === requestId && line.event === 'HOLDS');
  }

  get #goFile(): string {
    return `${this.file}.go`;
  }
}
