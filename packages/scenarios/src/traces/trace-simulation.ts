/**
 * A recording of real movement, played back as a simulation.
 *
 * The position of an actor at time t, in the recording's own seconds:
 * - before its first sample: absent;
 * - between two samples that are at most `gapSeconds` apart: interpolated linearly; at a sample exactly the sample's position
 *   (rounded to float32);
 * - after a sample with no other within `gapSeconds`: at that sample, standing still, until `gapSeconds` have passed; then
 *   absent, until its next sample, if any, adds it again.
 *
 * The first step shows the time of the first sample (or a later one), step k the time k * tickSeconds * speed later. Events
 * between two steps are not seen: an actor that is removed and added again within a step has just moved.
 *
 * Cost: 20 to 24 bytes per sample (`trace-columns.ts`), 30 per actor and 9 per id; the cost of a step depends on the present
 * actors, not on all.
 */
import { Crowd } from '../crowd.ts';
import type { Bounds } from '../simulation.ts';
import type { Attendance } from './attendance.ts';
import type { TraceColumns } from './trace-columns.ts';

/** How to play a recording. */
export interface TracePlayback {
  readonly title: string;
  readonly gapSeconds: number;
  readonly tickSeconds: number;
  readonly tile: number;
  readonly speed: number;
  readonly range: number;
  readonly loop: boolean;
  /** Time of the first step, in the recording's seconds after its first sample. A loop restarts there. */
  readonly startSeconds: number;
  readonly attendance: Attendance;
}

export class TraceSimulation extends Crowd {
  readonly #trace: TraceColumns;
  readonly #gapSeconds: number;
  readonly #loop: boolean;
  /** The recording's seconds per step. */
  readonly #stride: number;
  readonly #copies: number;
  /** Offset of a copy's positions, by copy. */
  readonly #offsetX: Float64Array;
  readonly #offsetY: Float64Array;
  /** Present ids, in no order, and their number. */
  readonly #active: Uint32Array;
  #activeCount = 0;
  /** By id: the last sample it has passed, and whether it is among the active. */
  readonly #passed: Uint32Array;
  readonly #isActive: Uint8Array;
  /** Index of the next start of an appearance. */
  #start = 0;
  /** Time of step 0, in the recording's seconds. */
  #origin: number;
  /** Steps since then. */
  #step = 0;

