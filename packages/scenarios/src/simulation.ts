/**
 * The interface between moving crowds and the engines that are fed with them.
 *
 * A simulation has one row per *actor* (a walker, a shop, a flight) and moves them step by step. It knows no engine: tests,
 * benches and the demo give the same columns to `umwelt` and to other libraries, so all are measured on the same movement. Before
 * the first step no actor is present; the first step lists all initial actors as added. Replaying `added`, `moved` and
 * `removed` from the first step on gives the columns.
 *
 * The same options and seed give the same bytes in every column after every step, on every runtime: random numbers come from one
 * seeded generator, and positions from operations that IEEE 754 rounds exactly.
 */
import type { AttachmentOffset, ChannelOptions, EntityPatch, WorldOptions } from 'umwelt';

/** Box that contains all actors at all times, edges included, in world units. `minZ` and `maxZ` exist in 3-D. */
export interface Bounds {
  /** World units. */
  readonly minX: number;
  readonly minY: number;
  readonly maxX: number;
  readonly maxY: number;
  /** In 3-D. */
  readonly minZ?: number;
  readonly maxZ?: number;
}

/** The first `count` of `indices` are actors, each at most once. Reused by the next step. */
export interface IndexList {
  /** Elements in use. */
  readonly count: number;
  /** By actor. */
  readonly indices: Uint32Array;
}

/** A crowd that moves by steps, as columns by actor. It knows no engine: `WorldDriver` applies it to a `World`. */
export interface Simulation {
  /** Its name for `createScenario`, or `trace`. */
  readonly name: string;
  /** Display name. */
  readonly title: string;
  /** Names of the kinds of actors; the column `kind` holds indices into this. */
  readonly kinds: readonly string[];
  /** Dimensions of the world that it needs. */
  readonly dimensions: 2 | 3;
  /** Seconds per step at its intended speed. */
  readonly tickSeconds: number;
  /** Bounds of all positions, at any step. */
  readonly bounds: Bounds;
  /** Rows in each column: actors are 0 .. capacity-1, present or not. */
  readonly capacity: number;
  /** Actors present now. */
  readonly count: number;
  /** No further step will change anything: the end of a recording. */
  readonly done: boolean;

  /** Positions in world units, by actor; for an absent actor, where it was last or will be. */
  readonly x: Float32Array;
  readonly y: Float32Array;
  /** All 0 in 2-D. */
  readonly z: Float32Array;
  /** Index into `kinds`, by actor. Never changes. */
  readonly kind: Uint8Array;
  /** Range in world units, by actor; 0: no watcher. Never changes. */
  readonly range: Float32Array;
  /** 1 if present, by actor. */
  readonly present: Uint8Array;

  /** Actors added by the last step. No actor is in two of these three lists. */
  readonly added: IndexList;
  /** Actors whose position the last step wrote; no other positions changed. */
  readonly moved: IndexList;
  /** Actors removed by the last step. */
  readonly removed: IndexList;

  /** Actors that the last step changed in more than position, see `patchFor`. Contains no added or removed actor. */
  readonly changed?: IndexList;

  /** Options for its `World`: dimensions, capacity for the maximum present at once, senses, groups, interests. */
  readonly worldOptions: WorldOptions;
  /** Options of the channels for actors for which `joins` is true. Absent: none joins. */
  readonly channels?: ChannelOptions;
  /** Properties of an actor besides position and range. The same object for all actors with equal properties. */
  initFor?(actor: number): EntityPatch;
  /** The present properties of an actor in `changed`. */
  patchFor?(actor: number): EntityPatch;
  /** The actor that carries it, which is present whenever it is; -1: none. Never changes. The columns include its resulting position. */
  parentOf?(actor: number): number;
  /** Offset from its parent, if it has one. Never changes. */
  offsetOf?(actor: number): AttachmentOffset;
  /** Display name of an actor; absent: its kind and number. */
  nameOf?(actor: number): string;
  /** Whether the actor joins the channels when it is added. */
  joins?(actor: number): boolean;
  /** Advances by `tickSeconds`. Allocates nothing. */
  step(): void;
}
