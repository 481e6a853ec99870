import { createHash } from 'node:crypto';
import { CAPABILITY_LIMITS, type FieldFault, type JsonSchema } from '@agent-reach/sdk/protocol';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { linearRegExp } from './regexp.js';

/** Checks a value; undefined means that it matches. */
export type Validator = (value: unknown) => readonly FieldFault[] | undefined;

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

const options = {
  strict: false,
  allErrors: false,
  validateFormats: true,
  code: { regExp: linearRegExp },
} as const;

/** Knows the meta-schema; no stranger's schema is ever added to it, since an `$id` would stay behind. */
const meta = new Ajv2020(options);

/** Compiled validators by content, so that 200 instances of one agent share one. */
const compiled = new Map<string, Validator>();
const MAX_COMPILED = 5_000;

/**
 * Compiles a schema of parameters. A schema whose root is silent about additional properties is closed: a parameter
 * that it doesn't name is a fault.
 */
export function compileInput(schema: JsonSchema): Validator {
  return remembered(`input ${digest(schema)}`, () => {
    if (!describesObject(schema))
      throw new SchemaFault('type', 'parameters are named, so the schema must have type "object"');
    return compile(closed(schema));
  });
}

/** Compiles a schema of a result. */
export function compileOutput(schema: JsonSchema): Validator {
  return remembered(`output ${digest(schema)}`, () => compile(schema));
}

function remembered(key: string, make: () => Validator): Validator {
  let validator = compiled.get(key);
  if (validator === undefined) {
    validator = make();
    if (compiled.size >= MAX_COMPILED) compiled.clear();
    compiled.set(key, validator);
  }
  return validator;
}

function digest(schema: JsonSchema): string {
  return createHash('sha256').update(JSON.stringify(schema)).digest('base64');
}

function compile(schema: JsonSchema): Validator {
  inspect(schema, '', 0);
  const bytes = Buffer.byteLength(JSON.stringify(schema));
  if (bytes > CAPABILITY_LIMITS.maxSchemaBytes) {
    throw new SchemaFault('', `has ${bytes} bytes; allowed are ${CAPABILITY_LIMITS.maxSchemaBytes}`);
  }
  if (meta.validateSchema(schema) !== true) {
    const fault = meta.errors?.[0];
    throw new SchemaFault(dotted(fault?.instancePath ?? ''), fault?.message ?? 'is not a JSON Schema 2020-12');
  }
  const ajv = new Ajv2020({ ...options, validateSchema: false, meta: false });
  addFormats.default(ajv, { mode: 'fast' });
  let validate: ValidateFunction;
  try {
    validate = ajv.compile(schema);
  } catch (error) {
    throw new SchemaFault('', error instanceof Error ? error.message : 'cannot be compiled');
  }
  return (value) => (validate(value) ? undefined : (validate.errors ?? []).map(toFieldFault));
}

/** Depth and references are checked before any library walks the schema. */
function inspect(node: unknown, path: string, depth: number): void {
  if (depth > CAPABILITY_LIMITS.maxSchemaDepth) {
    throw new SchemaFault(path, `is nested deeper than ${CAPABILITY_LIMITS.maxSchemaDepth} levels`);
  }
  if (typeof node !== 'object' || node === null) return;
  for (const [key, value] of Object.entries(node)) {
    const place = path === '' ? key : `${path}.${key}`;
    if ((key === '$ref' || key === '$dynamicRef') && typeof value === 'string' && !value.startsWith('#')) {
      throw new SchemaFault(place, 'refers to another document; only references within the schema (#...) are allowed');
    }
    inspect(value, place, depth + 1);
  }
}

function describesObject(schema: JsonSchema): schema is { readonly [keyword: string]: unknown } {
  return typeof schema === 'object' && schema !== null && schema.type === 'object';
}

const COMBINATORS = ['allOf', 'anyOf', 'oneOf', 'if', '$ref', '$dynamicRef', 'dependentSchemas'];

function closed(schema: { readonly [keyword: string]: unknown }): JsonSchema {
  if ('additionalProperties' in schema || 'unevaluatedProperties' in schema) return schema;
  const combined = COMBINATORS.some((keyword) => keyword in schema);
  return { ...schema, [combined ? 'unevaluatedProperties' : 'additionalProperties']: false };
}

function toFieldFault(error: ErrorObject): FieldFault {
  const base = dotted(error.instancePath);
  const params = error.params as Record<string, unknown>;
  const child = (name: unknown) => (base === '' ? String(name) : `${base}.${String(name)}`);
  switch (error.keyword) {
    case 'required':
      return { path: child(params.missingProperty), got: 'nothing', allowed: 'a value: it is required' };
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return {
        path: child(params.additionalProperty ?? params.unevaluatedProperty),
        got: 'a parameter that the schema does not name',
        allowed: 'only named parameters',
      };
    case 'enum':
      return { path: base, got: 'another value', allowed: `one of ${JSON.stringify(params.allowedValues)}` };
    default:
      // The value itself is left out: it may be sensitive, and errors travel further than parameters.
      return { path: base, got: `a value that ${violation(error)}`, allowed: error.message ?? 'what the schema says' };
  }
}

function violation(error: ErrorObject): string {
  return error.keyword === 'type' ? 'has another type' : `breaks "${error.keyword}"`;
}

function dotted(pointer: string): string {
  return pointer.slice(1).replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~');
}
