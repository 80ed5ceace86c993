/**
 * Plays a recording to its end in the background, so that a page can show where in it much happened, before the user has been
 * there.
 *
 * It works in slices while a page is open and no seek is under way, and rests in between: half of the time while the shown
 * world is paused, else three quarters. If its ticks are expensive it keeps checkpoints, far apart, for later seeks. When it is
 * done, its world is dropped.
 */
import { type Changes, type DetectorName, Replay } from 'umwelt';
import type { CancelTimer, Clock } from '../clock.ts';

const SLICE_MS = 10;
const REST_MIN_MS = 10;
/** Interval of checks whether there is work. */
const IDLE_MS = 200;
/** A checkpoint is kept where replaying to it would take longer than this. */
const REDO_MS = 500;

export interface SurveyOptions {
  readonly clock: Clock;
  /** Replaces the recorded one, which may be a user's own: a recording does not contain that. */
  readonly detector?: DetectorName | undefined;
  /** `undefined`: do not work now. `resting`: the shown world is paused, at tick `near`. */
  readonly occasion: () => { resting: boolean; near: number } | undefined;
  readonly onTick: (tick: number, changes: Changes) => void;
}

export class ChurnSurvey {
  readonly #options: SurveyOptions;
  #replay: Replay | undefined;
  #stepMs = 0;
  #cancelTimer: CancelTimer = () => {};

  /** Surveys the recording that `replay` plays, and shares its checkpoints. */
  constructor(replay: Replay, options: SurveyOptions) {
    this.#options = options;
    const { detector } = options;
    this.#replay = new Replay(replay, detector === undefined ? {} : { detector });
    this.#after(IDLE_MS);
  }

  /** Whether every tick has been played. */
  get isDone(): boolean {
    return this.#replay === undefined;
  }

  stop(): void {
    this.#cancelTimer();
    this.#replay = undefined;
  }

  #after(delayMs: number): void {
    this.#cancelTimer = this.#options.clock.after(delayMs, () => this.#work());
  }

  #work(): void {
    const { clock, occasion } = this.#options;
    const now = occasion();
    if (now === undefined) {
      this.#after(IDLE_MS);
      return;
    }
    const startMs = clock.now();
    let isMore = true;
    while (isMore && clock.now() - startMs < SLICE_MS) isMore = this.#play(now.near);
    const spentMs = clock.now() - startMs;
    if (isMore) this.#after(Math.max(REST_MIN_MS, spentMs * (now.resting ? 1 : 3)));
    else this.stop();
  }

  /** False at the end; also if the recording cannot be played further, which is reported when it is played there. */
  #play(near: number): boolean {
    const replay = this.#replay;
    const { clock, onTick } = this.#options;
    if (replay === undefined) return false;
    const startMs = clock.now();
    try {
      if (replay.step() === undefined) return false;
    } catch {
      return false;
    }
    this.#stepMs += (clock.now() - startMs - this.#stepMs) * 0.1;
    onTick(replay.tick, replay.world.lastChanges);
    if (replay.ticksToRedo * this.#stepMs > REDO_MS) replay.keep(near);
    return true;
  }
}
