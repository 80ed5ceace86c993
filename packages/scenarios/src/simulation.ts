/**
 * What a moving world looks like to those who feed an engine with it.
 *
 * A simulation owns one row per *actor* (a walker, a shop, a flight) and moves them step by step. It knows no
 * engine: tests, benches and the demo hand the same columns to `umwelt` and to its peers, so all of them are
 * measured on the same movement. Before the first step nobody is present; the first step reports everyone who
 * starts out as added. Replaying `added`, `moved` and `removed` from the first step on gives the columns.
 *
 * The same options and seed give the same bytes in every column after every step, on every runtime: chance
 * comes from one seeded generator, and positions from operations that IEEE 754 rounds exactly.
 */
import type { AttachmentOffset, ChannelOptions, EntityPatch, WorldOptions } from 'umwelt';

/** Where everybody always is, edges included, in world units. `minZ` and `maxZ` are there in 3-D. */
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

/** A crowd that moves by steps, as columns by actor. It knows no engine: `WorldDriver` brings it into a `World`. */
export interface Simulation {
  /** What `createScenario` knows it by, or `trace`. */
  readonly name: string;
  /** For people. */
  readonly title: string;
  /** Names of the kinds of actors; the column `kind` holds indices into this. */
  readonly kinds: readonly string[];
  /** Of the world that it needs. */
  readonly dimensions: 2 | 3;
  /** Seconds from one step to the next when it is played at its intended pace. */
  readonly tickSeconds: number;
  /** Where actors are, at any step. */
  readonly bounds: Bounds;
  /** Rows in each column: actors are 0 .. capacity-1, present or not. */
  readonly capacity: number;
  /** Actors present now. */
  readonly count: number;
  /** No step will change anything any more: a recording that has been played to its end. */
  readonly done: boolean;

  /** Positions in world units, by actor; of an actor who is not present, where it was last or will be. */
  readonly x: Float32Array;
  readonly y: Float32Array;
  /** All 0 in 2-D. */
  readonly z: Float32Array;
  /** Index into `kinds`, by actor. Never changes. */
  readonly kind: Uint8Array;
  /** How far it perceives, in world units, by actor; 0: it is no watcher. Never changes. */
  readonly range: Float32Array;
  /** 1 when present, by actor. */
  readonly present: Uint8Array;

  /** Who came with the last step. No actor is in two of the three lists. */
  readonly added: IndexList;
  /** Whose position the last step wrote; nobody else's changed. */
  readonly moved: IndexList;
  /** Who went with the last step. */
  readonly removed: IndexList;

  /** Who changed with the last step in more than position: `patchFor` says how. Nobody added or removed is in it. */
  readonly changed?: IndexList;

  /** What a `World` for it needs: dimensions, room for the most that are present at once, senses, groups, interests. */
  readonly worldOptions: WorldOptions;
  /** How those of whom `joins` says so are to be spread over channels. */
  readonly channels?: ChannelOptions;
  /** What an actor is beyond position and range. The same object for all to whom the same applies. */
  initFor?(actor: number): EntityPatch;
  /** What an actor who is in `changed` is now. */
  patchFor?(actor: number): EntityPatch;
  /** Who carries it, an actor who is there whenever it is; -1: nobody. Never changes. Its columns say where that puts it. */
  parentOf?(actor: number): number;
  /** How far from its parent it is, where it has one. Never changes. */
  offsetOf?(actor: number): AttachmentOffset;
  /** What people call an actor; absent: its kind and number. */
  nameOf?(actor: number): string;
  /** Whether the actor joins the channels when it comes. */
  joins?(actor: number): boolean;
  /** On by `tickSeconds`. Allocates nothing. */
  step(): void;
}
