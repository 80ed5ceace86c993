/**
 * The live line under a running world.
 *
 * On a terminal it is one line, written over four times a second, and never longer than the window is wide: where it
 * would be, counts are shortened first, then the detector's name gives way, then whole figures are dropped from the
 * end. Elsewhere (a file, a log) it is a plain line every five seconds. What is written between two updates must go through `print`, so that the line
 * stays the last one.
 */
import type { CancelTimer, Clock } from './clock.ts';
import type { Output } from './terminal.ts';

export interface Status {
  readonly entities: number;
  readonly relations: number;
  /** Whose tick times these are. */
  readonly detector: string;
  /** Pairs that entered, left or were sensed. */
  readonly eventsPerSecond: number;
  readonly tickMsMedian: number;
  readonly tickMsP99: number;
  readonly ticksBehind: number;
  readonly ticksPerSecond: number;
  /** Shown first, when there is something out of the ordinary to say: paused, at the end. */
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

  /** Writes a line of its own above the live one. */
  print(line: string): void {
    this.#erase();
    this.#output.write(`${line}\n`);
  }

  /** Shows the line no more, and leaves an empty one in its place. */
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
  // The name is there where it costs no figure.
  return (named.length < short.length ? short : named).join(' | ').slice(0, width);
}

/** As many of the first as there is room for, but one at least. */
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

/** Whole, with a comma between thousands, on every machine alike. */
export function fullCount(number: number): string {
  return String(Math.round(number)).replace(/\B(?=(\d{3})+$)/gu, ',');
}

/** At most four letters and digits up to a thousand million: 950, 12.3k, 4.56M. */
export function shortCount(number: number): string {
  const whole = Math.round(number);
  if (whole < 1000) return String(whole);
  const exponent = whole < 999_500 ? 1 : whole < 999_500_000 ? 2 : 3;
  const unit = ['', 'k', 'M', 'G'][exponent] as string;
  const scaled = whole / 1000 ** exponent;
  return `${scaled < 9.995 ? scaled.toFixed(2) : scaled < 99.95 ? scaled.toFixed(1) : scaled.toFixed(0)}${unit}`;
}

/** Three digits that matter, below a second. */
export function milliseconds(ms: number): string {
  return ms.toFixed(ms < 10 ? 2 : ms < 100 ? 1 : 0);
}
