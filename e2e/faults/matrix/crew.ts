import { mkdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Reach, ReachError } from '@agent-reach/sdk';
import type { WorkParams } from '../../support/work.js';
import { WorkLog } from '../../support/work-log.js';
import { logFile, type Manner, type Member, startMember } from './member.js';
import type { Observed, RowKind } from './row.js';
import { inTurns } from './scene.js';
import type { Stand } from './stand.js';

export interface CallOptions extends WorkParams {
  /** Time for the call, attempts and waiting included; default 30 s. */
  readonly timeoutMs?: number;
  /** Whether an attempt has little time. */
  readonly brief?: boolean;
}

/** Fewer than an endpoint takes. */
const REPEATED_AT_ONCE = 4;

interface Made {
  readonly requestId: string;
  readonly options: CallOptions;
}

/** The agents of one row, the calls to them, and what became of both. */
export class Crew {
  readonly log: WorkLog;
  readonly members: Member[] = [];
  readonly answers = new Map<string, number>();
  /** Undoes what was started, whether or not it came to be of use. */
  readonly #cleanUps: (() => Promise<void>)[] = [];
  readonly #repeated = new Map<string, number>();
  readonly #made: Made[] = [];

  constructor(
    private readonly stand: Stand,
    /** The agent's id. */
    readonly id: string,
    readonly kind: RowKind,
    private readonly token: string,
    private readonly dir: string,
  ) {
    mkdirSync(dir, { recursive: true });
    this.log = new WorkLog(logFile(dir));
  }

  /** Starts agents and waits until calls are routed to them. */
  async join(instances: readonly string[], manner: Manner = 'WORKS'): Promise<Member[]> {
    const place = { ...this.kind, apiUrl: this.stand.server.apiUrl, agent: this.id, token: this.token, dir: this.dir };
    const joined = await Promise.all(
      instances.map((instance) => startMember(place, instance, manner, (cleanUp) => this.#cleanUps.push(cleanUp))),
    );
    this.members.push(...joined);
    await this.untilReady();
    return joined;
  }

  /** Waits until calls are routed to all agents that joined; fails after 20 s. */
  async untilReady(): Promise<void> {
    const end = performance.now() + 20_000;
    for (;;) {
      const { instances } = await this.stand.server.graphql<{ instances: { nodes: Lifecycle[] } }>(
        'query ($filter: InstanceFilter) { instances(first: 50, filter: $filter) { nodes { ref lifecycle reason } } }',
        { filter: { agent: `default/${this.id}` } },
      );
      const ready = instances.nodes.filter((each) => each.lifecycle === 'READY');
      if (ready.length >= this.members.length) return;
      if (performance.now() > end) throw new Error(`${this.id} is not ready: ${JSON.stringify(instances.nodes)}`);
      await sleep(50);
    }
  }

  /** Makes one call through the SDK. Its answer is counted when it comes; `ended` never rejects. */
  call(
    options: CallOptions = {},
    through: Reach = this.stand.reach,
  ): { readonly requestId: string; readonly ended: Promise<void> } {
    const made = this.make(options);
    return { requestId: made.requestId, ended: this.#ask(through, made, this.answers, false) };
  }

  /** Counts a request that the test makes in another way. */
  make(options: CallOptions = {}): Made {
    const made = { requestId: `${this.id}-${this.#made.length}`, options };
    this.#made.push(made);
    return made;
  }

  /** What `POST /v1/call` and a `call` frame say for a request of this row. */
  body({ requestId, options }: Made) {
    const { timeoutMs = 30_000, brief = false, ...params } = options;
    const capability = `${brief ? 'brief' : 'run'}_${this.kind.idempotent ? 'safe' : 'once'}`;
    return { requestId, target: { agent: this.id, capability }, params, timeoutMs };
  }

  /** Makes every request again, few at a time, and counts the answers apart. */
  async repeat(): Promise<void> {
    await inTurns(this.#made, REPEATED_AT_ONCE, (made) => this.#ask(this.stand.reach, made, this.#repeated, true));
  }

  /** The agent that stopped where the request told it to. */
  async holder(requestId: string): Promise<Member> {
    const { instance } = await this.log.until(requestId, 'HOLDS');
    const member = this.members.find((each) => each.instance === instance);
    if (member === undefined) throw new Error(`${instance} is no agent of ${this.id}`);
    return member;
  }

  /** Lets new calls go to this agent only, until `done`. */
  async only(chosen: Member): Promise<{ done(): Promise<void> }> {
    const others = this.members.filter((each) => each !== chosen).map((each) => `default/${this.id}/${each.instance}`);
    const change = async (mutation: string): Promise<void> => {
      for (const instance of others)
        await this.stand.server.graphql(`mutation ($instance: String!) { ${mutation}(instance: $instance) { ref } }`, {
          instance,
        });
    };
    await change('pauseInstance');
    return { done: () => change('resumeInstance') };
  }

  count(answer: string): void {
    this.answers.set(answer, (this.answers.get(answer) ?? 0) + 1);
  }

  observed(fault: string): Observed {
    const executions = [...this.log.executions().values()];
    return {
      ...this.kind,
      fault,
      calls: this.#made.length,
      executions: executions.reduce((sum, count) => sum + count, 0),
      answers: this.answers,
      repeated: this.#repeated,
      duplicates: executions.filter((count) => count > 1).length,
    };
  }

  /** Ends all agents. */
  async leave(): Promise<void> {
    this.log.release();
    await Promise.all(this.#cleanUps.splice(0).map((cleanUp) => cleanUp()));
  }

  async #ask(through: Reach, made: Made, tally: Map<string, number>, again: boolean): Promise<void> {
    const { target, ...request } = this.body(made);
    let answer: string;
    try {
      const { replayed } = await through.callDetailed({ ...request, ...target });
      answer = again && replayed ? 'OK replayed' : 'OK';
    } catch (error) {
      if (!(error instanceof ReachError)) throw error;
      answer = error.code;
    }
    tally.set(answer, (tally.get(answer) ?? 0) + 1);
  }
}

interface Lifecycle {
  readonly ref: string;
  readonly lifecycle: string;
  readonly reason: string;
}
