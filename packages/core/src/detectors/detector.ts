/**
 * The seam behind which every algorithm stands: which pairs begin or cease to be perceived?
 *
 * Once a tick a detector is shown the state at the last tick, the state now, and which slots differ. It must name
 * every pair whose perception changed; it may name more (see `Crossings`), and in any order. It knows nothing of seats,
 * reports, sockets or listeners. Between ticks it answers one question about the last tick it saw: who may be inside
 * this box? Exact answers are made from that elsewhere.
 *
 * Both kinds fit: those that keep pairs and cells up to date by what changed, and those that rebuild each tick.
 * To add one: a file here, its name in `registry.ts`, a line in `index.ts`, one in the conformance list and one in the bench list.
 */
import type { EntityStore } from '../entities/entity-store.ts';
import type { Bounds } from './bounds.ts';
import type { Crossings } from './crossings.ts';
import type { StructureSketch } from './structure-sketch.ts';

/** The algorithms that ship; see each one's file. */
export type DetectorName =
  | 'sweep'
  | 'nine-grid'
  | 'tower'
  | 'cross-list'
  | 'hot-pair'
  | 'quadtree'
  | 'brute-force';

export type { Bounds };

/** Called with each slot found; may be called for more than asked, never twice for one. */
export type SlotVisitor = (slot: number) => void;

/** Called with each slot found and where it is; z is 0 in 2-D. */
export type PlaceVisitor = (slot: number, x: number, y: number, z: number) => void;

/**
 * Which pairs begin or cease to be perceived? For an algorithm of your own; docs/writing-a-detector.md has an example.
 */
export interface Detector {
  /** As in reports and benches. */
  readonly name: string;
  /**
   * Appends to `out` every pair (watcher slot, marker slot) for which `perceivedSenses` differs between `store.last`
   * and `store.now`. `store.pending` and `store.pendingSlots` say which slots differ and how. Nothing is changed in
   * the store.
   */
  detect(store: EntityStore, out: Crossings): void;
  /**
   * Visits the slots of all entities that lie in `bounds` in `store.last`, which is the state that `detect` saw last as
   * `now`, less nobody: entities removed since are visited too. Visiting others as well is allowed, and slow.
   */
  collect(store: EntityStore, bounds: Bounds, visit: SlotVisitor): void;
  /**
   * The same, but nobody who was not present in `store.last`, and with positions as they are there: for detectors that have
   * these side by side. Queries use it where it is.
   */
  collectPlaces?(store: EntityStore, bounds: Bounds, visit: PlaceVisitor): void;
  /** Checks the structure against the state that `detect` saw last; throws at the first broken invariant. */
  validate(store: EntityStore): void;
  /** The structure as text, for people: at most some 40 lines. */
  describe(): string;
  /** Adds the structure's shapes that lie in the sketch's window, for an inspector to draw. */
  sketch?(store: EntityStore, sketch: StructureSketch): void;
  /** Bytes that the detector holds outside the heap of the world. */
  readonly memoryBytes: number;
  /** Gives back what it holds in the heap of the world: another detector takes over. */
  dispose?(): void;
}

/**
 * Makes a detector for a world. The store is the world's own and outlives the detector. Entities may be there already, when
 * a running world changes its detector: `store.last` is then what the detector is to go on from.
 */
export type DetectorFactory = (store: EntityStore) => Detector;
