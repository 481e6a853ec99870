/** What the command reads and writes; tests bring their own. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>;
  out(line: string): void;
  err(line: string): void;
  /** All of standard input. */
  readInput(): Promise<string>;
  readFile(path: string): Promise<string>;
  /** Aborted when the user ends the command (Ctrl-C). */
  readonly interrupted: AbortSignal;
}
