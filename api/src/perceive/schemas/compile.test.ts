import { describe, expect, it } from 'vitest';
import { compileInput, compileOutput } from './compile.js';
import { SchemaFault } from './schema-fault.js';

function fault(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof SchemaFault) return `${error.path}: ${error.message}`;
    throw error;
  }
  return 'none';
}

describe('a schema of parameters', () => {
  it('that is silent about additional properties is closed', () => {
    const validate = compileInput({ type: 'object', properties: { id: { type: 'string' } } });
    expect(validate({ id: '7' })).toBeUndefined();
    expect(validate({ id: '7', more: 1 })).toEqual([
      { path: 'more', got: 'a parameter that the schema does not name', allowed: 'only named parameters' },
    ]);
  });

  it('is closed over combinators too', () => {
    const validate = compileInput({
      type: 'object',
      properties: { id: {} },
      allOf: [{ properties: { name: { type: 'string' } } }],
    });
    expect(validate({ id: 1, name: 'x' })).toBeUndefined();
    expect(validate({ id: 1, other: 'x' })).toMatchObject([{ path: 'other' }]);
  });

  it('that says it is open stays open', () => {
    expect(compileInput({ type: 'object', additionalProperties: true })({ anything: 1 })).toBeUndefined();
  });

  it('never shows the faulty value, which may be a secret', () => {
    const validate = compileInput({ type: 'object', properties: { pin: { type: 'string', maxLength: 4 } } });
    expect(JSON.stringify(validate({ pin: 'hunter22' }))).not.toContain('hunter22');
  });

  it('names a missing parameter by its path', () => {
    const validate = compileInput({
      type: 'object',
      properties: { order: { type: 'object', required: ['id'] } },
    });
    expect(validate({ order: {} })).toEqual([{ path: 'order.id', got: 'nothing', allowed: 'a value: it is required' }]);
  });

  it('tells every fault of a value, and not only the first', () => {
    const validate = compileInput({
      type: 'object',
      properties: {
        orderId: { type: 'string' },
        lines: { type: 'array', items: { type: 'object', required: ['sku', 'count'] } },
      },
      required: ['shop'],
    });
    expect(validate({ orderId: 5, x: 1, y: 2, lines: [{ sku: 'a' }, {}] })).toEqual([
      { path: 'shop', got: 'nothing', allowed: 'a value: it is required' },
      { path: 'x', got: 'a parameter that the schema does not name', allowed: 'only named parameters' },
      { path: 'y', got: 'a parameter that the schema does not name', allowed: 'only named parameters' },
      { path: 'orderId', got: 'a value of another type', allowed: 'a string' },
      { path: 'lines.0.count', got: 'nothing', allowed: 'a value: it is required' },
      { path: 'lines.1.sku', got: 'nothing', allowed: 'a value: it is required' },
      { path: 'lines.1.count', got: 'nothing', allowed: 'a value: it is required' },
    ]);
  });

  it('says in words what is allowed', () => {
    const properties = {
      count: { type: 'integer' },
      when: { type: ['string', 'null'] },
      code: { type: 'string', maxLength: 4 },
      kind: { enum: ['a', 'b'] },
    };
    const validate = compileInput({ type: 'object', properties });
    expect(validate({ count: 1.5, when: 7, code: 'hunter22', kind: 'c' })).toEqual([
      { path: 'count', got: 'a value of another type', allowed: 'a whole number' },
      { path: 'when', got: 'a value of another type', allowed: 'a string or null' },
      {
        path: 'code',
        got: 'a value that breaks "maxLength"',
        allowed: 'a value that must NOT have more than 4 characters',
      },
      { path: 'kind', got: 'another value', allowed: 'one of ["a","b"]' },
    ]);
  });

  it('tells 20 faults at most, and none at length', () => {
    const validate = compileInput({ type: 'object', properties: { kind: { enum: [...'x'.repeat(1000)] } } });
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`p${index}${'y'.repeat(500)}`, 1]));
    const faults = validate({ ...many, kind: 1 });
    expect(faults).toHaveLength(20);
    expect(JSON.stringify(faults).length).toBeLessThan(5_000);
    expect(JSON.stringify(validate({ kind: 1 })).length).toBeLessThan(1_000);
  });

  it('must describe named parameters', () => {
    expect(fault(() => compileInput({ type: 'string' }))).toBe(
      'type: parameters are named, so the schema must have type "object"',
    );
    expect(fault(() => compileInput(true))).toContain('parameters are named');
  });
});

