/**
 * What a command is: one file in this folder that exports one of these, and one line in `main.ts`.
 *
 * `run` gets the words after the command's name. It returns when the command is over, for which it heeds
 * `terminal.stop`; it throws a `Mistake` (or lets an `UmweltError` or a system's error pass) for what the person can
 * put right. It writes to `terminal.output` alone.
 */
import type { Terminal } from '../terminal.ts';

export interface Command {
  readonly name: string;
  /** All that `--help` shows, without a last line end. */
  readonly help: string;
  run(words: readonly string[], terminal: Terminal): Promise<void>;
}
