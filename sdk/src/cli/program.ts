import { Command } from 'commander';
import { CLIENT_VERSION } from '../client/index.js';
import { addAuditCommand } from './audit-command.js';
import { addCallCommand } from './call-command.js';
import { EXIT, reportFailure } from './failure.js';
import type { Io } from './io.js';
import { addCancelCommand, addTaskCommand } from './task-commands.js';
import { addWatchCommand } from './watch-command.js';

const EPILOGUE = `
Environment: REACH_URL and REACH_TOKEN (prefer it to --token, which others see in the list of processes).
Exit codes: ${EXIT.OK} done, ${EXIT.FAILED} failed, ${EXIT.USAGE} wrong input, ${EXIT.NOT_ALLOWED} not allowed, \
${EXIT.TRY_AGAIN} failed and may be repeated, ${EXIT.BUSINESS} business error, ${EXIT.INTERRUPTED} interrupted.
Example: reach call order_query --params '{"orderId":"A-1017"}'`;

/** Runs the `reach` command and answers with its exit code. */
export async function runProgram(args: readonly string[], io: Io): Promise<number> {
  const program = new Command('reach')
    .description('Call agents and watch them, through Agent-Reach.')
    .version(CLIENT_VERSION)
    .option('--url <url>', 'the server; default $REACH_URL, else http://127.0.0.1:4000')
    .option('--token <token>', 'default $REACH_TOKEN')
    .configureOutput({ writeOut: (text) => io.out(text.trimEnd()), writeErr: (text) => io.err(text.trimEnd()) })
    .addHelpText('after', EPILOGUE)
    .showHelpAfterError('(see `reach help`)')
    .exitOverride();
  addCallCommand(program, io);
  addTaskCommand(program, io);
  addCancelCommand(program, io);
  addWatchCommand(program, io);
  addAuditCommand(program, io);
  try {
    await program.parseAsync([...args], { from: 'user' });
    return io.interrupted.aborted ? EXIT.INTERRUPTED : EXIT.OK;
  } catch (error) {
    return reportFailure(error, io);
  }
}
