import { targetFaults } from './call-target.js';
import type { CapabilityDeclaration } from './capability.js';
import { type ErrorCode, type FieldFault, ReachError } from './errors.js';
import { FIND_FIELDS } from './find.js';
import { type CallFrame, type ClientFrame, type RegisterFrame, type SubscribeFrame, WIRE_LIMITS } from './frames.js';
import { HEALTHS, LIFECYCLES } from './health.js';
import { MAX_ID_LENGTH } from './names.js';
import {
  anything,
  isObject,
  list,
  listOf,
  type Nested,
  numberIn,
  object,
  oneOf,
  optional,
  pattern,
  type Shape,
  schema,
  shapeFaults,
  someOf,
  text,
  textMap,
  textOrObject,
  texts,
  truth,
  wellShaped,
  wholeNumber,
} from './shape.js';
import { webhookSecretFault } from './webhook-secret.js';

const instanceRefText = text(5, 200);
const dispatchId = text(1, 64);

const CAPABILITY: Shape = {
  name: text(1, 64),
  aliases: optional(texts(64)),
  description: optional(text(0, 10_000)),
  inputSchema: optional(schema),
  outputSchema: optional(schema),
  tags: optional(texts(64)),
  idempotent: optional(truth),
  mode: optional(text()),
  cacheTtlMs: optional(numberIn(-1e15, 1e15)),
  callerIndependent: optional(truth),
  sensitive: optional(texts(64)),
  headers: optional(texts(64)),
};

const FAILURE: Shape = {
  code: oneOf('BUSINESS_ERROR', 'AGENT_ERROR', 'OUTCOME_UNKNOWN'),
  message: text(0, 8_192),
  retryable: optional(truth),
  details: optional(object),
};

const CALLBACK: Shape = {
  url: pattern(/^https?:\/\/\S{1,2000}$/, 'an http or https address of at most 2,000 characters'),
  secret: anything,
};

