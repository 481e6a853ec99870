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

  constructor(readonly record: CapabilityRecord) {}

  get name(): string {
    return this.record.name;
  }
  get aliases(): readonly string[] {
    return this.record.aliases;
  }
  get tags(): readonly string[] {
    return this.record.tags;
  }
  get idempotent(): boolean {
    return this.record.idempotent;
  }
  get mode(): CapabilityRecord['mode'] {
    return this.record.mode;
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
