/**
 * Plays a recording to its end behind the scenes, so that a page can show where in it something happened, before anybody
 * has been there.
 *
 * It works in slices while somebody looks and no seek is under way, and rests in between: half of the time while what is
 * shown stands still, else three quarters. Where its ticks are dear it keeps checkpoints, far apart, so that seeks find
 * something to go on from. When it is through, its world is given up.
 */
import { type Changes, Replay } from 'umwelt';
import type { CancelTimer, Clock } from '../clock.ts';

const SLICE_MS = 10;
const REST_MIN_MS = 10;
/** Between two looks at whether there is something to do. */
const IDLE_MS = 200;
/** A checkpoint is kept where coming back would take longer than this. */
const REDO_MS = 500;

export interface SurveyOptions {
  readonly clock: Clock;
  /** `undefined`: now is no time for it. `resting`: what is shown stands still, at that tick. */
  readonly occasion: () => { resting: boolean; near: number } | undefined;
  readonly onTick: (tick: number, changes: Changes) => void;
}

export class ChurnSurvey {
  readonly #options: SurveyOptions;
  #replay: Replay | undefined;
  #stepMs = 0;
  #cancelTimer: CancelTimer = () => {};

  /** Of the recording that `replay` plays; it shares the checkpoints. */
  constructor(replay: Replay, options: SurveyOptions) {
    this.#options = options;
    this.#replay = new Replay(replay);
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

  /** False at the end; also where the recording cannot be played on, which whoever plays it to there will be told. */
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
