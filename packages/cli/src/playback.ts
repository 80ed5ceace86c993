/**
 * The loop that ticks a world in real time, at a fixed rate.
 *
 * Problem: timers fire late and ticks take time. A loop that waits one period after each tick runs slow; one that catches up
 * without limit gets ever further behind on a machine that is too weak.
 *
 * Method: every tick has a due time, one period after that of the tick before, whenever that tick really ran: late ticks are
 * followed by shorter waits, and lateness does not add up. A loop that is late ticks without waiting, but handles input and
 * output between two ticks. Lateness beyond `DEBT_LIMIT_MS` is dropped and counted in `ticksBehind`: the world then runs
 * slower than requested, but steadily. The first tick of a run does not count as late, since it reports the whole surroundings
 * of all watchers.
 *
 * Steps are always equal: the speed changes how often they come, never their length, so a run's reports do not depend on the
 * machine.
 */
import type { CancelTimer, Clock } from './clock.ts';

/** How far, in milliseconds, the loop may lag and still catch up: a hiccup, not a lack of power. */
const DEBT_LIMIT_MS = 250;

export const MIN_SPEED = 0.01;
export const MAX_SPEED = 1000;

export interface PlaybackOptions {
  readonly clock: Clock;
  /** Milliseconds per tick at speed 1. */
  readonly periodMs: number;
  /** 1 is real time; limited to `MIN_SPEED` and `MAX_SPEED`. */
  readonly speed: number;
  /** Does one tick. Returns whether there is more to play. */
  readonly tick: () => boolean;
}

export class Playback {
  readonly #clock: Clock;
  readonly #periodMs: number;
  readonly #tick: () => boolean;
  #speed = 1;
  #paused = false;
  #ended = false;
  #ticksBehind = 0;
  /** Due time of the next tick, by the clock; NaN: timing starts anew. */
  #dueMs = Number.NaN;
  #cancelTimer: CancelTimer = () => {};
  readonly #end = Promise.withResolvers<void>();

  constructor({ clock, periodMs, speed, tick }: PlaybackOptions) {
    this.#clock = clock;
    this.#periodMs = periodMs;
    this.#tick = tick;
    this.#speed = withinSpeeds(speed);
  }

  get paused(): boolean {
    return this.#paused;
  }

  get speed(): number {
    return this.#speed;
  }

  /** Ticks dropped since the loop began, last continued after a pause, or changed its speed. */
  get ticksBehind(): number {
    return this.#ticksBehind;
  }

  /** Ticks until there is nothing more to play, or until `stop`. Rejects with what a tick throws. Call it once. */
  run(): Promise<void> {
    if (!this.#ended && !this.#paused) this.#restart();
    return this.#end.promise;
  }

  play(): void {
    if (!this.#paused || this.#ended) return;
    this.#paused = false;
    this.#restart();
  }

  pause(): void {
    this.#paused = true;
    this.#cancelTimer();
  }

  /** One tick, at once; pauses a loop that is playing. */
  step(): void {
    this.pause();
    if (!this.#ended) this.#tickOnce();
  }

  /** Speeds outside `MIN_SPEED` and `MAX_SPEED` are clamped; values that are no number are ignored. */
  setSpeed(factor: number): void {
    if (Number.isNaN(factor)) return;
    this.#speed = withinSpeeds(factor);
    this.#ticksBehind = 0;
    if (this.#paused || this.#ended || Number.isNaN(this.#dueMs)) return;
    // Never later than before: so a stream of changes from a slider neither starves nor floods the loop.
    const now = this.#clock.now();
    this.#dueMs = Math.max(now, Math.min(this.#dueMs, now + this.#stepMs));
    this.#wakeAfter(Math.ceil(this.#dueMs - now));
  }

  /** Ends the loop: no further tick, and `run` resolves. */
  stop(): void {
    this.#ended = true;
    this.#cancelTimer();
    this.#end.resolve();
  }

  get #stepMs(): number {
    return this.#periodMs / this.#speed;
  }

  /** Drops the lateness and ticks as soon as possible. */
  #restart(): void {
    this.#dueMs = Number.NaN;
    this.#ticksBehind = 0;
    this.#wakeAfter(0);
  }

  #wakeAfter(delayMs: number): void {
    this.#cancelTimer();
    this.#cancelTimer = this.#clock.after(delayMs, () => this.#wake());
  }

  #wake(): void {
    const waitMs = this.#dueMs - this.#clock.now();
    if (waitMs > 0) {
      this.#wakeAfter(Math.ceil(waitMs));
      return;
    }
    this.#tickOnce();
    if (this.#ended || this.#paused) return;
    const stepMs = this.#stepMs;
    const now = this.#clock.now();
    this.#dueMs = Number.isNaN(this.#dueMs) ? now + stepMs : this.#dueMs + stepMs;
    const owedTicks = Math.floor((now - this.#dueMs - DEBT_LIMIT_MS) / stepMs);
    if (owedTicks > 0) {
      this.#ticksBehind += owedTicks;
      this.#dueMs += owedTicks * stepMs;
    }
    this.#wakeAfter(Math.max(0, Math.ceil(this.#dueMs - now)));
  }

  #tickOnce(): void {
    try {
      if (!this.#tick()) this.stop();
    } catch (error) {
      this.#end.reject(error);
      this.stop();
    }
  }
}

function withinSpeeds(factor: number): number {
  return Math.min(MAX_SPEED, Math.max(MIN_SPEED, factor));
}
