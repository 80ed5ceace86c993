/**
 * Shows on stderr what is being measured: on a terminal one line that is overwritten, elsewhere one line per crowd.
 *
 * Output to stdout between two updates must come after `clear`, otherwise it would be appended to the line.
 */
import type { Clock } from '../clock.ts';
import type { Output } from '../terminal.ts';
import type { Progress } from './measure.ts';

const ERASE_LINE = '\r\u001b[2K';

export class ProgressLine {
  readonly #output: Output;
  readonly #clock: Clock;
  readonly #startedMs: number;
  #isShown = false;
  #lastCrowd = '';

  constructor(output: Output, clock: Clock) {
    this.#output = output;
    this.#clock = clock;
    this.#startedMs = clock.now();
  }

  show(progress: Progress): void {
    const { crowd, contender, done, all, round, rounds } = progress;
    const place = `${minutes(this.#clock.now() - this.#startedMs)}  crowd ${done + 1} of ${all}: ${crowd}`;
    if (!this.#output.isTTY) {
      if (crowd !== this.#lastCrowd) this.#output.write(`${place}\n`);
      this.#lastCrowd = crowd;
      return;
    }
    const line = `${place}, ${contender}, round ${round} of ${rounds}`;
    // The last column stays free: some terminals wrap as soon as it is written.
    this.#output.write(ERASE_LINE + line.slice(0, (this.#output.columns || 80) - 1));
    this.#isShown = true;
  }

  clear(): void {
    if (this.#isShown) this.#output.write(ERASE_LINE);
    this.#isShown = false;
  }
}

/** 65,000 ms as 1:05. */
function minutes(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