/** What every field of a frame from a client must be. `nested` follows into objects and lists. */
const FRAMES: Readonly<Record<ClientFrame['type'], { readonly shape: Shape; readonly nested?: Nested }>> = {
  hello: {
    shape: {
      type: anything,
      protocol: wholeNumber(0, 1_000_000),
      token: text(1, 512),
      incarnation: pattern(/^[A-Za-z0-9._:-]{8,64}$/, '8 to 64 letters, digits, and . _ : -'),
      client: optional(object),
    },
  },
  register: {
    shape: {
      type: anything,
      id: text(1, 64),
      agent: optional(text(0, 128)),
      instance: text(0, 128),
      version: text(0, 128),
      agentType: text(0, 128),
      kind: optional(text()),
      description: optional(text(0, 4_000)),
      owner: optional(text(0, 200)),
      labels: optional(textMap),
      zone: optional(text(0, 128)),
      capabilities: list(1_000),
      lease: optional(textOrObject),
      startupGraceMs: optional(numberIn(-1e15, 1e15)),
      maxConcurrency: optional(numberIn(-1e15, 1e15)),
      maxQueue: optional(numberIn(-1e15, 1e15)),
      maxTasks: optional(numberIn(-1e15, 1e15)),
      drainTimeoutMs: optional(numberIn(-1e15, 1e15)),
    },
    nested: { capabilities: listOf(CAPABILITY) },
  },
  ready: { shape: { type: anything, instance: instanceRefText } },
  heartbeat: {
    shape: { type: anything, instances: list(10_000) },
    nested: {
      instances: listOf({
        instance: instanceRefText,
        inFlight: optional(wholeNumber(0, 1_000_000)),
        queueDepth: optional(wholeNumber(0, 1_000_000)),
        busy: optional(numberIn(0, 1)),
        pool: optional(numberIn(0, 1)),
      }),
    },
  },
  drain: {
    shape: {
      type: anything,
      instance: instanceRefText,
      reason: optional(text(0, 500)),
      drainTimeoutMs: optional(wholeNumber(0, 3_600_000)),
    },
  },
  goodbye: { shape: { type: anything, instance: instanceRefText } },
  call: {
    shape: {
      type: anything,
      requestId: text(1, WIRE_LIMITS.maxRequestIdLength),
      target: object,
      params: object,
      timeoutMs: optional(wholeNumber(1, WIRE_LIMITS.maxTimeoutMs)),
      traceparent: optional(text(1, 200)),
      affinityKey: optional(text(0, 256)),
      zone: optional(text(1, 64)),
      serving: optional(dispatchId),
      headers: optional(textMap),
      priority: optional(wholeNumber(0, WIRE_LIMITS.maxPriority)),
      callback: optional(object),
      taskTimeoutMs: optional(wholeNumber(1_000, WIRE_LIMITS.maxTaskTimeoutMs)),
    },
    nested: { target: targetFaults, callback: callbackFaults },
  },
  broadcast: {
    shape: {
      type: anything,
      requestId: text(1, WIRE_LIMITS.maxRequestIdLength),
      target: object,
      params: object,
      timeoutMs: optional(wholeNumber(1, WIRE_LIMITS.maxTimeoutMs)),
      traceparent: optional(text(1, 200)),
      serving: optional(dispatchId),
      headers: optional(textMap),
    },
    nested: { target: targetFaults },
  },
  find: { shape: { type: anything, id: text(1, 64), ...FIND_FIELDS } },
  cancel: {
    shape: {
      type: anything,
      requestId: optional(text(1, WIRE_LIMITS.maxRequestIdLength)),
      taskId: optional(text(1, 64)),
    },
  },
  ack: {
    shape: {
      type: anything,
      dispatchId,
      accepted: truth,
      reason: optional(oneOf('BUSY', 'DRAINING', 'RELOADING')),
      retryAfterMs: optional(wholeNumber(0, 3_600_000)),
    },
  },
  progress: {
    shape: { type: anything, dispatchId, sequence: wholeNumber(0, Number.MAX_SAFE_INTEGER), progress: object },
  },
  result: {
    shape: { type: anything, dispatchId, ok: truth, result: optional(anything), error: optional(object) },
    nested: { error: (value, path) => shapeFaults(value, FAILURE, path) },
  },
  recalled: {
    shape: {
      type: anything,
      dispatchId,
      state: oneOf('NEVER_SEEN', 'RUNNING', 'DONE', 'UNKNOWN'),
      ok: optional(truth),
      result: optional(anything),
      error: optional(object),
    },
    nested: { error: (value, path) => shapeFaults(value, FAILURE, path) },
  },
  subscribe: {
    shape: {
      type: anything,
      id: text(1, 64),
      stream: oneOf('health', 'routes', 'tasks'),
      after: optional(text(1, 200)),
      filter: optional(object),
    },
    nested: {
      filter: (value, path) =>
        shapeFaults(
          value,
          {
            namespace: optional(text(1, 64)),
            agent: optional(text(1, 130)),
            capability: optional(text(1, 64)),
            lifecycle: optional(someOf(...LIFECYCLES)),
            health: optional(someOf(...HEALTHS)),
            taskId: optional(text(1, 64)),
          },
          path,
        ),
    },
  },
  unsubscribe: { shape: { type: anything, id: text(1, 64) } },
};

/** The faults of a callback. They go into answers and records, so that they never show its secret. */
export function callbackFaults(value: unknown, path: string): FieldFault[] {
  const faults = shapeFaults(value, CALLBACK, path).filter((fault) => fault.path !== `${path}.secret`);
  const secret = isObject(value) ? webhookSecretFault(value.secret) : undefined;
  return secret === undefined ? faults : [...faults, { path: `${path}.secret`, ...secret }];
}

/** The fields that each frame of a client may have, `type` aside; docs/PROTOCOL.md is compared with it. */
export const CLIENT_FRAME_FIELDS: Readonly<Record<ClientFrame['type'], readonly string[]>> = Object.fromEntries(
  Object.entries(FRAMES).map(([type, { shape }]) => [type, Object.keys(shape).filter((field) => field !== 'type')]),
) as Record<ClientFrame['type'], string[]>;

/**
 * Recognises the two frames that make up nearly all traffic in their ordinary form, with nothing but a few `typeof`.
 * What it does not recognise goes through the full check, which alone says what is wrong.
 */
