/** Goes on with a value: at once when it is there, later when it is promised. `then` and `failed` must not throw. */
export function whenThere<T>(
  ask: () => T | Promise<T>,
  then: (value: T) => void,
  failed: (thrown: unknown) => void,
): void {
  let value: T | Promise<T>;
  try {
    value = ask();
  } catch (thrown) {
    failed(thrown);
    return;
  }
  if (isThenable(value)) value.then(then as (value: unknown) => void, failed);
  else then(value);
}

export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
