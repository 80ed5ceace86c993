/**
 * The part of `World` that the conformance cases use, so that the same case runs on a world and on the model.
 *
 * The model has the same calls with the same shapes. A hand-written case that fails on the model is a mistake in the
 * case or in the model, and shows before a detector is blamed.
 */
import type {
  CountOptions,
  EntityId,
  EntityInit,
  EntityPatch,
  Interest,
  MoveManyOptions,
  MoveOptions,
  PinOptions,
  UpdateColumns,
  WorldOptions,
} from '../index.ts';

/** What one tick reports to one watcher, as in `View`. */
export interface ReportView {
  readonly watcher: EntityId;
  readonly entered: Uint32Array;
  readonly left: Uint32Array;
  readonly updated: Uint32Array;
  readonly sensed: Uint32Array;
}

/** The part of `Changes` that worlds and the model share: all but columns and hash. As in `Changes`. */
export interface Report extends Iterable<ReportView> {
  readonly tick: number;
  readonly viewCount: number;
  readonly enteredCount: number;
  readonly leftCount: number;
  readonly updatedCount: number;
  readonly sensedCount: number;
  readonly removed: Uint32Array;
  /** Markers that got their first relation in this tick, ascending. */
  readonly watched: Uint32Array;
  /** Markers that lost their last relation in this tick, ascending, without removed markers. */
  readonly unwatched: Uint32Array;
  of(watcher: EntityId): ReportView | undefined;
}

/** The init of `addMany`. */
export type CrowdInit = Omit<EntityInit, 'x' | 'y' | 'z'> & {
  x: ArrayLike<number>;
  y: ArrayLike<number>;
  z?: ArrayLike<number>;
};

/** A child's offset from its parent; world units, 0 if absent. */
export interface Offset {
  x?: number;
  y?: number;
  z?: number;
}

/** The object under test: a `World`, or the model in its place. Members as in `World`. */
export interface Subject {
  readonly size: number;
  add(init: EntityInit): EntityId;
  addMany(init: CrowdInit): Uint32Array;
  move(id: EntityId, x: number, y: number, z?: number, options?: MoveOptions): void;
  moveMany(
    ids: Uint32Array,
    x: ArrayLike<number>,
    y: ArrayLike<number>,
    z?: ArrayLike<number>,
    at?: ArrayLike<number>,
    options?: MoveManyOptions,
  ): void;
  update(id: EntityId, patch: EntityPatch): void;
  updateMany(ids: Uint32Array, columns: UpdateColumns, options?: CountOptions): void;
  touch(id: EntityId): void;
  remove(id: EntityId): void;
  removeMany(ids: Uint32Array): void;
  attach(child: EntityId, parent: EntityId, offset?: Offset): void;
  detach(child: EntityId): void;
  parentOf(child: EntityId): EntityId | undefined;
  childrenOf(parent: EntityId): Uint32Array;
  pin(watcher: EntityId, marker: EntityId, reason?: string, limits?: PinOptions): void;
  unpin(watcher: EntityId, marker: EntityId, reason?: string): void;
  block(watcher: EntityId, marker: EntityId): void;
  unblock(watcher: EntityId, marker: EntityId): void;
  setInterest(name: string, interest: Interest): void;
  has(id: EntityId): boolean;
  position(id: EntityId): Float32Array;
  ids(): Uint32Array;
  tick(): Report;
  visibleTo(watcher: EntityId): Uint32Array;
  watchersOf(marker: EntityId): Uint32Array;
  stateHash(): string;
  related(watcher: EntityId, marker: EntityId): boolean;
  senses(watcher: EntityId, marker: EntityId): number;
}

/** Creates the subject of a case. */
export type CreateSubject = (options?: WorldOptions) => Subject;
