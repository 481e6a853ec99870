import type { WelcomeFrame } from '../protocol/index.js';
import type { Execution } from './execution.js';
import { failureOf } from './failures.js';
import { isOver, tooLarge } from './frame-size.js';
import type { LogLevel } from './options.js';
import { failureText, type OutcomeText, successText } from './outcome-text.js';
import { isThenable } from './when-there.js';

/** What running handlers needs. */
export interface RunnerHost {
  readonly welcome: WelcomeFrame | undefined;
  log(level: LogLevel, message: string): void;
}

/** What a frame has beside the outcome at most, in bytes. */
const ENVELOPE_BYTES = 160;

/** Runs handlers, and makes an outcome of what they return or throw. */
export class Runner {
  constructor(
    private readonly host: RunnerHost,
    /** Called once for each run. Without an outcome there is nothing to tell. */
    private readonly ended: (execution: Execution, outcome: OutcomeText | undefined) => void,
  ) {}

  run(execution: Execution): void {
    const { handler } = execution.work;
    if (handler === undefined) {
      this.fail(execution, new Error(`this instance has no handler for ${execution.capability}`));
      return;
    }
    let outcome: unknown;
    try {
      outcome = handler(execution.frame.params, execution);
    } catch (thrown) {
      this.fail(execution, thrown);
      return;
    }
    if (isThenable(outcome))
      outcome.then(
        (result) => this.succeed(execution, result),
        (thrown) => this.fail(execution, thrown),
      );
    else this.succeed(execution, outcome);
  }

  /** Ends an execution as the failure that was thrown. */
  fail(execution: Execution, thrown: unknown): void {
    const error = failureOf(thrown);
    if (error.code === 'AGENT_ERROR' && execution.cancelled === undefined)
      this.host.log('error', `${execution.capability} (${execution.requestId}) failed: ${traceOf(thrown)}`);
    // The server ended a cancelled attempt when it sent the cancel; only a success could still be of use to it, or the
    // end of what must not be executed again.
    const silent = execution.cancelled !== undefined && execution.work.idempotent;
    this.ended(execution, silent ? undefined : failureText(error));
  }

  private succeed(execution: Execution, result: unknown): void {
    let text: OutcomeText;
    try {
      text = successText(result);
    } catch (thrown) {
      this.fail(execution, new Error('the result cannot be written as JSON', { cause: thrown }));
      return;
    }
    const maxFrameBytes = this.host.welcome?.limits.maxFrameBytes ?? Number.POSITIVE_INFINITY;
    const maxBytes = maxFrameBytes - ENVELOPE_BYTES;
    if (isOver(text, maxBytes)) this.fail(execution, tooLarge('result', text, maxBytes));
    else this.ended(execution, text);
  }
}

const traceOf = (thrown: unknown) => (thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown));
