/**
 * A recording that is looked at: played on tick by tick, and sought through, forward and back, while others go on.
 *
 * Problem: to come to a tick, those since the nearest state before it must be played, and that may take seconds. Nobody
 * should wait meanwhile, and whoever drags a handle wants the last place that it was dragged to, and none before.
 *
 * Method: a seek plays in slices of `SLICE_MS`, with a turn for input and output in between; another seek takes its place
 * at once. Where the tick lies ahead and no stored state is nearer, the world that is shown plays on, and is shown on its
 * way. Else a second replay plays behind the scenes, and is shown when it is there; what was shown stays whole till then,
 * and becomes the second. Where going back would take long, checkpoints are kept on the way, close together where one is
 * and farther apart elsewhere (see `Replay.keep`): at most `CHECKPOINT_BYTES` of them.
 */
import { type Changes, type DetectorName, Replay, type ReplayedTick, type World } from 'umwelt';
import type { CancelTimer, Clock } from '../clock.ts';

export const CHECKPOINT_BYTES = 256 << 20;

/** How long a seek keeps the process to itself: shorter than a frame of a page. */
const SLICE_MS = 12;
/** A checkpoint is kept where coming back would take longer than this, or than some times what keeping one takes. */
const REDO_MS = 60;
const REDO_KEEPS = 4;
/** One that was made in vain is not made again before so many times what it took. */
const KEEP_PAUSE = 50;
/** Between two words on how far a seek is. */
const PROGRESS_MS = 100;

export interface PlayerListener {
  /** A tick was played, shown or not. */
  onTick(tick: number, changes: Changes): void;
  /** The shown world has come to another tick. */
  onShow(): void;
  /** How far a seek is, 0 to 1; 1 once it is there, after `onShow`. */
  onSeek(tick: number, progress: number): void;
  /** The first tick that reports something else than was recorded. */
  onDifference(difference: ReplayedTick): void;
  /** What the recording holds cannot be played. */
  onFault(error: unknown): void;
}

export class ReplayPlayer {
  readonly #clock: Clock;
  readonly #listener: PlayerListener;
  /** What is shown. */
  #front: Replay;
  #back: Replay | undefined;
  #detector: DetectorName | undefined;
  /** The tick that is sought, by whom, and from where. */
  #seek: { tick: number; by: Replay; from: number | undefined } | undefined;
  #cancelTimer: CancelTimer = () => {};
  #progressMs = 0;
  #hasDifference = false;
  /** Milliseconds that a tick takes of late, and that a checkpoint took. */
  #stepMs = 0;
  #keepMs = 0;
  /** Until when none is kept, since the last one had to go at once. */
  #keepFromMs = 0;

  /** `replay` should have been given `CHECKPOINT_BYTES`. `detector`: the one it was given, if any. */
  constructor(replay: Replay, detector: DetectorName | undefined, clock: Clock, listener: PlayerListener) {
    this.#front = replay;
    this.#detector = detector;
    this.#clock = clock;
    this.#listener = listener;
  }

  /** The replay that is shown: another one after a seek. */
  get shown(): Replay {
    return this.#front;
  }

  get world(): World {
    return this.#front.world;
  }

  get isSeeking(): boolean {
    return this.#seek !== undefined;
  }

  get isAtEnd(): boolean {
    return this.#front.tick >= this.#front.lastTick;
  }

  /** Plays and shows one tick. False when there is none, or a seek is under way. */
  step(): boolean {
    if (this.isSeeking || this.isAtEnd || !this.#play(this.#front)) return false;
    this.#listener.onShow();
    return true;
  }

  /** Goes to a tick of the recording, in slices; what was sought before is given up. */
  seek(tick: number): void {
    const by = this.#replayFor(tick);
    this.#seek = { tick, by, from: undefined };
    this.#progressMs = this.#clock.now();
    this.#cancelTimer();
    this.#cancelTimer = this.#clock.after(0, () => this.#guarded(() => this.#slice()));
  }

  /** Throws as `World.setDetector` does. */
  setDetector(detector: DetectorName): void {
    this.#front.setDetector(detector);
    this.#back?.setDetector(detector);
    this.#detector = detector;
  }

  /** Gives up what is being sought. */
  stop(): void {
    this.#cancelTimer();
    this.#seek = undefined;
  }

  #replayFor(tick: number): Replay {
    if (this.#front.tick === tick || this.#front.leadsTo(tick)) return this.#front;
    this.#back ??= new Replay(this.#front, this.#detector === undefined ? {} : { detector: this.#detector });
    return this.#back;
  }

  #slice(): void {
    const seek = this.#seek;
    if (seek === undefined) return;
    const endMs = this.#clock.now() + SLICE_MS;
    const { tick, by } = seek;
    if (by !== this.#front) by.approach(tick);
    seek.from ??= by.tick;
    while (by.tick < tick && this.#play(by) && this.#clock.now() < endMs);
    if (by.tick >= tick) {
      this.#arrive(seek);
      return;
    }
    if (by === this.#front) this.#listener.onShow();
    const now = this.#clock.now();
    if (now - this.#progressMs >= PROGRESS_MS) {
      this.#progressMs = now;
      this.#listener.onSeek(tick, (by.tick - seek.from) / (tick - seek.from));
    }
    this.#cancelTimer = this.#clock.after(0, () => this.#guarded(() => this.#slice()));
  }

  #arrive({ tick, by }: { tick: number; by: Replay }): void {
    this.#seek = undefined;
    if (by !== this.#front) {
      this.#back = this.#front;
      this.#front = by;
    }
    this.#listener.onShow();
    this.#listener.onSeek(tick, 1);
  }

  /** One tick, and a checkpoint where it pays. False at the recording's end. */
  #play(replay: Replay): boolean {
    const startMs = this.#clock.now();
    if (replay.step() === undefined) return false;
    this.#stepMs += (this.#clock.now() - startMs - this.#stepMs) * 0.1;
    this.#listener.onTick(replay.tick, replay.world.lastChanges);
    if (replay.difference !== undefined && !this.#hasDifference) {
      this.#hasDifference = true;
      this.#listener.onDifference(replay.difference);
    }
    if (replay.ticksToRedo * this.#stepMs > Math.max(REDO_MS, REDO_KEEPS * this.#keepMs)) this.#keep(replay);
    return true;
  }

  #keep(replay: Replay): void {
    const startMs = this.#clock.now();
    if (startMs < this.#keepFromMs) return;
    const isKept = replay.keep();
    const endMs = this.#clock.now();
    this.#keepMs = endMs - startMs;
    if (!isKept) this.#keepFromMs = endMs + KEEP_PAUSE * this.#keepMs;
  }

  #guarded(run: () => void): void {
    try {
      run();
    } catch (error) {
      this.stop();
      this.#listener.onFault(error);
    }
  }
}
