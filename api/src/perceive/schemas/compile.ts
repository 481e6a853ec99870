import { createHash } from 'node:crypto';
import { type FieldFault, type JsonSchema, MAX_FAULTS } from '@agent-reach/sdk/protocol';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { thoroughCheck } from './all-faults.js';
import { boundExpansion } from './expansion.js';
import { inspect } from './inspect.js';
import { linearRegExp } from './regexp.js';
import { SchemaFault } from './schema-fault.js';

/** Checks a value; undefined means that it matches. */
export type Validator = (value: unknown) => readonly FieldFault[] | undefined;

const options = {
  strict: false,
  // Inlined references are compiled anew at each place: 16 KiB of schema can take gigabytes.
  inlineRefs: false,
  // A parameter named like a member of Object.prototype is a parameter like others.
  ownProperties: true,
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
  inspect(schema);
  if (meta.validateSchema(schema) !== true) {
    const fault = meta.errors?.[0];
    throw new SchemaFault(dotted(fault?.instancePath ?? ''), fault?.message ?? 'is not a JSON Schema 2020-12');
  }
  const assertions = boundExpansion(schema);
  let validate: ValidateFunction;
  try {
    validate = validatorOf(schema, false);
  } catch (error) {
    throw new SchemaFault('', error instanceof Error ? error.message : 'cannot be compiled');
  }
  const allErrors = thoroughCheck(schema, assertions, (again) => validatorOf(again, true));
  return (value) => {
    try {
      return validate(value) ? undefined : listed(allErrors(value) ?? validate.errors ?? []);
    } catch {
      // Whatever a stranger's schema does to the validator, it must not reach the caller of the validator.
      return [
        { path: '', got: 'a value that the schema cannot be applied to', allowed: 'a schema that can be applied' },
      ];
    }
  };
}

function validatorOf(schema: JsonSchema, allErrors: boolean): ValidateFunction {
  const ajv = new Ajv2020({ ...options, allErrors, validateSchema: false, meta: false });
  addFormats.default(ajv, { mode: 'fast' });
  return ajv.compile(schema);
}

/** Each fault once, and no more of them than any other answer lists. */
function listed(errors: readonly ErrorObject[]): readonly FieldFault[] {
  const faults = new Map<string, FieldFault>();
  for (const error of errors) {
    const fault = toFieldFault(error);
    faults.set(`${fault.path} ${fault.got} ${fault.allowed}`, fault);
    if (faults.size === MAX_FAULTS) break;
  }
  return [...faults.values()];
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
  const base = short(dotted(error.instancePath), 500);
  const params = error.params as Record<string, unknown>;
  const child = (name: unknown) => (base === '' ? short(String(name)) : `${base}.${short(String(name))}`);
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
      return {
        path: base,
        got: 'another value',
        allowed: `one of ${short(JSON.stringify(params.allowedValues), 500)}`,
      };
    case 'type':
      return { path: base, got: 'a value of another type', allowed: typeText(params.type) };
    default: {
      // The value itself is left out: it may be sensitive, and errors travel further than parameters.
      const got = `a value that breaks "${error.keyword}"`;
      return { path: base, got, allowed: `a value that ${error.message ?? 'meets the schema'}` };
    }
  }
}

/** Many of them must still make a short answer. */
function short(text: string, most = 64): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
};

/** A type of JSON Schema, or several, in words. */
function typeText(type: unknown): string {
  const types = Array.isArray(type) ? type : [type];
  return types.map((each) => TYPES[String(each)] ?? String(each)).join(' or ');
}

function dotted(pointer: string): string {
  return pointer.slice(1).replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~');
}
