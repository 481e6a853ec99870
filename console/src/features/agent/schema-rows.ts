/** One property of a schema, ready to be read. */
export interface SchemaRow {
  /** Dotted path from the root, `items[]` for the elements of a list. */
  readonly path: string;
  readonly type: string;
  readonly required: boolean;
  /** Limits and the like: `minimum 1`, `default "normal"`. */
  readonly notes: readonly string[];
  readonly description: string;
}

const MAX_DEPTH = 6;
const MAX_ROWS = 200;

const SHOWN_KEYWORDS = [
  'format',
  'pattern',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'uniqueItems',
  'default',
];

/**
 * The properties of an object schema as flat rows, nested ones below their parent. Undefined when the schema isn't an
 * object with properties, so that only its JSON tells what it means.
 */
export function schemaRows(schema: unknown): SchemaRow[] | undefined {
  const root = asRecord(schema);
  if (root === undefined || asRecord(root.properties) === undefined) return undefined;
  const rows: SchemaRow[] = [];
  collect(root, '', 0, root, rows);
  return rows;
}

function collect(
  schema: Record<string, unknown>,
  prefix: string,
  depth: number,
  root: Record<string, unknown>,
  rows: SchemaRow[],
) {
  const required = Array.isArray(schema.required) ? schema.required : [];
  for (const [name, value] of Object.entries(asRecord(schema.properties) ?? {})) {
    if (rows.length >= MAX_ROWS) return;
    const property = resolve(value, root);
    const path = `${prefix}${name}`;
    rows.push({
      path,
      type: typeOf(property, root),
      required: required.includes(name),
      notes: notesOf(property),
      description: typeof property.description === 'string' ? property.description : '',
    });
    if (depth >= MAX_DEPTH) continue;
    if (asRecord(property.properties) !== undefined) collect(property, `${path}.`, depth + 1, root, rows);
    const items = asRecord(property.items) === undefined ? undefined : resolve(property.items, root);
    if (asRecord(items?.properties) !== undefined && items !== undefined)
      collect(items, `${path}[].`, depth + 1, root, rows);
  }
}

/** A schema with its local reference followed, once; what stands beside `$ref` counts too. */
function resolve(value: unknown, root: Record<string, unknown>): Record<string, unknown> {
  const schema = asRecord(value) ?? {};
  if (typeof schema.$ref !== 'string' || !schema.$ref.startsWith('#/')) return schema;
  let target: unknown = root;
  for (const part of schema.$ref.slice(2).split('/')) {
    target = asRecord(target)?.[part.replaceAll('~1', '/').replaceAll('~0', '~')];
  }
  return { ...asRecord(target), ...schema };
}

function typeOf(schema: Record<string, unknown>, root: Record<string, unknown>): string {
  if ('const' in schema) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  for (const keyword of ['oneOf', 'anyOf'] as const) {
    const options = schema[keyword];
    if (Array.isArray(options)) return options.map((option) => typeOf(resolve(option, root), root)).join(' | ');
  }
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  return types
    .map((type) => {
      if (type !== 'array') return typeof type === 'string' ? type : 'any';
      return schema.items === undefined ? 'list' : `list of ${typeOf(resolve(schema.items, root), root)}`;
    })
    .join(' | ');
}

function notesOf(schema: Record<string, unknown>): string[] {
  return SHOWN_KEYWORDS.flatMap((keyword) => (keyword in schema ? [`${keyword} ${plain(schema[keyword])}`] : []));
}

function plain(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function asRecord(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}