function isOrdinary(type: string, value: Readonly<Record<string, unknown>>): boolean {
  if (type === 'result') {
    const { dispatchId, ok, result } = value;
    return typeof dispatchId === 'string' && ok === true && result !== undefined && fieldsOf(value) === 4;
  }
  if (type !== 'call') return false;
  const { requestId, target, params, timeoutMs } = value;
  return (
    typeof requestId === 'string' &&
    requestId.length > 0 &&
    requestId.length <= WIRE_LIMITS.maxRequestIdLength &&
    isObject(target) &&
    typeof target.capability === 'string' &&
    target.capability.length > 0 &&
    target.capability.length <= MAX_ID_LENGTH &&
    fieldsOf(target) === 1 &&
    isObject(params) &&
    (timeoutMs === undefined
      ? fieldsOf(value) === 4
      : Number.isInteger(timeoutMs) &&
        Number(timeoutMs) > 0 &&
        Number(timeoutMs) <= WIRE_LIMITS.maxTimeoutMs &&
        fieldsOf(value) === 5)
  );
}

/** Whether a value nests no deeper than allowed and has only numbers that survive parse and print. */
function isPlain(value: unknown, levels: number): boolean {
  if (typeof value === 'number') return Math.abs(value) <= Number.MAX_SAFE_INTEGER;
  if (typeof value !== 'object' || value === null) return true;
  if (levels === 0) return false;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) if (!isPlain(value[index], levels - 1)) return false;
    return true;
  }
  for (const key in value) if (!isPlain(value[key as keyof typeof value], levels - 1)) return false;
  return true;
}

function fieldsOf(value: object): number {
  let count = 0;
  for (const _ in value) count++;
  return count;
}

/** What of a `register` frame is as it must be: other faults can be told beside those of its shape. */
export type WellShapedRegistration = Partial<Omit<RegisterFrame, 'capabilities'>> & {
  readonly capabilities: readonly Partial<CapabilityDeclaration>[];
};

/** Leaves out the fields that have another shape, those of capabilities included; each capability keeps its place. */
export function wellShapedRegistration(value: unknown): WellShapedRegistration {
  const { capabilities = [], ...fields } = wellShaped(value, FRAMES.register.shape);
  const each = (capabilities as readonly unknown[]).map((capability) => wellShaped(capability, CAPABILITY));
  return { ...fields, capabilities: each };
}

/** The fields of a call as `POST /v1/call` takes them. */
export type CallBody = Omit<CallFrame, 'type' | 'requestId' | 'serving'> & { readonly requestId?: string };

/** Checks the body of `POST /v1/call`. Throws INVALID_INPUT with every faulty field. */
export function parseCallRequest(value: unknown): CallRequestBody {
  const { shape, nested } = FRAMES.call;
  const { type: _, serving: __, requestId, ...rest } = shape;
  const faults = shapeFaults(value, { ...rest, requestId: optional(requestId ?? anything) }, '', nested);
  const first = faults[0];
  if (first !== undefined) {
    throw new ReachError('INVALID_INPUT', `${first.path}: got ${first.got}, allowed: ${first.allowed}.`, {
      fields: faults,
    });
  }
  const body = value as CallBody;
  return {
    requestId: body.requestId,
    target: body.target,
    params: body.params,
    timeoutMs: body.timeoutMs,
    traceparent: body.traceparent,
    affinityKey: body.affinityKey,
    zone: body.zone,
    headers: body.headers,
    priority: body.priority,
    callback: body.callback,
    taskTimeoutMs: body.taskTimeoutMs,
  };
}

/** How a body differs from the frame that it stands for. */
export interface BodyOptions {
  /** Fields that the address or the server gives. */
  readonly without?: readonly string[];
  /** Fields that the frame needs and the body doesn't. */
  readonly mayLack?: readonly string[];
  /** Fields that the body has beyond those of the frame; somebody else checks them. */
  readonly beside?: readonly string[];
}

