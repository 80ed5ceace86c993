/**
 * Plays a recording for viewing: tick by tick, with seeks forward and back, without blocking the process.
 *
 * Problem: to reach a tick, all ticks since the nearest stored state before it must be played, which may take seconds. The
 * process must not block meanwhile, and a user who drags a handle wants only the last position.
 *
 * Method: a seek plays in slices of `SLICE_MS` and handles input and output in between; another seek replaces it at once. If the
 * tick lies ahead and no stored state is nearer, the shown world itself plays on, visibly. Otherwise a second replay plays in the
 * background and is shown when it arrives; until then the first one stays shown, and then becomes the second. Where going back
 * would take long, checkpoints are kept on the way, dense near the present tick and sparser elsewhere (see `Replay.keep`): at
 * most `CHECKPOINT_BYTES` of them.
 */
import { type Changes, type DetectorName, Replay, type ReplayedTick, type World } from 'umwelt';
import type { CancelTimer, Clock } from '../clock.ts';

export const CHECKPOINT_BYTES = 256 << 20;

/** How long a seek may block the process: shorter than a frame of a page. */
const SLICE_MS = 12;
/** A checkpoint is kept where replaying to it would take longer than this, or than a multiple of what keeping one takes. */
const REDO_MS = 60;
const REDO_KEEPS = 4;
/** After a checkpoint that was dropped at once, the next one waits this multiple of its cost. */
const KEEP_PAUSE = 50;
/** Interval of progress reports during a seek. */
const PROGRESS_MS = 100;

export interface PlayerListener {
  /** A tick was played, shown or not. */
  onTick(tick: number, changes: Changes): void;
  /** The shown world is at another tick now. */
  onShow(): void;
  /** Progress of a seek, 0 to 1; 1 on arrival, after `onShow`. */
  onSeek(tick: number, progress: number): void;
  /** The first tick whose report differs from the recorded one. */
  onDifference(difference: ReplayedTick): void;
  /** The recording cannot be played further. */
  onFault(error: unknown): void;
}

export class ReplayPlayer {
  readonly #clock: Clock;
  readonly #listener: PlayerListener;
  /** The shown replay. */
  #front: Replay;
  #back: Replay | undefined;
  #detector: DetectorName | undefined;
  /** The tick sought, the replay that plays there, and the tick it started from. */
  #seek: { tick: number; by: Replay; from: number | undefined } | undefined;
  #cancelTimer: CancelTimer = () => {};
  #progressMs = 0;
  #hasDifference = false;
  /** Recent duration of a tick, and of a checkpoint, in milliseconds. */
  #stepMs = 0;
  #keepMs = 0;
  /** Until this time no checkpoint is kept, since the last one was dropped at once. */
  #keepFromMs = 0;

  /** `replay` should have been given `CHECKPOINT_BYTES`. `detector`: the one it was given, if any. */
  constructor(replay: Replay, detector: DetectorName | undefined, clock: Clock, listener: PlayerListener) {
    this.#front = replay;
    this.#detector = detector;
    this.#clock = clock;
    this.#listener = listener;
  }

  /** The shown replay: another one after a seek. */
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

  /** Plays and shows one tick. False at the end, or while a seek is under way. */
  step(): boolean {
    if (this.isSeeking || this.isAtEnd || !this.#play(this.#front)) return false;
    this.#listener.onShow();
    return true;
  }

  /** Goes to a tick of the recording, in slices; replaces an earlier seek. */
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

  /** Cancels a seek. */
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

  /** Plays one tick, and keeps a checkpoint where it pays. False at the recording's end. */
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
