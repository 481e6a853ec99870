import type { AuditRecord, CancelReason, RecallFrame, TaskView, WireError } from '@agent-reach/sdk/protocol';
import type { Instance } from '../../perceive/instance.js';
import { TestRegistry, testLink } from '../../perceive/testing.js';
import { TICK_MS, TimingWheel } from '../attempts/timing-wheel.js';
import type { TaskPage } from './task-desk.js';
import { endFields } from './task-run.js';
import { Tasks } from './tasks.js';
import type {
  NewTask,
  OpenTask,
  TaskDispatch,
  TaskDispatcher,
  TaskEnd,
  TaskOpened,
  TaskReads,
  TaskStore,
} from './tasks.port.js';

interface StoredEnd {
  readonly end: TaskEnd;
  readonly epoch: number;
}

/** What is durable of tasks, kept in memory: the contract of the store, with a database that can be away. */
export class MemoryTasks implements TaskStore, TaskReads {
  readonly views = new Map<string, TaskView>();
  readonly dispatches = new Map<string, string>();
  readonly progressed: string[] = [];
  readonly ends: StoredEnd[] = [];
  left: OpenTask[] = [];
  #waiting: (() => void)[] | undefined;

  open(task: NewTask, opened: (answer: TaskOpened) => void): void {
    this.put(task);
    opened({ kind: 'OPENED' });
  }

  /** A task that is stored as open. */
  put(task: NewTask | OpenTask): void {
    this.dispatches.set(task.dispatchId, task.taskId);
    this.views.set(task.taskId, {
      taskId: task.taskId,
      requestId: task.requestId,
      caller: task.caller.caller,
      namespace: task.namespace,
      agent: task.agent,
      capability: task.capability,
      instance: task.instance,
      state: 'ACCEPTED',
      epoch: task.epoch,
      createdAt: new Date(task.createdAt).toISOString(),
      updatedAt: new Date(task.createdAt).toISOString(),
      deadlineAt: new Date(task.deadlineAt).toISOString(),
    });
  }

  move(to: TaskDispatch, done: (moved: boolean) => void): void {
    const view = this.views.get(to.taskId);
    if (view === undefined || view.error !== undefined || view.epoch > to.epoch) return done(false);
    this.views.set(to.taskId, { ...view, epoch: to.epoch, instance: to.instance, agent: to.agent });
    this.dispatches.set(to.dispatchId, to.taskId);
    done(true);
  }

  drop(taskId: string): void {
    this.views.delete(taskId);
  }

  progress(taskId: string, epoch: number, progress: object): void {
    this.progressed.push(`${taskId} ${epoch} ${JSON.stringify(progress)}`);
  }

  end(taskId: string, epoch: number, end: TaskEnd, done: (ended: boolean) => void): void {
    if (this.#waiting !== undefined) {
      this.#waiting.push(() => this.end(taskId, epoch, end, done));
      return;
    }
    const view = this.views.get(taskId);
    const open = view?.state === 'ACCEPTED' || view?.state === 'RUNNING';
    const replaces = view?.state === 'UNKNOWN' && (end.state === 'COMPLETED' || end.state === 'FAILED');
    if (view === undefined || view.epoch > epoch || !(open || replaces)) return done(false);
    this.views.set(taskId, { ...view, ...endFields(end) });
    this.ends.push({ end, epoch });
    done(true);
  }

  openTasks(): Promise<readonly OpenTask[]> {
    return Promise.resolve(this.left);
  }

  find(taskId: string): Promise<TaskView | undefined> {
    return Promise.resolve(this.views.get(taskId));
  }

  ofDispatch(dispatchId: string): Promise<TaskView | undefined> {
    return Promise.resolve(this.views.get(this.dispatches.get(dispatchId) ?? ''));
  }

  page(): Promise<TaskPage> {
    return Promise.resolve({ items: [...this.views.values()], hasNextPage: false, hasPreviousPage: false });
  }

  /** From now on ends wait. */
  goAway(): void {
    this.#waiting = [];
  }

  comeBack(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const write of waiting) write();
  }
}

/** A task that was sent on its way again, and what a test can say came of it. */
export interface Again {
  readonly task: OpenTask;
  readonly epoch: number;
  readonly ended: (error: WireError | undefined, newest: number) => void;
}

/** Tasks over a real registry, with instances, store and dispatcher that a test plays. */
export class TestTaskRunner {
  readonly t = new TestRegistry((instance) => this.tasks.runner.lost(instance));
  readonly store = new MemoryTasks();
  readonly again: Again[] = [];
  /** What instances were told: `cancel d1 CALLER`, `recall d1`, `confirm d1`. */
  readonly told: string[] = [];
  readonly recalls: RecallFrame[] = [];
  readonly audit: AuditRecord[] = [];
  readonly faults: unknown[] = [];
  readonly invalid: string[] = [];
  /** Dispatches that gave back their place, with what came of them. */
  readonly over: string[] = [];
  readonly wheel = new TimingWheel(this.t.clock.monotonic(), (error) => this.faults.push(error));
  readonly tasks: Tasks;

