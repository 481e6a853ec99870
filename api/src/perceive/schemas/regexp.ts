import { RE2JS } from 're2js';

/**
 * Patterns of strangers run on a linear-time engine, so that none can hold the event loop.
 * Has the shape that Ajv's `code.regExp` option asks for. Throws on what the engine does not support (look-around,
 * back-references), which rejects the registration with the pattern's path.
 */
export function linearRegExp(pattern: string): { test(text: string): boolean } {
  return RE2JS.compile(pattern);
}
linearRegExp.code = 'linearRegExp';
