/**
 * The positions of all entities in the last three ticks that arrived, for interpolating between them.
 *
 * Frames list entities in the order of their population, by ascending id. When the population changes, the older ticks are
 * reordered by merging the two lists, so that one index means one entity in all three. A new entity gets its first known
 * position in the ticks before it was added.
 *
 * Cost of a frame: none but keeping it; of a change of population: O(n). Memory: three frames.
 */
import type { TickFrame } from '../feed-frame.ts';
import { type PopulationChangeFrame, type PopulationFrame, populationAfter } from '../population-frame.ts';

const TICKS_KEPT = 3;

export interface CrowdTick {
  readonly tick: number;
  /** World units, `dimensions` values per entity. */
  positions: Float32Array;
  /** Changes with `positions` and is never reused: an upload made under the same revision is current. */
  revision: number;
}

/** Two ticks, and the progress from the first to the second, 0 to 1. */
export interface Between {
  from: CrowdTick;
  to: CrowdTick;
  progress: number;
}

const NOWHERE: CrowdTick = { tick: 0, positions: new Float32Array(0), revision: 0 };

export class Crowd {
  ids = new Uint32Array(0);
  kinds: Uint8Array = new Uint8Array(0);
  watchers: Uint8Array = new Uint8Array(0);
  /** Changes with every population. */
  populationRevision = 0;
  dimensions: 2 | 3 = 2;
  /** Moves longer than this, in world units, are jumps: they are not interpolated. */
  jumpDistance = Number.POSITIVE_INFINITY;
  #populationVersion = -1;
  /** Oldest first. */
  #ticks: CrowdTick[] = [];
  /** For a population that waits for its first tick: each entity's index in the order before, or -1. */
  #indexBefore: Int32Array | undefined;
  #revision = 0;

  get count(): number {
    return this.ids.length;
  }

