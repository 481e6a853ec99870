import { CommanderError } from 'commander';
import { CallError } from '../client/index.js';
import { ERRORS, ReachError } from '../protocol/index.js';
import type { Io } from './io.js';

/** How the command ends. Documented in its help. */
export const EXIT = {
  OK: 0,
  FAILED: 1,
  USAGE: 2,
  NOT_ALLOWED: 3,
  TRY_AGAIN: 4,
  BUSINESS: 5,
  INTERRUPTED: 130,
} as const;

/** Ends the command with a code when all has been said. */
export class ExitWith extends Error {
  constructor(readonly code: number) {
    super(`exit with ${code}`);
  }
}

/** Tells what went wrong and what to do about it, and answers with the exit code. */
export function reportFailure(thrown: unknown, io: Io): number {
  // Commander has printed its message already; help and version end without a failure.
  if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? EXIT.OK : EXIT.USAGE;
  if (thrown instanceof ExitWith) return thrown.code;
  if (io.interrupted.aborted) return EXIT.INTERRUPTED;
  if (!(thrown instanceof ReachError)) {
    io.err(`reach: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
    return EXIT.FAILED;
  }
  io.err(`${thrown.code}: ${thrown.message}`);
  for (const { path, got, allowed } of thrown.fields ?? []) {
    const fault = `${path}: got ${got}, allowed: ${allowed}`;
    // The message tells one of them, or all.
    if (!thrown.message.includes(fault)) io.err(`  ${fault}`);
  }
  if (thrown.details !== undefined) io.err(`  details: ${JSON.stringify(thrown.details)}`);
  io.err(`  ${ERRORS[thrown.code]?.advice ?? 'This version of the command does not know the code.'}`);
  if (thrown.retryAfterMs !== undefined) io.err(`  retryAfterMs: ${thrown.retryAfterMs}`);
  if (thrown instanceof CallError) io.err(`  requestId ${thrown.requestId}, attempts ${thrown.attempts}`);
  return exitCodeOf(thrown);
}

function exitCodeOf(error: ReachError): number {
  switch (error.code) {
    case 'INVALID_INPUT':
    case 'INVALID_PARAMS':
    case 'SENSITIVE_PARAM':
      return EXIT.USAGE;
    case 'UNAUTHENTICATED':
    case 'DENIED':
      return EXIT.NOT_ALLOWED;
    case 'BUSINESS_ERROR':
      return EXIT.BUSINESS;
    default:
      return error.retryable ? EXIT.TRY_AGAIN : EXIT.FAILED;
  }
}
