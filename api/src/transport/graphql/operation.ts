import {
  createSourceEventStream,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  type GraphQLFormattedError,
} from 'graphql';

/**
 * Runs a subscription. Unlike GraphQL's own `subscribe`, it executes each event with a context of its own, so that what
 * was loaded for one event is never used for the next; and its `return()` ends a wait at once.
 */
export async function subscribeWith(
  args: ExecutionArgs,
  contextOfEvent: () => unknown,
): Promise<ExecutionResult | AsyncGenerator<ExecutionResult, void, void>> {
  const source = await createSourceEventStream(args);
  if (!(Symbol.asyncIterator in source)) return source;
  const events = source[Symbol.asyncIterator]();
  const end = async (): Promise<IteratorReturnResult<undefined>> => {
    await events.return?.();
    return { done: true, value: undefined };
  };
  const results: AsyncGenerator<ExecutionResult, void, void> = {
    async next() {
      const event = await events.next();
      if (event.done === true) return { done: true, value: undefined };
      return { done: false, value: await execute({ ...args, rootValue: event.value, contextValue: contextOfEvent() }) };
    },
    return: end,
    async throw(error: unknown) {
      await end();
      throw error;
    },
    [Symbol.asyncIterator]: () => results,
  };
  return results;
}

/** The result as it goes out, its errors in the form that clients get. */
export function formatResult(
  result: ExecutionResult,
  format: (error: unknown) => GraphQLFormattedError,
): ExecutionResult | { readonly errors: readonly GraphQLFormattedError[] } {
  return result.errors === undefined ? result : { ...result, errors: result.errors.map(format) };
}
