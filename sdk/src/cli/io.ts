/** What the command reads and writes; tests bring their own. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>;
  out(line: string): void;
  err(line: string): void;
  /** All of standard input. */
  readInput(): Promise<string>;
  readFile(path: string): Promise<string>;
  /** Runs another program of Node in the same terminal and answers with its exit code. */
  run(program: string, args: readonly string[]): Promise<number>;
  /** Aborted when the user ends the command (Ctrl-C). */
  readonly interrupted: AbortSignal;
}
