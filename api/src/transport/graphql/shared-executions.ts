import type { ExecutionResult } from 'graphql';

/** What the execution of one event came to. */
export interface Executed {
  readonly result: ExecutionResult;
  /** The result as it is sent; undefined when it has errors, which name the request of each subscriber. */
  readonly text: string | undefined;
}

/**
 * Executes an event once for all who ask the same of it, and prints the result once: streams give the same event object
 * to all readers that see the same, and who reads in time asks in the same turn of the event loop. A result is forgotten
 * with that turn, or results of all operations would pile up with the events that are kept.
 */
export class SharedExecutions {
  readonly #ofEvent = new WeakMap<object, Map<string, Executed | Promise<Executed>>>();

  /** @param operation names what is asked, by `operationKey` */
  of(
    event: object,
    operation: string,
    execute: () => ExecutionResult | Promise<ExecutionResult>,
  ): Executed | Promise<Executed> {
    let executions = this.#ofEvent.get(event);
    if (executions === undefined) {
      executions = new Map();
      this.#ofEvent.set(event, executions);
    }
    return executions.get(operation) ?? begin(executions, operation, execute);
  }
}

function begin(
  executions: Map<string, Executed | Promise<Executed>>,
  operation: string,
  execute: () => ExecutionResult | Promise<ExecutionResult>,
): Promise<Executed> {
  const forget = () => setImmediate(() => executions.delete(operation));
  const execution = printed(execute);
  executions.set(operation, execution);
  execution.then((done) => {
    executions.set(operation, done);
    forget();
  }, forget);
  return execution;
}

async function printed(execute: () => ExecutionResult | Promise<ExecutionResult>): Promise<Executed> {
  const result = await execute();
  return { result, text: result.errors === undefined ? JSON.stringify(result) : undefined };
}
