/**
 * The definition for one pair in both states, with the columns cached.
 *
 * Problem: a detector that finds a near pair must know at once whether it crossed, and `perceivedSenses` looks up
 * every column in each call, most of them for properties that no entity in most worlds ever set. Method: the columns
 * are looked up once a tick. A world is plain if no entity has ever set a gain, a minReach or maxReach, layers, sees,
 * a channel or a condition, and if it has one sense and a round range: then perception is two flags, a range and a
 * distance. Both ways give the result of the definition, to the bit; with granularity 'cell' the definition itself is
 * called.
 *
 * Memory: none. Cost: some 5 ns a pair in a plain world, 20 in others.
 */
import { failedCondition } from '../../entities/conditions.ts';
import { type EntityState, MARKER, PRESENT } from '../../entities/entity-state.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import { isInside, perceivedSenses } from '../../entities/perception.ts';
import type { WorldSettings } from '../../settings.ts';
import type { Crossings } from '../crossings.ts';

const f32 = Math.fround;

export class PairTest {
  readonly #store: EntityStore;
  readonly #last = new StateView();
  readonly #now = new StateView();
  #out: Crossings | undefined;
  #isPlain = false;
  #isExact = false;

  constructor(store: EntityStore) {
    this.#store = store;
  }

  /** Looks up the columns for a tick. Call it before the first test of each tick, because columns move. */
  load(out: Crossings): void {
    const { settings, last, now } = this.#store;
    this.#out = out;
    this.#last.load(last, settings);
    this.#now.load(now, settings);
    this.#isExact = settings.granularity === 'exact';
    this.#isPlain =
      this.#isExact &&
      settings.rangeShape === 'circle' &&
      settings.senseCount === 1 &&
      now.ranges[0].column !== undefined &&
      now.properties.every((property) => property === now.ranges[0] || property.column === undefined);
  }

