/**
 * The interface of every algorithm: which pairs begin or cease to be perceived?
 *
 * Once a tick, a detector gets the state at the last tick, the state now, and which slots differ. It must name every
 * pair whose perception changed; it may name more (see `Crossings`), in any order. It knows nothing of seats,
 * reports, sockets or listeners. Between ticks it answers one query about the last tick: which entities may be inside
 * this box? Other code turns that into exact answers.
 *
 * Two kinds of detectors fit: those that update pairs and cells by what changed, and those that rebuild each tick. To
 * add one: a file here, its name in `registry.ts`, a line in `index.ts`, one in the conformance list and one in the
 * bench list.
 */
import type { EntityStore } from '../entities/entity-store.ts';
import type { Bounds } from './bounds.ts';
import type { Crossings } from './crossings.ts';
import type { StructureSketch } from './structure-sketch.ts';

/** The shipped algorithms; see the file of each. */
export type DetectorName =
  | 'sweep'
  | 'nine-grid'
  | 'tower'
  | 'cross-list'
  | 'hot-pair'
  | 'quadtree'
  | 'brute-force';

export type { Bounds };

/** Called with each slot found: at most once a slot; slots outside the search region are allowed. */
export type SlotVisitor = (slot: number) => void;

/** Called with each slot found and its position; z is 0 in 2-D. */
export type PlaceVisitor = (slot: number, x: number, y: number, z: number) => void;

/**
 * Finds the pairs that begin or cease to be perceived. Implement it for your own algorithm;
 * docs/writing-a-detector.md has an example.
 */
export interface Detector {
  /** Name for reports and benchmarks. */
  readonly name: string;
  /**
   * Appends to `out` every pair (watcher slot, marker slot) for which `perceivedSenses` differs between `store.last`
   * and `store.now`. `store.pending` and `store.pendingSlots` say which slots differ and how. It must not change the
   * store.
   */
  detect(store: EntityStore, out: Crossings): void;
  /**
   * Visits the slots of all entities that lie in `bounds` in `store.last`, which is the state that `detect` last saw
   * as `now`. Entities removed since are visited too. Visiting other slots as well is allowed, and slow. `channel`: entities that are in
   * another channel than this one, and not in channel 0, may be left out; 0 or absent: none may.
   */
  collect(store: EntityStore, bounds: Bounds, visit: SlotVisitor, channel?: number): void;
  /**
   * As `collect`, but only for entities present in `store.last`, and with their positions in it: for detectors that
   * store these together. Queries use it if it exists.
   */
  collectPlaces?(store: EntityStore, bounds: Bounds, visit: PlaceVisitor, channel?: number): void;
  /**
   * Visits the slots of all entities that `watcher` (a slot) perceives in `store.last`, none of them twice; others as well is allowed, and slow. For
   * detectors that know where the markers are that are perceived from far away: `collect` is called with a box that all may be in.
   */
  collectPerceived?(store: EntityStore, watcher: number, visit: SlotVisitor): void;
  /** Checks the structure against the state that `detect` last saw; throws at the first broken invariant. */
  validate(store: EntityStore): void;
  /** The structure as text for people: at most some 40 lines. */
  describe(): string;
  /** Adds the structure's shapes inside the sketch's window, for an inspector to draw. */
  sketch?(store: EntityStore, sketch: StructureSketch): void;
  /** Bytes that the detector holds outside the heap of the world. */
  readonly memoryBytes: number;
  /** Frees what it holds in the heap of the world; called when another detector replaces it. */
  dispose?(): void;
}

/**
 * Creates a detector for a world. The store belongs to the world and outlives the detector. If a running world
 * changes its detector, entities exist already: the detector must then start from `store.last`.
 */
export type DetectorFactory = (store: EntityStore) => Detector;
