/** The name of a saved test, whatever else it holds. */
export function testName(test: unknown): string {
  const name = typeof test === 'object' && test !== null ? (test as { readonly name?: unknown }).name : undefined;
  return typeof name === 'string' && name !== '' ? name : 'without a name';
}
