/** A schema can't be used; `path` leads to the place inside it, the empty string is its root. */
export class SchemaFault extends Error {
  override readonly name = 'SchemaFault';
  constructor(
    readonly path: string,
    message: string,
  ) {
    super(message);
  }
}