describe('schemas of strangers', () => {
  it('may not refer elsewhere', () => {
    expect(fault(() => compileOutput({ $ref: 'https://evil.example/schema' }))).toContain(
      '$ref: refers to another document',
    );
    expect(fault(() => compileOutput({ $ref: '#/$defs/a', $defs: { a: { type: 'string' } } }))).toBe('none');
  });

  it('may not be nested deeper than 32 levels or larger than 64 KiB', () => {
    let deep: Record<string, unknown> = { type: 'string' };
    for (let level = 0; level < 40; level++) deep = { items: deep };
    expect(fault(() => compileOutput(deep))).toContain('is nested deeper than 32 levels');
    expect(fault(() => compileOutput({ description: 'x'.repeat(70_000) }))).toContain('bytes; allowed are 65536');
  });

  it('may not apply themselves to the same value without end', () => {
    expect(fault(() => compileInput({ type: 'object', allOf: [{ $ref: '#' }] }))).toContain('again, without end');
    expect(
      fault(() => compileOutput({ $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } })),
    ).toContain('again, without end');
  });

  it('may not double their work at each step or level', () => {
    const $defs: Record<string, unknown> = { d40: { type: 'string' } };
    for (let level = 0; level < 40; level++) {
      $defs[`d${level}`] = { allOf: [{ $ref: `#/$defs/d${level + 1}` }, { $ref: `#/$defs/d${level + 1}` }] };
    }
    expect(fault(() => compileOutput({ $ref: '#/$defs/d0', $defs }))).toContain('applies more than 10000 subschemas');
    const twice = { properties: { next: { $ref: '#' } } };
    expect(fault(() => compileOutput({ allOf: [twice, twice] }))).toContain(
      'more than once to the same part of a value',
    );
  });

  it('may be trees', () => {
    const validate = compileOutput({
      $ref: '#/$defs/node',
      $defs: {
        node: {
          type: 'object',
          properties: { left: { $ref: '#/$defs/node' }, right: { $ref: '#/$defs/node' }, v: { type: 'number' } },
        },
      },
    });
    expect(validate({ left: { v: 1 }, right: { left: { v: 'x' } } })).toMatchObject([{ path: 'right.left.v' }]);
  });

  it('must bound what uniqueItems compares', () => {
    expect(fault(() => compileOutput({ type: 'array', uniqueItems: true }))).toContain('uniqueItems without maxItems');
    expect(fault(() => compileOutput({ type: 'array', uniqueItems: true, maxItems: 100 }))).toBe('none');
  });

  it('may name parameters like members of every object', () => {
    const validate = compileInput({
      type: 'object',
      properties: { constructor: { type: 'string' } },
      required: ['toString'],
    });
    expect(validate({})).toMatchObject([{ path: 'toString' }]);
  });

  it('run their patterns in linear time', () => {
    const validate = compileInput({ type: 'object', properties: { text: { type: 'string', pattern: '^(a+)+$' } } });
    // On a backtracking engine this text takes longer than the universe is old.
    expect(validate({ text: `${'a'.repeat(200)}b` })).toMatchObject([{ path: 'text' }]);
    expect(validate({ text: 'aaa' })).toBeUndefined();
  });

  it('cannot have their callers collect errors without end', () => {
    // Every item would break every one of these: a hundred million errors.
    const allOf = Array.from({ length: 1_000 }, (_, index) => ({ not: { minimum: index - 5_000 } }));
    const many = compileOutput({ type: 'array', items: { allOf } });
    const startedAt = performance.now();
    expect(many(Array.from({ length: 100_000 }, () => 1))).toHaveLength(1);
    const names = Array.from({ length: 4_000 }, (_, index) => `name-${index}`);
    expect(compileOutput({ type: 'array', items: { required: names } })([{}, {}])).toMatchObject([
      { path: '0.name-0' },
    ]);
    // A value of many parts, and a schema that is small.
    const small = compileOutput({ type: 'array', items: { type: 'string' } });
    expect(small(Array.from({ length: 100_000 }, () => 1))).toHaveLength(1);
    expect(small([1, 2, 3])).toHaveLength(3);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });

  it('with the same $id do not disturb each other', () => {
    const first = compileOutput({ $id: 'same', type: 'string' });
    const second = compileOutput({ $id: 'same', type: 'number' });
    expect([first('x'), second(1), first(1) === undefined, second('x') === undefined]).toEqual([
      undefined,
      undefined,
      false,
      false,
    ]);
  });

  it('that are none are refused with the place', () => {
    expect(fault(() => compileOutput({ properties: { a: { type: 'sting' } } }))).toBe(
      'properties.a.type: must be equal to one of the allowed values',
    );
  });
});
