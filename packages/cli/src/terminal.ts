/**
 * Where a command writes, and what else it takes from the process it runs in.
 *
 * Commands get it passed in and never touch `process`: a test plays one with a list for its output and a clock that
 * it turns by hand.
 */
import type { Clock } from './clock.ts';

export interface Output {
  write(text: string): unknown;
  /** Whether a person watches: then a line may be written over. */
  readonly isTTY?: boolean;
  /** Width in characters, where there is one; it changes as a window does. */
  readonly columns?: number;
}

export interface Terminal {
  readonly output: Output;
  readonly clock: Clock;
  /** Variables by name; none where absent. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Aborted when the person, or the system, wants the command to end. */
  readonly stop: AbortSignal;
}
