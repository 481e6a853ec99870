/** A promise with its two ends in hand. */
export interface Deferred<T> {
  readonly promise: Promise<T>;
  resolve(value: T): void;
  reject(error: Error): void;
}

/** As Promise.withResolvers, which Node 20 does not have. */
export function deferred<T>(): Deferred<T> {
  let ends: Omit<Deferred<T>, 'promise'> | undefined;
  const promise = new Promise<T>((resolve, reject) => {
    ends = { resolve, reject };
  });
  return { promise, resolve: (value) => ends?.resolve(value), reject: (error) => ends?.reject(error) };
}
