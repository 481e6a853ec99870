/** How the agents of a row are reached. */
export type Transport = 'WEBSOCKET' | 'HTTP';
export const TRANSPORTS: readonly Transport[] = ['WEBSOCKET', 'HTTP'];

/** What one row of the matrix is about, beside its fault. */
export interface RowKind {
  readonly transport: Transport;
  readonly idempotent: boolean;
}

/** All kinds of rows over these transports. */
export const kindsOf = (transports: readonly Transport[]): RowKind[] =>
  transports.flatMap((transport) => [true, false].map((idempotent) => ({ transport, idempotent })));

/** What callers may be answered: `OK`, `OK replayed` (an earlier answer again) or an error code. */
export interface Expectation {
  /** To the calls that the fault met. */
  readonly answers: readonly string[];
  /** To the same requests, made again afterwards. */
  readonly repeated: readonly string[];
}

/** One row of the matrix. */
export interface Row extends RowKind {
  readonly fault: string;
  /** Requests, each counted once however often it was made. */
  readonly calls: number;
  /** As the agents counted themselves. */
  readonly executions: number;
  /** How often each answer came. */
  readonly answers: ReadonlyMap<string, number>;
  readonly repeated: ReadonlyMap<string, number>;
  /** Requests that were executed more than once. */
  readonly duplicates: number;
  /** What breaks the rules of the row, in words; empty when it holds. */
  readonly broken: readonly string[];
}

/** What a fault showed, before it is known whether the counters came to rest. */
export type Observed = Omit<Row, 'broken'>;

/** Which rules of its fault an observation breaks. */
export function brokenRules(observed: Observed, expected: Expectation): string[] {
  const broken: string[] = [];
  if (!observed.idempotent && observed.duplicates > 0)
    broken.push(`${observed.duplicates} requests of a capability that is not idempotent were executed twice`);
  for (const [what, got, allowed] of [
    ['answered', observed.answers, expected.answers],
    ['answered when repeated', observed.repeated, expected.repeated],
  ] as const) {
    for (const [answer, count] of got)
      if (!allowed.includes(answer)) broken.push(`${count} ${what} ${answer}; allowed: ${allowed.join(', ')}`);
    if (got.size === 0 && allowed.length > 0) broken.push(`nothing ${what}`);
  }
  return broken;
}