/** The faults of a body that has the fields of a frame, as REST takes it. `text` is what the body was parsed from. */
export function bodyFaults(
  type: ClientFrame['type'],
  body: unknown,
  text: string,
  { without = [], mayLack = [], beside = [] }: BodyOptions = {},
): FieldFault[] {
  if (nestsTooDeeply(text, body)) return [tooDeep(type)];
  const { shape, nested } = FRAMES[type];
  const fields = Object.entries(shape)
    .filter(([field]) => field !== 'type' && !without.includes(field))
    .map(([field, check]) => [field, mayLack.includes(field) ? optional(check) : check] as const);
  const besides = beside.map((field) => [field, optional(anything)] as const);
  const faults = shapeFaults(body, Object.fromEntries([...fields, ...besides]), '', nested);
  if (faults.length > 0 || !isObject(body)) return faults;
  const part = PAYLOADS[type];
  if (part !== undefined) faults.push(...unsafeNumbers(text, body[part], part));
  return faults.length > 0 ? faults : faultsTogether(type, body);
}

/** A checked body, with absent fields as undefined. */
export interface CallRequestBody {
  readonly requestId: string | undefined;
  readonly target: CallFrame['target'];
  readonly params: CallFrame['params'];
  readonly timeoutMs: number | undefined;
  readonly traceparent: string | undefined;
  readonly affinityKey: string | undefined;
  readonly zone: string | undefined;
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly priority: number | undefined;
  readonly callback: CallFrame['callback'];
  readonly taskTimeoutMs: number | undefined;
}

/** What a frame is, once parsed. UNUSABLE ends the connection; FAULTY is answered and the connection goes on. */
export type ParsedFrame =
  | { readonly kind: 'FRAME'; readonly frame: ClientFrame }
  | {
      readonly kind: 'FAULTY';
      readonly type: ClientFrame['type'];
      readonly ref: string | undefined;
      readonly error: ReachError;
      /** The frame as it came. */
      readonly value: Readonly<Record<string, unknown>>;
    }
  | { readonly kind: 'UNUSABLE'; readonly reason: string };

/** Parses and checks one message of a client. Never throws. */
export function parseClientFrame(message: string): ParsedFrame {
  let value: unknown;
  try {
    value = JSON.parse(message);
  } catch {
    return { kind: 'UNUSABLE', reason: 'a frame must be JSON' };
  }
  if (!isObject(value)) return { kind: 'UNUSABLE', reason: 'a frame must be a JSON object' };
  const { type } = value;
  if (typeof type !== 'string' || !Object.hasOwn(FRAMES, type)) {
    return { kind: 'UNUSABLE', reason: `unknown frame type ${JSON.stringify(type ?? null).slice(0, 60)}` };
  }
  if (isOrdinary(type, value) && isPlain(type === 'call' ? value.params : value.result, MAX_DEPTH - 1)) {
    return { kind: 'FRAME', frame: value as unknown as ClientFrame };
  }
  const { shape, nested } = FRAMES[type as ClientFrame['type']];
  const faults = shapeFaults(value, shape, '', nested);
  if (nestsTooDeeply(message, value)) {
    faults.length = 0;
    faults.push(tooDeep(type));
  }
  if (faults.length === 0 && MAYBE_UNSAFE.test(message)) {
    const part = PAYLOADS[type as ClientFrame['type']];
    if (part !== undefined) findUnsafe(value[part], part, faults);
  }
  if (faults.length === 0) faults.push(...faultsTogether(type, value));
  if (faults.length === 0) return { kind: 'FRAME', frame: value as unknown as ClientFrame };
  return { kind: 'FAULTY', type: type as ClientFrame['type'], ref: refOf(value), error: faulty(type, faults), value };
}

/** The field of a frame that holds what callers and agents say to each other. */
const PAYLOADS: Partial<Record<ClientFrame['type'], string>> = {
  call: 'params',
  broadcast: 'params',
  result: 'result',
  recalled: 'result',
  progress: 'progress',
};

