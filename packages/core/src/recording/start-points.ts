/**
 * The states of a recording from which a replay can continue: the recorded snapshots, and checkpoints kept by
 * replays.
 *
 * The calls between two snapshots are as long as a snapshot, which may be a hundred ticks; in a world with slow ticks
 * that is much to replay. So a replay may keep checkpoints in between, in memory.
 *
 * Checkpoints take at most `maxBytes`. If another one would not fit, the least useful one is dropped: the one that
 * would leave the shortest gap, relative to its distance from the tick in view. So checkpoints stay dense near that
 * tick, and sparse elsewhere.
 *
 * Cost: a look-up is a binary search; keeping one is a pass over all for each checkpoint that must be dropped.
 */
import type { Chunk } from './chunk.ts';

/** A state from which to continue. */
export interface StartPoint {
  /** Number of ticks that the world has done. */
  readonly tick: number;
  /** Position in the recording: the chunk, and the bytes read of its body. */
  readonly chunk: number;
  readonly position: number;
  readonly snapshot: Uint8Array;
  /** Whether it is part of the recording, and needs no memory. */
  readonly isRecorded: boolean;
}

/** Added to every distance, so that near ones differ little. */
const NEAR_TICKS = 16;

export class StartPoints {
  readonly #maxBytes: number;
  readonly #lastTick: number;
  /** Sorted by tick; at most one for each tick. */
  readonly #points: StartPoint[] = [];
  #bytes = 0;

  /** `maxBytes` of checkpoints; 0: none are kept. */
  constructor(chunks: readonly Chunk[], maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#lastTick = chunks.at(-1)?.tick ?? 0;
    chunks.forEach(({ tag, tick, body }, chunk) => {
      if (tag !== 'SNAP' || this.#points.at(-1)?.tick === tick) return;
      this.#points.push({ tick, chunk, position: body.length, snapshot: body, isRecorded: true });
    });
  }

  /** The last one before that tick; if there is none, the recording's first. */
  before(tick: number): StartPoint {
    return this.#points[Math.max(0, this.#after(tick - 1) - 1)];
  }

  /** Whether there is one of exactly that tick. */
  has(tick: number): boolean {
    return this.before(tick + 1).tick === tick;
  }

  /**
   * Keeps a checkpoint at a tick that has none, and drops what exceeds the limit. Returns false if the new one is
   * dropped.
   */
  keep(point: StartPoint, near: number): boolean {
    this.#points.splice(this.#after(point.tick), 0, point);
    this.#bytes += point.snapshot.length;
    let isKept = true;
    while (this.#bytes > this.#maxBytes) isKept = this.#dropLeast(near) !== point && isKept;
    return isKept;
  }

  /** Number of start points at or before that tick. */
  #after(tick: number): number {
    let min = 0;
    let max = this.#points.length;
    while (min < max) {
      const middle = (min + max) >>> 1;
      if (this.#points[middle].tick <= tick) min = middle + 1;
      else max = middle;
    }
    return min;
  }

  #dropLeast(near: number): StartPoint {
    let least = -1;
    let leastValue = Number.POSITIVE_INFINITY;
    for (let i = 1; i < this.#points.length; i++) {
      const { tick, isRecorded } = this.#points[i];
      if (isRecorded) continue;
      const next = this.#points[i + 1]?.tick ?? this.#lastTick;
      const value = (next - this.#points[i - 1].tick) / (NEAR_TICKS + Math.abs(tick - near));
      if (value >= leastValue) continue;
      leastValue = value;
      least = i;
    }
    const [dropped] = this.#points.splice(least, 1);
    this.#bytes -= dropped.snapshot.length;
    return dropped;
  }
}