  /** Returns the population from now on. Undefined, and nothing changes: the frame changes a population that has not arrived. */
  takePopulation(news: PopulationFrame | PopulationChangeFrame): PopulationFrame | undefined {
    if (news.kind === 'population-change' && news.baseVersion !== this.#populationVersion) return undefined;
    const frame = news.kind === 'population' ? news : populationAfter(this, news);
    // Without a tick between two populations, the order of the older ticks is no longer known.
    if (this.#indexBefore !== undefined) this.#ticks.length = 0;
    this.#indexBefore = merged(frame.ids, this.ids);
    this.ids = new Uint32Array(frame.ids);
    this.kinds = frame.kinds;
    this.watchers = frame.watchers;
    this.#populationVersion = frame.populationVersion;
    this.populationRevision++;
    return frame;
  }

  /** False if the frame follows a population that has not arrived. */
  takeTick(frame: TickFrame): boolean {
    if (frame.populationVersion !== this.#populationVersion || frame.events.length !== this.ids.length)
      return false;
    if (frame.dimensions !== this.dimensions) this.#ticks.length = 0;
    this.dimensions = frame.dimensions;
    if (this.#indexBefore !== undefined) {
      for (const kept of this.#ticks) {
        kept.positions = reordered(kept.positions, this.#indexBefore, frame.positions, frame.dimensions);
        kept.revision = ++this.#revision;
      }
      this.#indexBefore = undefined;
    }
    const newest = this.#ticks.at(-1);
    if (newest !== undefined && frame.tick < newest.tick) this.#ticks.length = 0;
    else if (newest?.tick === frame.tick) this.#ticks.pop();
    else if (this.#ticks.length === TICKS_KEPT) this.#ticks.shift();
    this.#ticks.push({ tick: frame.tick, positions: frame.positions, revision: ++this.#revision });
    return true;
  }

  /** Drops all ticks but the newest: there was no motion from them to it. */
  forgetPast(): void {
    this.#ticks.splice(0, this.#ticks.length - 1);
  }

  /** Drops everything, when the world behind the page is another one. */
  clear(): void {
    this.#ticks.length = 0;
    this.#indexBefore = undefined;
    this.#populationVersion = -1;
    this.ids = new Uint32Array(0);
    this.populationRevision++;
  }

  /** The two ticks around a point in time. */
  between(tick: number): Between {
    const newest = this.#ticks.at(-1) ?? NOWHERE;
    for (let i = this.#ticks.length - 2; i >= 0; i--) {
      const from = this.#ticks[i] as CrowdTick;
      const to = this.#ticks[i + 1] as CrowdTick;
      if (tick >= from.tick || i === 0) {
        return { from, to, progress: Math.min(1, Math.max(0, (tick - from.tick) / (to.tick - from.tick))) };
      }
    }
    return { from: newest, to: newest, progress: 1 };
  }

  /** Index of `id`, or -1. */
  indexOf(id: number): number {
    let min = 0;
    let max = this.ids.length - 1;
    while (min <= max) {
      const middle = (min + max) >>> 1;
      const found = this.ids[middle] as number;
      if (found === id) return middle;
      if (found < id) min = middle + 1;
      else max = middle - 1;
    }
    return -1;
  }

  /** Drawn position of the entity at `index`, by the same rule as in the points' shader. Fills `out` with x, y, z. */
  placeInto(index: number, { from, to, progress }: Between, out: Float64Array): void {
    const at = index * this.dimensions;
    const x0 = from.positions[at] ?? 0;
    const y0 = from.positions[at + 1] ?? 0;
    const x1 = to.positions[at] ?? 0;
    const y1 = to.positions[at + 1] ?? 0;
    let share = progress;
    if (Math.abs(x1 - x0) + Math.abs(y1 - y0) > this.jumpDistance) share = progress < 0.5 ? 0 : 1;
    out[0] = x0 + (x1 - x0) * share;
    out[1] = y0 + (y1 - y0) * share;
    out[2] = this.dimensions === 3 ? (to.positions[at + 2] ?? 0) : 0;
  }

  /** Whether there are enough ticks to tell which entities move. */
  get hasPast(): boolean {
    return this.#ticks.length > 1;
  }

  /** Whether the entity at `index` has another position than in the oldest tick kept. */
  hasMoved(index: number): boolean {
    const oldest = this.#ticks[0] ?? NOWHERE;
    const newest = this.#ticks.at(-1) ?? NOWHERE;
    const end = (index + 1) * this.dimensions;
    for (let at = index * this.dimensions; at < end; at++) {
      if (oldest.positions[at] !== newest.positions[at]) return true;
    }
    return false;
  }

  /** Number of entities drawn within `radius` of a world point. Cost: O(n). */
  countWithin(x: number, y: number, radius: number, { to }: Between): number {
    const { dimensions } = this;
    let count = 0;
    for (let at = 0; at < this.ids.length * dimensions; at += dimensions) {
      const dx = (to.positions[at] ?? 0) - x;
      const dy = (to.positions[at + 1] ?? 0) - y;
      if (dx * dx + dy * dy <= radius * radius) count++;
    }
    return count;
  }

  /** Index of the entity drawn nearest to a world point and no farther than `maxDistance`, or -1. Cost: O(n). */
  nearest(x: number, y: number, maxDistance: number, between: Between): number {
    const place = new Float64Array(3);
    let found = -1;
    let best = maxDistance * maxDistance;
    for (let i = 0; i < this.ids.length; i++) {
      this.placeInto(i, between, place);
      const dx = (place[0] as number) - x;
      const dy = (place[1] as number) - y;
      const distanceSquared = dx * dx + dy * dy;
      if (distanceSquared <= best) {
        best = distanceSquared;
        found = i;
      }
    }
    return found;
  }
}

/** For each of `ids`, its index in `before`, or -1. Both ascend. */
function merged(ids: Uint32Array, before: Uint32Array): Int32Array {
  const out = new Int32Array(ids.length);
  let j = 0;
  for (let i = 0; i < ids.length; i++) {
    const id = ids[i] as number;
    while (j < before.length && (before[j] as number) < id) j++;
    out[i] = before[j] === id ? j : -1;
  }
  return out;
}

function reordered(
  old: Float32Array,
  indexBefore: Int32Array,
  fresh: Float32Array,
  dimensions: number,
): Float32Array {
  const out = new Float32Array(fresh.length);
  for (let i = 0; i < indexBefore.length; i++) {
    const before = indexBefore[i] as number;
    for (let axis = 0; axis < dimensions; axis++) {
      const to = i * dimensions + axis;
      out[to] = (before < 0 ? fresh[to] : old[before * dimensions + axis]) as number;
    }
  }
  return out;
}
