import { ReachError, TASK_ENDS, type TaskStreamEvent, type TaskView } from '@agent-reach/sdk/protocol';
import {
  type TaskDesk,
  type TaskListFilter,
  type TaskReader,
  type TaskScope,
  type TaskStreamFilter,
  taskKey,
} from '../execute/tasks/task-desk.js';
import { compareKeys, type Page, type PageRequest, pageInMemory } from '../governance/page.js';

/** Tasks of the tests, in memory: what each reader sees of them is what the contract says. */
export class FakeTaskDesk implements TaskDesk {
  readonly #tasks = new Map<string, TaskView>();
  readonly #streams = new Set<(task: TaskView) => void>();
  readonly cancelled: { readonly taskId: string; readonly actor: string }[] = [];
  readonly opened: (string | undefined)[] = [];

  /** A task is there, or has changed. */
  put(task: TaskView): void {
    this.#tasks.set(task.taskId, task);
    for (const tell of this.#streams) tell(task);
  }

  async get(taskId: string, reader: TaskReader): Promise<TaskView> {
    const task = this.#tasks.get(taskId);
    const seen = task === undefined ? undefined : viewOf(task, reader);
    if (seen === undefined) throw new ReachError('NOT_FOUND', `There is no task ${JSON.stringify(taskId)}.`);
    return seen;
  }

  async page(reader: TaskReader, filter: TaskListFilter, request: PageRequest): Promise<Page<TaskView>> {
    const found = this.#seenBy(reader).filter(
      (task) =>
        (filter.states?.includes(task.state) ?? true) &&
        (filter.caller ?? task.caller) === task.caller &&
        (filter.agent ?? task.agent) === task.agent &&
        (filter.capability ?? task.capability) === task.capability &&
        (filter.requestId ?? task.requestId) === task.requestId,
    );
    return pageInMemory(found, request, taskKey, (a, b) => -compareKeys(a, b));
  }

  async cancel(taskId: string, reader: TaskReader, actor: string): Promise<TaskView> {
    const task = await this.get(taskId, reader);
    this.cancelled.push({ taskId, actor });
    if (TASK_ENDS.includes(task.state)) return task;
    const error = new ReachError('CANCELLED', `Cancelled by ${actor}.`).toWire();
    this.put({ ...task, state: 'CANCELLED', error });
    return this.get(taskId, reader);
  }

  open({
    after,
    filter,
    reader,
  }: {
    readonly after?: string | undefined;
    readonly filter?: TaskStreamFilter | undefined;
    readonly reader: TaskReader;
  }): AsyncIterableIterator<TaskStreamEvent> {
    this.opened.push(after);
    const concerns = (task: TaskView) =>
      (filter?.namespace ?? task.namespace) === task.namespace &&
      (filter?.agent ?? task.agent) === task.agent &&
      (filter?.capability ?? task.capability) === task.capability &&
      (filter?.taskId ?? task.taskId) === task.taskId;
    const stream = new FakeStream((end) => this.#streams.delete(end));
    if (after !== undefined)
      stream.push({
        kind: 'Resync',
        position: 'e1.0',
        reason: 'the server was restarted since, or too much has changed',
      });
    stream.push({ kind: 'Snapshot', position: 'e1.0', tasks: this.#seenBy(reader).filter(concerns) });
    stream.onTask = (task) => {
      const seen = viewOf(task, reader);
      if (seen !== undefined && concerns(seen)) stream.push({ kind: 'Change', position: 'e1.1', task: seen });
    };
    this.#streams.add(stream.tell);
    return stream;
  }

  #seenBy(reader: TaskReader): readonly TaskView[] {
    return [...this.#tasks.values()].flatMap((task) => viewOf(task, reader) ?? []);
  }
}

function viewOf(task: TaskView, reader: TaskReader): TaskView | undefined {
  if (reader.kind === 'CALLER') return task.caller === reader.caller ? task : undefined;
  if (!covers(reader.scope, task.namespace)) return undefined;
  if (covers(reader.contents, task.namespace)) return task;
  const { progress: _, result: __, ...rest } = task;
  return rest;
}

const covers = (scope: TaskScope, namespace: string) => scope.all || scope.namespaces.has(namespace);

class FakeStream implements AsyncIterableIterator<TaskStreamEvent> {
  readonly #events: TaskStreamEvent[] = [];
  #wake: (() => void) | undefined;
  #ended = false;
  onTask: (task: TaskView) => void = () => {};
  readonly tell = (task: TaskView) => this.onTask(task);

  constructor(private readonly onEnd: (tell: (task: TaskView) => void) => void) {}

  push(event: TaskStreamEvent): void {
    this.#events.push(event);
    this.#wake?.();
  }

  async next(): Promise<IteratorResult<TaskStreamEvent>> {
    while (!this.#ended) {
      const event = this.#events.shift();
      if (event !== undefined) return { done: false, value: event };
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return { done: true, value: undefined };
  }

  async return(): Promise<IteratorResult<TaskStreamEvent>> {
    this.#ended = true;
    this.onEnd(this.tell);
    this.#wake?.();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

/** A task of `shop/orders`, as the tests need it. */
export function taskView(parts: Partial<TaskView> & Pick<TaskView, 'taskId'>): TaskView {
  return {
    requestId: `r-${parts.taskId}`,
    caller: 'app:shop/web',
    namespace: 'shop',
    agent: 'shop/orders',
    capability: 'order_export',
    instance: 'shop/orders/one',
    state: 'ACCEPTED',
    epoch: 1,
    createdAt: '2026-01-31T12:00:00.000Z',
    updatedAt: '2026-01-31T12:00:00.000Z',
    deadlineAt: '2026-01-31T12:15:00.000Z',
    ...parts,
  };
}