/** What is wrong with the fields of a frame together, though each by itself is right. */
function faultsTogether(type: string, value: Readonly<Record<string, unknown>>): FieldFault[] {
  const { ok, error, requestId, taskId, state } = value;
  if (type === 'subscribe') return filterFaults(value.stream as SubscribeFrame['stream'], value.filter);
  if ((type === 'result' || state === 'DONE') && ok === false && error === undefined) {
    return [{ path: 'error', got: 'nothing', allowed: 'what went wrong, when ok is false' }];
  }
  if (state === 'DONE' && ok === undefined) {
    return [{ path: 'ok', got: 'nothing', allowed: 'true or false, when state is DONE' }];
  }
  if (type === 'cancel' && (requestId === undefined) === (taskId === undefined)) {
    const got = requestId === undefined ? 'neither' : 'both';
    return [{ path: 'requestId', got, allowed: 'one of requestId and taskId' }];
  }
  return [];
}

/** What the filter of each stream may have. */
const STREAM_FILTERS = {
  health: ['namespace', 'agent', 'capability', 'lifecycle', 'health'],
  routes: ['namespace'],
  tasks: ['taskId'],
} as const satisfies Readonly<Record<SubscribeFrame['stream'], readonly string[]>>;

function filterFaults(stream: SubscribeFrame['stream'], filter: unknown): FieldFault[] {
  const allowed: readonly string[] = STREAM_FILTERS[stream];
  return Object.keys(filter ?? {})
    .filter((field) => !allowed.includes(field))
    .map((field) => ({ path: `filter.${field}`, got: `a field of another stream`, allowed: allowed.join(', ') }));
}

/** Levels of objects and lists in a frame; deeper ones would exhaust the stack of whoever prints them. */
const MAX_DEPTH = 100;

/** Counting brackets is cheap and rules nearly every frame out; only then is the value walked. */
export function nestsTooDeeply(message: string, value: unknown): boolean {
  let open = 0;
  for (let index = 0; index < message.length; index++) {
    const code = message.charCodeAt(index);
    if ((code === 0x5b || code === 0x7b) && ++open > MAX_DEPTH) return deeperThan(value, MAX_DEPTH);
  }
  return false;
}

const tooDeep = (type: string): FieldFault => ({
  path: type === 'call' || type === 'broadcast' ? 'params' : type,
  got: `more than ${MAX_DEPTH} levels`,
  allowed: `at most ${MAX_DEPTH} levels`,
});

function deeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((child) => deeperThan(child, levels - 1));
}

/** Numbers that could be beyond what survives parse and print: sixteen digits, or an exponent. */
const MAYBE_UNSAFE = /\d{16}|\d[eE]/;

/** Numbers beyond ±2^53 or not finite don't survive parse and print; they are refused, never changed. */
export function unsafeNumbers(message: string, value: unknown, path: string): FieldFault[] {
  const faults: FieldFault[] = [];
  if (MAYBE_UNSAFE.test(message)) findUnsafe(value, path, faults);
  return faults;
}

function findUnsafe(value: unknown, path: string, faults: FieldFault[]): void {
  if (typeof value === 'number') {
    if (!(Math.abs(value) <= Number.MAX_SAFE_INTEGER)) {
      faults.push({
        path,
        got: 'a number beyond ±2^53',
        allowed: 'numbers within ±(2^53 − 1); send larger ones as strings',
      });
    }
    return;
  }
  if (typeof value !== 'object' || value === null || faults.length >= 20) return;
  for (const [key, child] of Object.entries(value)) findUnsafe(child, `${path}.${key}`, faults);
}

function faulty(type: string, faults: readonly FieldFault[]): ReachError {
  const first = faults[0];
  const code: ErrorCode =
    type === 'register'
      ? 'INVALID_REGISTRATION'
      : (type === 'call' || type === 'broadcast') && first?.path.startsWith('params')
        ? 'INVALID_PARAMS'
        : 'INVALID_FRAME';
  return new ReachError(code, `${type}: ${first?.path}: got ${first?.got}, allowed: ${first?.allowed}.`, {
    fields: faults,
  });
}

/** What the frame calls itself, so that its sender can tell which one was refused. */
function refOf(value: Readonly<Record<string, unknown>>): string | undefined {
  for (const field of ['requestId', 'id', 'dispatchId', 'instance']) {
    const ref = value[field];
    if (typeof ref === 'string') return ref.slice(0, 128);
  }
  return undefined;
}