  /** Reports what changed between two slots, in both directions. */
  both(a: number, b: number): void {
    if (!this.#isPlain) {
      this.oneWay(a, b);
      this.oneWay(b, a);
      return;
    }
    const before = distanceSquared(this.#last, a, b);
    const after = distanceSquared(this.#now, a, b);
    const aDid = perceivesAt(this.#last, a, b, before);
    const aDoes = perceivesAt(this.#now, a, b, after);
    const bDid = perceivesAt(this.#last, b, a, before);
    const bDoes = perceivesAt(this.#now, b, a, after);
    if (aDid !== aDoes) this.#report(a, b, aDid, aDoes);
    if (bDid !== bDoes) this.#report(b, a, bDid, bDoes);
  }

  /** Reports the pair of slots if `watcher` perceived `marker` differently before. */
  oneWay(watcher: number, marker: number): void {
    let before: number;
    let after: number;
    if (this.#isPlain) {
      before = perceivesAt(this.#last, watcher, marker, distanceSquared(this.#last, watcher, marker));
      after = perceivesAt(this.#now, watcher, marker, distanceSquared(this.#now, watcher, marker));
    } else if (this.#isExact) {
      before = perceivesIn(this.#store.settings, this.#last, watcher, marker);
      after = perceivesIn(this.#store.settings, this.#now, watcher, marker);
    } else {
      const { settings, last, now } = this.#store;
      before = perceivedSenses(settings, last, watcher, marker);
      after = perceivedSenses(settings, now, watcher, marker);
    }
    if (before !== after) this.#report(watcher, marker, before, after);
  }

  #report(watcher: number, marker: number, before: number, after: number): void {
    // An entity is always near itself, so it is excluded here.
    if (watcher !== marker) (this.#out as Crossings).crossing(watcher, marker, before, after);
  }
}

const NO_F32: Float32Array = new Float32Array(0);
const NO_U32: Uint32Array = new Uint32Array(0);
const NO_U16: Uint16Array = new Uint16Array(0);

/** The columns of one state; a column that was never set has length 0. */
class StateView {
  state: EntityState | undefined;
  flags: Uint8Array = new Uint8Array(0);
  x = NO_F32;
  y = NO_F32;
  /** In 2-D the same as y. */
  z = NO_F32;
  is3D = false;
  ranges: Float32Array[] = [];
  gains: Float32Array[] = [];
  minReaches: Float32Array[] = [];
  maxReaches: Float32Array[] = [];
  layers = NO_U32;
  sees = NO_U32;
  channels = NO_U16;

  load(state: EntityState, { dimensions }: WorldSettings): void {
    this.state = state;
    this.flags = state.flags;
    this.x = state.x;
    this.y = state.y;
    this.is3D = dimensions === 3;
    this.z = this.is3D ? state.z : state.y;
    this.ranges = state.ranges.map(({ column }) => column?.array ?? NO_F32);
    this.gains = state.gains.map(({ column }) => column?.array ?? NO_F32);
    this.minReaches = state.minReaches.map(({ column }) => column?.array ?? NO_F32);
    this.maxReaches = state.maxReaches.map(({ column }) => column?.array ?? NO_F32);
    this.layers = state.layers.column?.array ?? NO_U32;
    this.sees = state.sees.column?.array ?? NO_U32;
    this.channels = state.channels.column?.array ?? NO_U16;
  }
}

/** For a plain world; between slots without an entity, the result has no meaning. */
function distanceSquared({ x, y, z, is3D }: StateView, a: number, b: number): number {
  const dx = f32(x[a] - x[b]);
  const dy = f32(y[a] - y[b]);
  const inPlane = f32(f32(dx * dx) + f32(dy * dy));
  if (!is3D) return inPlane;
  const dz = f32(z[a] - z[b]);
  return f32(inPlane + f32(dz * dz));
}

/** 1 if `watcher` perceives `marker` in a plain world. A slot without PRESENT has no MARKER either. */
function perceivesAt(
  { flags, ranges }: StateView,
  watcher: number,
  marker: number,
  distance: number,
): number {
  const range = ranges[0][watcher];
  if (!(range > 0) || distance > f32(range * range)) return 0;
  return (flags[watcher] & PRESENT) !== 0 && (flags[marker] & MARKER) !== 0 ? 1 : 0;
}

/** `perceivedSenses` with granularity 'exact', for two different slots. */
function perceivesIn(settings: WorldSettings, view: StateView, watcher: number, marker: number): number {
  const { state, flags, x, y, z, sees, layers, channels, ranges, gains, minReaches, maxReaches } = view;
  if ((flags[watcher] & PRESENT) === 0 || (flags[marker] & MARKER) === 0) return 0;
  const seen = sees.length > 0 ? sees[watcher] : 1;
  if ((seen & (layers.length > 0 ? layers[marker] : 1)) === 0) return 0;
  if (channels.length > 0) {
    const own = channels[watcher];
    const other = channels[marker];
    if (own !== other && own !== 0 && other !== 0) return 0;
  }
  if (state?.hasConditions === true && failedCondition(state, watcher, marker) !== undefined) return 0;
  const dx = f32(x[marker] - x[watcher]);
  const dy = f32(y[marker] - y[watcher]);
  const dz = view.is3D ? f32(z[marker] - z[watcher]) : 0;
  let senses = 0;
  for (let s = 0; s < ranges.length; s++) {
    if (ranges[s].length === 0) continue;
    const range = ranges[s][watcher];
    const base = gains[s].length > 0 ? f32(range * gains[s][marker]) : range;
    if (!(base > 0)) continue;
    const atLeast = minReaches[s].length > 0 ? Math.max(base, minReaches[s][marker]) : base;
    const reach = maxReaches[s].length > 0 ? Math.min(atLeast, maxReaches[s][marker]) : atLeast;
    if (reach > 0 && isInside(settings, dx, dy, dz, reach)) senses |= 1 << s;
  }
  return senses;
}
