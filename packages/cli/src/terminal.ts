/**
 * A command's output, and what else it takes from its process.
 *
 * Commands get this passed in and never use `process`: a test runs one with a list as output and a manual clock.
 */
import type { Clock } from './clock.ts';

export interface Output {
  write(text: string): unknown;
  /** Whether the output is a terminal: then a line may be overwritten. */
  readonly isTTY?: boolean;
  /** Width in characters, if known; it changes with the window. */
  readonly columns?: number;
}

export interface Terminal {
  readonly output: Output;
  readonly clock: Clock;
  /** Environment variables; absent: none. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Aborted when the user, or the system, wants the command to stop. */
  readonly stop: AbortSignal;
}
