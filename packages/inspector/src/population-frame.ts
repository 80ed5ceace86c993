/**
 * The entities of a world as a page gets them, writers and readers side by side: a keyframe with all of them, or a delta.
 *
 * Every tick frame follows a population by its version. A `population` frame has 6 bytes an entity, which is 6 MB for a
 * million. Where entities are added and removed in every tick, that would be sent with every tick, so a large world sends a
 * `population-change`: the entities that were removed, and those that were added or have another kind.
 *
 * Readers never throw: for any bytes they return a frame whose parts are consistent, or undefined.
 */
import { beginFrame, FRAME_KINDS, frameTick, padded } from './frame-header.ts';

const WHOLE_HEADER_BYTES = 24;
const CHANGE_HEADER_BYTES = 32;
export const MAX_ENTITIES = 4_193_280;

/** The entities of the world. */
export interface PopulationFrame {
  readonly kind: 'population';
  readonly tick: number;
  /** Identifies the population whose order a tick frame follows. */
  readonly populationVersion: number;
  /** Ascending. */
  readonly ids: Uint32Array;
  /** Index into the kinds that the feed named in its greeting, by position in `ids`. */
  readonly kinds: Uint8Array;
  /** 1 for entities with a range, else 0, by position in `ids`. */
  readonly watchers: Uint8Array;
}

/** What has changed since another population. */
export interface PopulationChangeFrame {
  readonly kind: 'population-change';
  readonly tick: number;
  /** Of the population after the change. */
  readonly populationVersion: number;
  /** Of the population that is changed. */
  readonly baseVersion: number;
  /** Ids of entities that are no longer there, ascending. */
  readonly removed: Uint32Array;
  /** Ids of entities that are new, or that have another kind or watch now; ascending. */
  readonly ids: Uint32Array;
  /** As in `PopulationFrame`, by position in `ids`. */
  readonly kinds: Uint8Array;
  readonly watchers: Uint8Array;
}

/** Allocates the frame's bytes, 6 per entity. */
export function writePopulationFrame(frame: Omit<PopulationFrame, 'kind'>): Uint8Array<ArrayBuffer> {
  const count = frame.ids.length;
  const view = beginFrame(FRAME_KINDS.population, WHOLE_HEADER_BYTES + padded(count * 6), frame.tick);
  view.setUint32(16, frame.populationVersion, true);
  view.setUint32(20, count, true);
  writeEntities(view, WHOLE_HEADER_BYTES, frame);
  return new Uint8Array(view.buffer);
}

/** Allocates the frame's bytes, 4 per removed entity and 6 per other one. */
export function writePopulationChange(frame: Omit<PopulationChangeFrame, 'kind'>): Uint8Array<ArrayBuffer> {
  const at = CHANGE_HEADER_BYTES + frame.removed.length * 4;
  const count = frame.ids.length;
  const view = beginFrame(FRAME_KINDS.populationChange, at + padded(count * 6), frame.tick);
  view.setUint32(16, frame.populationVersion, true);
  view.setUint32(20, frame.baseVersion, true);
  view.setUint32(24, frame.removed.length, true);
  view.setUint32(28, count, true);
  new Uint32Array(view.buffer, CHANGE_HEADER_BYTES, frame.removed.length).set(frame.removed);
  writeEntities(view, at, frame);
  return new Uint8Array(view.buffer);
}

export function readPopulationFrame(view: DataView<ArrayBuffer>): PopulationFrame | undefined {
  if (view.byteLength < WHOLE_HEADER_BYTES) return undefined;
  const entities = readEntities(view, WHOLE_HEADER_BYTES, view.getUint32(20, true));
  if (entities === undefined) return undefined;
  return {
    kind: 'population',
    tick: frameTick(view),
    populationVersion: view.getUint32(16, true),
    ...entities,
  };
}

export function readPopulationChange(view: DataView<ArrayBuffer>): PopulationChangeFrame | undefined {
  if (view.byteLength < CHANGE_HEADER_BYTES) return undefined;
  const removedCount = view.getUint32(24, true);
  const at = CHANGE_HEADER_BYTES + removedCount * 4;
  if (removedCount > MAX_ENTITIES || at > view.byteLength) return undefined;
  const removed = new Uint32Array(view.buffer, view.byteOffset + CHANGE_HEADER_BYTES, removedCount);
  const entities = readEntities(view, at, view.getUint32(28, true));
  if (entities === undefined || !isAscending(removed)) return undefined;
  return {
    kind: 'population-change',
    tick: frameTick(view),
    populationVersion: view.getUint32(16, true),
    baseVersion: view.getUint32(20, true),
    removed,
    ...entities,
  };
}

type Entities = Pick<PopulationFrame, 'ids' | 'kinds' | 'watchers'>;

/** The population after a change of these entities. Cost: O(n). */
export function populationAfter(before: Entities, change: PopulationChangeFrame): PopulationFrame {
  const most = before.ids.length + change.ids.length;
  const out = { ids: new Uint32Array(most), kinds: new Uint8Array(most), watchers: new Uint8Array(most) };
  let count = 0;
  const keep = ({ ids, kinds, watchers }: Entities, i: number) => {
    out.ids[count] = ids[i] as number;
    out.kinds[count] = kinds[i] as number;
    out.watchers[count++] = watchers[i] as number;
  };
  let set = 0;
  let gone = 0;
  for (let i = 0; i < before.ids.length; i++) {
    const id = before.ids[i] as number;
    while (set < change.ids.length && (change.ids[set] as number) < id) keep(change, set++);
    while (gone < change.removed.length && (change.removed[gone] as number) < id) gone++;
    if (change.ids[set] === id) keep(change, set++);
    else if (change.removed[gone] !== id) keep(before, i);
  }
  while (set < change.ids.length) keep(change, set++);
  const { tick, populationVersion } = change;
  return {
    kind: 'population',
    tick,
    populationVersion,
    ids: out.ids.subarray(0, count),
    kinds: out.kinds.subarray(0, count),
    watchers: out.watchers.subarray(0, count),
  };
}

function writeEntities(view: DataView<ArrayBuffer>, at: number, { ids, kinds, watchers }: Entities): void {
  const count = ids.length;
  new Uint32Array(view.buffer, at, count).set(ids);
  const bytes = new Uint8Array(view.buffer);
  bytes.set(kinds.subarray(0, count), at + count * 4);
  bytes.set(watchers.subarray(0, count), at + count * 5);
}

/** The columns from offset `at` to the frame's end. */
function readEntities(view: DataView<ArrayBuffer>, at: number, count: number): Entities | undefined {
  if (count > MAX_ENTITIES || view.byteLength !== at + padded(count * 6)) return undefined;
  const start = view.byteOffset + at;
  const ids = new Uint32Array(view.buffer, start, count);
  if (!isAscending(ids)) return undefined;
  return {
    ids,
    kinds: new Uint8Array(view.buffer, start + count * 4, count),
    watchers: new Uint8Array(view.buffer, start + count * 5, count),
  };
}

/** Ids must ascend, so that a page can merge one population with the next. */
function isAscending(ids: Uint32Array): boolean {
  for (let i = 1; i < ids.length; i++) if ((ids[i] as number) <= (ids[i - 1] as number)) return false;
  return true;
}
