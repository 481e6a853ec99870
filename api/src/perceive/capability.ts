import type { RouteCapability } from '@agent-reach/sdk/decide';
import type { FieldFault } from '@agent-reach/sdk/protocol';
import type { CapabilityRecord } from './model.js';
import { RecentMean } from './recent-mean.js';
import { compileInput, compileOutput, type Validator } from './schemas/compile.js';

const anything: Validator = () => undefined;

/** A capability in the route table: what routing needs, and its compiled schemas. */
export class LiveCapability implements RouteCapability {
  #input: Validator | undefined;
  #output: Validator | undefined;
  /** How long calls took lately; the source of dynamic timeouts. */
  readonly latency = new RecentMean();

  readonly name: string;
  readonly aliases: readonly string[];
  readonly tags: readonly string[];
  readonly idempotent: boolean;
  readonly mode: CapabilityRecord['mode'];

  constructor(readonly record: CapabilityRecord) {
    this.name = record.name;
    this.aliases = record.aliases;
    this.tags = record.tags;
    this.idempotent = record.idempotent;
    this.mode = record.mode;
  }

  /** Faults of parameters; undefined when they match. Compiled at the first use, so that a start is quick. */
  inputFaults(params: unknown): readonly FieldFault[] | undefined {
    this.#input ??= compileInput(this.record.inputSchema);
    return this.#input(params);
  }

  /** Faults of a result; undefined when it matches or no schema was declared. */
  outputFaults(result: unknown): readonly FieldFault[] | undefined {
    this.#output ??= this.record.outputSchema === undefined ? anything : compileOutput(this.record.outputSchema);
    return this.#output(result);
  }
}
