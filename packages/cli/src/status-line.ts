/**
 * The live status line of a running world.
 *
 * On a terminal it is one line, overwritten four times per second, and never wider than the window: if it would be, counts are
 * shortened first, then the detector's name is dropped, then whole figures from the end. Elsewhere (a file, a log) it is a
 * plain line every five seconds. Other output must go through `print`, so that the status line stays last.
 */
import type { CancelTimer, Clock } from './clock.ts';
import { fullCount, milliseconds, shortCount } from './numbers.ts';
import type { Output } from './terminal.ts';

export interface Status {
  readonly entities: number;
  readonly relations: number;
  /** The detector that the tick times belong to. */
  readonly detector: string;
  /** Pairs that entered, left or were sensed. */
  readonly eventsPerSecond: number;
  readonly tickMsMedian: number;
  readonly tickMsP99: number;
  readonly ticksBehind: number;
  readonly ticksPerSecond: number;
  /** Shown first, for unusual states: paused, at the end. */
  readonly state?: string;
}

export const LIVE_INTERVAL_MS = 250;
export const PLAIN_INTERVAL_MS = 5000;

const ERASE_LINE = '\r\u001b[2K';

export class StatusLine {
  readonly #output: Output;
  readonly #clock: Clock;
  readonly #status: () => Status;
  #shown = false;
  #cancelTimer: CancelTimer = () => {};

  constructor(output: Output, clock: Clock, status: () => Status) {
    this.#output = output;
    this.#clock = clock;
    this.#status = status;
  }

  start(): void {
    const intervalMs = this.#output.isTTY ? LIVE_INTERVAL_MS : PLAIN_INTERVAL_MS;
    this.#cancelTimer = this.#clock.after(intervalMs, () => {
      this.#show();
      this.start();
    });
  }

  /** Writes a line above the status line. */
  print(line: string): void {
    this.#erase();
    this.#output.write(`${line}\n`);
  }

  /** Removes the status line, and leaves an empty line in its place. */
  stop(): void {
    this.#cancelTimer();
    this.#erase();
  }

  #show(): void {
    const { isTTY, columns } = this.#output;
    if (!isTTY) {
      this.#output.write(`${statusText(this.#status(), Number.POSITIVE_INFINITY)}\n`);
      return;
    }
    // The last column stays free: some terminals wrap as soon as it is written.
    this.#output.write(ERASE_LINE + statusText(this.#status(), (columns || 80) - 1));
    this.#shown = true;
  }

  #erase(): void {
    if (this.#shown) this.#output.write(ERASE_LINE);
    this.#shown = false;
  }
}

/** The status in one line of at most `width` characters. */
export function statusText(status: Status, width: number): string {
  const full = parts(status, fullCount, `${status.detector} tick ms`).join(' | ');
  if (full.length <= width) return full;
  const short = fitting(parts(status, shortCount, 'tick ms'), width);
  const named = fitting(parts(status, shortCount, `${status.detector} ms`), width);
  // Include the name only if no figure must be dropped for it.
  return (named.length < short.length ? short : named).join(' | ').slice(0, width);
}

/** As many of the first parts as fit, but at least one. */
function fitting(parts: string[], width: number): string[] {
  while (parts.length > 1 && parts.join(' | ').length > width) parts.pop();
  return parts;
}

function parts(status: Status, count: (number: number) => string, tickLabel: string): string[] {
  return [
    ...(status.state === undefined ? [] : [status.state]),
    `${count(status.entities)} entities`,
    `${count(status.relations)} relations`,
    `${count(status.eventsPerSecond)} events/s`,
    `${tickLabel} p50 ${milliseconds(status.tickMsMedian)} p99 ${milliseconds(status.tickMsP99)}`,
    `${count(status.ticksBehind)} behind`,
    `${status.ticksPerSecond.toFixed(1)} ticks/s`,
  ];
}
