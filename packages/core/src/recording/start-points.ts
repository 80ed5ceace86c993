/**
 * The states of a recording from which a replay can go on: the snapshots in it, and checkpoints that replays have kept.
 *
 * Snapshots lie as far apart as their own length in calls, which may be a hundred ticks, and in a world whose ticks are
 * dear that is a long way to play again. So a replay may keep checkpoints in between, in memory.
 *
 * Checkpoints hold at most `maxBytes`. When one more would not fit, that one goes which is missed least: the one that
 * leaves the shortest gap, measured against how far it lies from where somebody looks. So they stay close there, and far
 * apart elsewhere.
 *
 * Cost: looking one up is a search by halves; keeping one, where others must go, a pass over all for each of them.
 */
import type { Chunk } from './chunk.ts';

/** A state to go on from. */
export interface StartPoint {
  /** Ticks that the world has done. */
  readonly tick: number;
  /** What was read of the recording by then: the chunk, and bytes of its body. */
  readonly chunk: number;
  readonly position: number;
  readonly snapshot: Uint8Array;
  /** Whether it lies in the recording, and costs nothing. */
  readonly isRecorded: boolean;
}

/** Added to every distance, so that near ones are much alike. */
const NEAR_TICKS = 16;

export class StartPoints {
  readonly #maxBytes: number;
  readonly #lastTick: number;
  /** By tick; of one tick one. */
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

  /** The last one before that tick; the recording's first where there is none. */
  before(tick: number): StartPoint {
    return this.#points[Math.max(0, this.#after(tick - 1) - 1)];
  }

  /** Whether there is one of that very tick. */
  has(tick: number): boolean {
    return this.before(tick + 1).tick === tick;
  }

  /** Keeps a checkpoint at a tick that has none, and drops what is then too much. False when that is the new one. */
  keep(point: StartPoint, near: number): boolean {
    this.#points.splice(this.#after(point.tick), 0, point);
    this.#bytes += point.snapshot.length;
    let isKept = true;
    while (this.#bytes > this.#maxBytes) isKept = this.#dropLeast(near) !== point && isKept;
    return isKept;
  }

  /** How many lie at or before that tick. */
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
