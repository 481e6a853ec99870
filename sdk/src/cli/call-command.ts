import type { Command } from 'commander';
import { Faults } from '../client/faults.js';
import { type JsonObject, ReachError } from '../client/index.js';
import { WIRE_LIMITS } from '../protocol/index.js';
import type { Io } from './io.js';
import { taskLine } from './task-lines.js';
import { type Access, withReach } from './with-reach.js';

interface CallOptions extends Access {
  readonly params: string;
  readonly agent?: string;
  readonly type?: string;
  readonly namespace?: string;
  readonly tag?: string[];
  readonly zone?: string;
  readonly affinityKey?: string;
  readonly requestId?: string;
  readonly timeout: string;
  readonly taskTimeout?: string;
  readonly priority?: string;
  readonly detach?: boolean;
  readonly verbose?: boolean;
}

/** Adds `reach call`. */
export function addCallCommand(program: Command, io: Io): void {
  program
    .command('call')
    .description('call an agent by what it can do, and print the result as JSON; a task is followed to its end')
    .argument('[capability]', 'name or alias; may be left out with --agent when that agent has exactly one')
    .option('-p, --params <json>', 'parameters as a JSON object; @file reads a file, - reads standard input', '{}')
    .option('--agent <id>', 'only this agent')
    .option('--type <type>', 'only agents of this type')
    .option('--namespace <id>', "the target's namespace; default your own")
    .option('--tag <tag...>', 'only capabilities with all of these tags')
    .option('--zone <zone>', 'prefer instances of this zone')
    .option('--affinity-key <key>', 'keep calls with this key on one instance')
    .option('--request-id <id>', 'name of the call; repeating it is the same call')
    .option('--timeout <ms>', 'time for everything, in ms; of a task: for its acceptance', '30000')
    .option('--task-timeout <ms>', 'time from the acceptance of a task to its end, in ms; default 15 minutes')
    .option('--priority <0-9>', 'where calls wait for room, higher goes first; default 5')
    .option('--detach', 'end when the task is accepted, and print its id: see `reach task` and `reach cancel`')
    .option('-v, --verbose', 'tell on stderr who answered, after how many attempts')
    .action((capability: string | undefined, _options: unknown, command: Command) =>
      call(capability, command.optsWithGlobals<CallOptions>(), io),
    );
}

async function call(capability: string | undefined, options: CallOptions, io: Io): Promise<void> {
  const params = await readParams(options.params, io);
  const numbers = readNumbers(options);
  const request = {
    ...pick(options, ['agent', 'type', 'namespace', 'zone', 'affinityKey', 'requestId']),
    ...(capability === undefined ? {} : { capability }),
    ...(options.tag === undefined ? {} : { tags: options.tag }),
    ...numbers,
    params,
    signal: io.interrupted,
  };
  await withReach(options, io, async (reach) => {
    if (options.detach) {
      io.out((await reach.startTask(request)).taskId);
      return;
    }
    const startedAt = performance.now();
    const outcome = await reach.callDetailed({ ...request, onUpdate: (task) => io.err(taskLine(task)) });
    io.out(JSON.stringify(outcome.result, null, 2));
    if (!options.verbose) return;
    const { instance = 'nobody', attempts, requestId, replayed, cached, fallback, traceId } = outcome;
    io.err(
      `answered by ${instance} in ${(performance.now() - startedAt).toFixed(1)} ms, attempts ${attempts}, requestId ` +
        `${requestId}${traceId === undefined ? '' : `, trace ${traceId}`}${replayed ? ', replayed' : ''}` +
        `${cached ? ', cached' : ''}${fallback === undefined ? '' : `, fallback ${fallback}`}`,
    );
  });
}

/** Options that are numbers, and the fields of the request that they fill. */
const NUMBERS = [
  ['timeout', '--timeout', 'timeoutMs', 1, WIRE_LIMITS.maxTimeoutMs],
  ['taskTimeout', '--task-timeout', 'taskTimeoutMs', 1_000, WIRE_LIMITS.maxTaskTimeoutMs],
  ['priority', '--priority', 'priority', 0, WIRE_LIMITS.maxPriority],
] as const;

/** Throws INVALID_INPUT with every option that is no such number, by the name that was typed. */
function readNumbers(options: CallOptions): { [Field in (typeof NUMBERS)[number][2]]?: number } {
  const faults = new Faults();
  const read: { [Field in (typeof NUMBERS)[number][2]]?: number } = {};
  for (const [option, flag, field, least, most] of NUMBERS) {
    const typed = options[option];
    if (typed === undefined) continue;
    const value = /^\d+$/.test(typed) ? Number(typed) : typed;
    faults.integer(flag, value, least, most);
    read[field] = Number(value);
  }
  faults.raise('call');
  return read;
}

async function readParams(given: string, io: Io): Promise<JsonObject> {
  let text = given;
  if (given === '-') text = await io.readInput();
  else if (given.startsWith('@')) text = await io.readFile(given.slice(1));
  let params: unknown;
  try {
    params = JSON.parse(text);
  } catch (error) {
    throw badParams(error instanceof Error ? error.message : String(error));
  }
  if (typeof params !== 'object' || params === null || Array.isArray(params)) throw badParams('it is not an object');
  return params as JsonObject;
}

const badParams = (problem: string) =>
  new ReachError('INVALID_INPUT', `--params: ${problem}`, {
    fields: [{ path: 'params', got: problem, allowed: `a JSON object, such as '{"orderId":"A-17"}'` }],
  });

/** The given properties, without those that have no value. */
function pick<T extends object, K extends keyof T>(from: T, keys: readonly K[]): Partial<Pick<T, K>> {
  const picked: Partial<Pick<T, K>> = {};
  for (const key of keys) if (from[key] !== undefined) picked[key] = from[key];
  return picked;
}
