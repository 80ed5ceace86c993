/**
 * A command: one file in this folder that exports a `Command`, and one line in `main.ts`.
 *
 * `run` gets the words after the command's name. It returns when the command is done; it must watch `terminal.stop`. It throws
 * a `Mistake` (or passes on an `UmweltError` or a system error) for what the user can fix. It writes only to
 * `terminal.output`.
 */
import type { Terminal } from '../terminal.ts';

export interface Command {
  readonly name: string;
  /** The complete output of `--help`, without a final newline. */
  readonly help: string;
  run(words: readonly string[], terminal: Terminal): Promise<void>;
}
