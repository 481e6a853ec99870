import { relative } from 'node:path';

/** What a person sees while the server starts and stops: plain text on stdout, apart from the log. */
export interface Screen {
  /** A step is done. */
  done(text: string): void;
  line(text: string): void;
}

export function openScreen(output: { write(text: string): unknown }): Screen {
  return {
    done: (text) => void output.write(`  ✓ ${text}\n`),
    line: (text) => void output.write(`${text}\n`),
  };
}

/** Where everything can be reached. */
export interface Addresses {
  readonly apiUrl: string;
  readonly consoleUrl: string | undefined;
  readonly signInLink: string | undefined;
}

/** The text with which the start ends; every address ends its line, so that programs can read it too. */
export function greeting({ consoleUrl, apiUrl, signInLink }: Addresses, logFile: string | undefined): string {
  const lines = [
    '',
    consoleUrl === undefined ? undefined : `  Console  ${consoleUrl}`,
    signInLink === undefined ? undefined : `  Sign in  ${signInLink}`,
    signInLink === undefined ? undefined : '           (once, within 15 minutes; it sets your password)',
    `  API      ${apiUrl}`,
    '',
    logFile === undefined ? undefined : `  The log is in ${relative(process.cwd(), logFile)}.`,
    '  Ctrl-C stops everything.',
    '',
  ];
  return lines.filter((line) => line !== undefined).join('\n');
}