  constructor(trace: TraceColumns, playback: TracePlayback) {
    const { tile, tickSeconds, attendance } = playback;
    const copies = tile * tile;
    const idCount = trace.ids.length;
    super({
      name: 'trace',
      title: playback.title,
      kinds: ['mover'],
      dimensions: trace.dimensions,
      tickSeconds,
      bounds: tiledBounds(trace, tile),
      capacity: idCount * copies,
      peak: attendance.peak * copies,
    });
    this.#trace = trace;
    this.#gapSeconds = playback.gapSeconds;
    this.#loop = playback.loop;
    this.#origin = trace.time[0]! + playback.startSeconds;
    this.#stride = tickSeconds * playback.speed;
    this.#copies = copies;
    this.#offsetX = Float64Array.from({ length: copies }, (_, copy) => (copy % tile) * pitch(trace, 0));
    this.#offsetY = Float64Array.from(
      { length: copies },
      (_, copy) => Math.floor(copy / tile) * pitch(trace, 1),
    );
    this.#active = new Uint32Array(idCount);
    this.#passed = new Uint32Array(idCount);
    this.#isActive = new Uint8Array(idCount);
    this.range.fill(playback.range);
  }

  override get done(): boolean {
    return this.#isOver && !this.#loop;
  }

  protected override begin(): void {
    this.advance();
  }

  protected override advance(): void {
    if (this.#isOver) {
      if (!this.#loop) return;
      this.#start = 0;
      this.#step = 0;
      this.#origin = this.#trace.time[0]!;
    }
    // Multiplied, not added up, so that no rounding error accumulates over a long recording.
    const now = this.#origin + this.#step * this.#stride;
    this.#step++;
    this.#letIn(now);
    this.#playTo(now);
  }

  /** No id is present and none will appear. */
  get #isOver(): boolean {
    return this.#activeCount === 0 && this.#start === this.#trace.starts.length;
  }

  /** Adds the appearances that have begun. An id whose last appearance has just ended continues with the new one. */
  #letIn(now: number): void {
    const { starts, startIds, time } = this.#trace;
    for (; this.#start < starts.length; this.#start++) {
      const sample = starts[this.#start]!;
      if (time[sample]! > now) return;
      const id = startIds[this.#start]!;
      this.#passed[id] = sample;
      if (this.#isActive[id] === 1) continue;
      this.#isActive[id] = 1;
      this.#active[this.#activeCount++] = id;
    }
  }

  #playTo(now: number): void {
    const { time, next } = this.#trace;
    const active = this.#active;
    for (let i = 0; i < this.#activeCount; ) {
      const id = active[i]!;
      let sample = this.#passed[id]!;
      while (next[sample]! !== 0 && time[next[sample]!]! <= now) sample = next[sample]!;
      this.#passed[id] = sample;
      if (next[sample]! === 0 && now - time[sample]! >= this.#gapSeconds) {
        this.#activeCount--;
        active[i] = active[this.#activeCount]!;
        this.#isActive[id] = 0;
        this.#letGo(id);
      } else {
        this.#place(id, sample, now);
        i++;
      }
    }
  }

  #letGo(id: number): void {
    const first = id * this.#copies;
    for (let actor = first; actor < first + this.#copies; actor++) {
      if (this.present[actor] === 1) this.vanish(actor);
    }
  }

  /** Places all copies of an id at its position now, given the last sample it has passed. */
  #place(id: number, sample: number, now: number): void {
    const trace = this.#trace;
    const next = trace.next[sample]!;
    let x = trace.x[sample]!;
    let y = trace.y[sample]!;
    let z = trace.dimensions === 3 ? trace.z[sample]! : 0;
    if (next !== 0) {
      const part = (now - trace.time[sample]!) / (trace.time[next]! - trace.time[sample]!);
      x += (trace.x[next]! - x) * part;
      y += (trace.y[next]! - y) * part;
      if (trace.dimensions === 3) z += (trace.z[next]! - z) * part;
    }
    for (let copy = 0; copy < this.#copies; copy++) {
      this.#put(id * this.#copies + copy, x + this.#offsetX[copy]!, y + this.#offsetY[copy]!, z);
    }
  }

  #put(actor: number, x: number, y: number, z: number): void {
    const oldX = this.x[actor]!;
    const oldY = this.y[actor]!;
    const oldZ = this.z[actor]!;
    this.x[actor] = x;
    this.y[actor] = y;
    this.z[actor] = z;
    if (this.present[actor] === 0) {
      this.appear(actor);
    } else if (oldX !== this.x[actor] || oldY !== this.y[actor] || oldZ !== this.z[actor]) {
      this.moved.push(actor);
    }
  }
}

/** Extent of one copy along x (0) or y (1), in world units; it is also the distance between copies. */
export function pitch(trace: TraceColumns, axis: 0 | 1): number {
  const extent = trace.high[axis] - trace.low[axis];
  return extent > 0 ? extent : 1;
}

function tiledBounds(trace: TraceColumns, tile: number): Bounds {
  // A scene without width must still be drawable: half a unit on either side.
  const padX = trace.high[0] > trace.low[0] ? 0 : 0.5;
  const padY = trace.high[1] > trace.low[1] ? 0 : 0.5;
  const flat = {
    minX: trace.low[0] - padX,
    minY: trace.low[1] - padY,
    // Rounded like the positions of the last copy.
    maxX: Math.fround(trace.high[0] + (tile - 1) * pitch(trace, 0)) + padX,
    maxY: Math.fround(trace.high[1] + (tile - 1) * pitch(trace, 1)) + padY,
  };
  return trace.dimensions === 3 ? { ...flat, minZ: trace.low[2], maxZ: trace.high[2] } : flat;
}
