import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { EXIT } from './failure.js';
import { runProgram } from './program.js';

const interrupt = new AbortController();
process.once('SIGINT', () => interrupt.abort());
process.once('SIGTERM', () => interrupt.abort());
// A reader that has gone away (`reach watch | head`) is no failure.
process.stdout.on('error', () => interrupt.abort());

process.exitCode = await runProgram(process.argv.slice(2), {
  env: process.env,
  out: (line) => process.stdout.write(`${line}\n`),
  err: (line) => process.stderr.write(`${line}\n`),
  readInput: () => text(process.stdin),
  readFile: (path) => readFile(path, 'utf8'),
  run: async (program, args) => {
    const [code] = await once(spawn(process.execPath, [program, ...args], { stdio: 'inherit' }), 'close');
    return typeof code === 'number' ? code : EXIT.INTERRUPTED;
  },
  interrupted: interrupt.signal,
});