  constructor(store?: MemoryTasks) {
    if (store !== undefined) this.store = store;
    const dispatcher: TaskDispatcher = {
      dispatch: (task, epoch, ended) => this.again.push({ task, epoch, ended }),
    };
    this.tasks = new Tasks({
      clock: this.t.clock,
      wheel: this.wheel,
      delivery: {
        cancel: (_: Instance, dispatchId: string, reason: CancelReason) =>
          this.told.push(`cancel ${dispatchId} ${reason}`),
        recall: (_: Instance, frame: RecallFrame) => {
          this.told.push(`recall ${frame.dispatchId}`);
          this.recalls.push(frame);
        },
        confirm: (_: Instance, dispatchId: string) => this.told.push(`confirm ${dispatchId}`),
      },
      store: this.store,
      reads: this.store,
      dispatcher,
      instances: this.t.registry.table,
      audit: { record: (entry) => this.audit.push(entry) },
      metrics: { countInvalidResult: (instance, capability) => this.invalid.push(`${instance.agent} ${capability}`) },
      onFault: (error) => this.faults.push(error),
      onOver: (dispatchId, _, succeeded) => this.over.push(`${dispatchId} ${succeeded}`),
      epoch: 'e1',
    });
  }

  get runner() {
    return this.tasks.runner;
  }

  /** An instance of `shop/reports` that can `report`. */
  async join(name = 'one', { incarnation = `inc-${name}`, link = testLink(name) } = {}): Promise<Instance> {
    const frame = {
      instance: name,
      agentType: 'shop.reports',
      capabilities: [
        {
          name: 'report',
          description: 'Use it to have a report made; answers the number of its pages.',
          inputSchema: { type: 'object' },
          outputSchema: { type: 'object', properties: { pages: { type: 'integer' } }, required: ['pages'] },
          mode: 'TASK' as const,
        },
      ],
    };
    const instance = await this.t.ready(frame, incarnation, link, 'reports');
    this.runner.joined(instance);
    return instance;
  }

  newTask(instance: Instance, overrides: Partial<NewTask> = {}): NewTask {
    const createdAt = this.t.clock.wall();
    return {
      taskId: 't1',
      epoch: 1,
      instance: instance.ref,
      agent: instance.agent,
      incarnation: instance.record.incarnation,
      dispatchId: 'd1',
      requestId: 'r1',
      namespace: 'shop',
      capability: 'report',
      paramsHash: 'h1',
      idempotent: false,
      caller: { caller: 'agent:shop/web', namespace: 'shop', roles: [], zone: undefined, domain: 'PRODUCTION' },
      request: { requestId: 'r1', target: { capability: 'report' }, params: {} },
      createdAt,
      deadlineAt: createdAt + 900_000,
      callback: undefined,
      ...overrides,
    };
  }

  /** As the executor does it: a place taken, stored, sent, accepted. */
  accept(instance: Instance, overrides: Partial<NewTask> = {}): NewTask {
    const task = this.newTask(instance, overrides);
    instance.live.tasks++;
    this.store.put(task);
    this.runner.accepted(task, task, instance);
    return task;
  }

  /** A task that was dispatched again is accepted. */
  acceptAgain({ task, epoch, ended }: Again, instance: Instance, dispatchId: string): void {
    const dispatch: TaskDispatch = {
      taskId: task.taskId,
      epoch,
      instance: instance.ref,
      agent: instance.agent,
      incarnation: instance.record.incarnation,
      dispatchId,
    };
    instance.live.tasks++;
    this.store.move(dispatch, () => {
      this.runner.accepted(task, dispatch, instance);
      ended(undefined, epoch);
    });
  }

  result(instance: Instance, dispatchId = 'd1', result: unknown = { pages: 7 }): boolean {
    return this.runner.completed({ type: 'result', dispatchId, ok: true, result }, linkOf(instance), 100);
  }

  progress(instance: Instance, sequence: number, dispatchId = 'd1'): boolean {
    return this.runner.progressed(
      { type: 'progress', dispatchId, sequence, progress: { done: sequence } },
      linkOf(instance),
    );
  }

  stored(taskId = 't1'): TaskView | undefined {
    return this.store.views.get(taskId);
  }

  /** Lets time pass for tasks and leases. */
  pass(ms: number): void {
    const until = this.t.clock.monotonic() + ms;
    while (this.t.clock.monotonic() < until) {
      this.t.pass(Math.min(250, until - this.t.clock.monotonic()));
      this.wheel.advance(this.t.clock.monotonic());
    }
    this.wheel.advance(this.t.clock.monotonic() + TICK_MS);
  }
}

export function linkOf(instance: Instance) {
  if (instance.link === undefined) throw new Error('nobody speaks for the instance');
  return instance.link;
}

/** Waits for what promises of this turn lead to. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
}
