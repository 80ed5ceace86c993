/**
 * `World`, as plainly as it can be said: the definition that detectors and worlds are held against.
 *
 * Problem: a test needs a second opinion that shares nothing with the engine. Method: entities are plain objects in
 * a Map, a tick compares every pair now with every pair at the last tick, lists are sorted arrays. Nothing is kept
 * that could be wrong in a clever way. Cost: O(n^2) a tick, and garbage; meant for worlds of up to some hundred.
 *
 * The model checks no arguments: it is for scripts that make no mistakes. It takes ids from the world beside it
 * (`add(init, id)`), or counts them up when it stands alone; it never reuses one of its own.
 *
 * Readings, where the contract leaves room: removed ids include those added in the same interval; before the first
 * tick every answer about relations is empty; `updates` is looked at when the tick runs, so `updates: true` reports
 * what changed since the tick before; a change of properties alone is no `updated`.
 */
import type { EntityId, EntityInit, EntityPatch, WorldOptions } from '../index.ts';
import {
  applyPatch,
  type Figure,
  isWatcher,
  type ModelOptions,
  modelOptions,
  perceivedSenses,
  plainFigure,
  storedPosition,
} from './perception.ts';
import type { CrowdInit, Report, ReportView, Subject } from './subject.ts';

/** Sense masks by marker, by watcher. */
type Relations = Map<EntityId, Map<EntityId, number>>;

export class WorldModel implements Subject {
  readonly options: ModelOptions;
  #now = new Map<EntityId, Figure>();
  #last = new Map<EntityId, Figure>();
  #relations: Relations = new Map();
  #touched = new Set<EntityId>();
  #removed: EntityId[] = [];
  #tickCount = 0;
  #nextSlot = 0;

  constructor(options: WorldOptions = {}) {
    this.options = modelOptions(options);
  }

  get size(): number {
    return this.#now.size;
  }

  /** Entities as of the last tick, less those removed since: what queries answer from. */
  get settled(): ReadonlyMap<EntityId, Readonly<Figure>> {
    return new Map([...this.#last].filter(([id]) => this.#now.has(id)));
  }

  add(init: EntityInit, id: EntityId = this.#ownId()): EntityId {
    const figure = plainFigure(this.options);
    this.#place(figure, init.x, init.y, init.z);
    applyPatch(figure, init, this.options);
    this.#now.set(id, figure);
    return id;
  }

  addMany(init: CrowdInit, ids?: Uint32Array): Uint32Array {
    const given = ids ?? Uint32Array.from({ length: init.x.length }, () => this.#ownId());
    for (let i = 0; i < init.x.length; i++) {
      this.add({ ...init, x: init.x[i], y: init.y[i], z: init.z?.[i] ?? 0 }, given[i]);
    }
    return given;
  }

  move(id: EntityId, x: number, y: number, z?: number): void {
    this.#place(this.#figure(id), x, y, z);
  }

  moveMany(
    ids: Uint32Array,
    x: ArrayLike<number>,
    y: ArrayLike<number>,
    z?: ArrayLike<number>,
    at?: ArrayLike<number>,
  ): void {
    const indices = at === undefined ? ids.keys() : Array.from(at);
    for (const i of indices) this.move(ids[i], x[i], y[i], z?.[i]);
  }

  update(id: EntityId, patch: EntityPatch): void {
    applyPatch(this.#figure(id), patch, this.options);
  }

  touch(id: EntityId): void {
    this.#figure(id);
    this.#touched.add(id);
  }

  remove(id: EntityId): void {
    this.#figure(id);
    this.#now.delete(id);
    this.#removed.push(id);
  }

  removeMany(ids: Uint32Array): void {
    for (const id of ids) this.remove(id);
  }

  has(id: EntityId): boolean {
    return this.#now.has(id);
  }

  position(id: EntityId): Float32Array {
    const { x, y, z } = this.#figure(id);
    return Float32Array.from(this.options.dimensions === 2 ? [x, y] : [x, y, z]);
  }

  ids(): Uint32Array {
    return Uint32Array.from(this.#now.keys()).sort();
  }

  tick(): ModelReport {
    const before = this.#relations;
    const after = this.#perceiveAll();
    const views: ReportView[] = [];
    for (const watcher of this.ids()) {
      const view = this.#viewOf(watcher, before.get(watcher), after.get(watcher));
      if (view !== undefined) views.push(view);
    }
    const report = new ModelReport(++this.#tickCount, views, Uint32Array.from(this.#removed).sort());
    this.#relations = after;
    this.#touched.clear();
    this.#removed = [];
    this.#last = new Map();
    for (const [id, figure] of this.#now) {
      const { ranges, gains, minReaches } = figure;
      this.#last.set(id, { ...figure, ranges: [...ranges], gains: [...gains], minReaches: [...minReaches] });
    }
    return report;
  }

  visibleTo(watcher: EntityId): Uint32Array {
    this.#figure(watcher);
    const markers = this.#relations.get(watcher)?.keys() ?? [];
    return Uint32Array.from([...markers].filter((marker) => this.#now.has(marker))).sort();
  }

  watchersOf(marker: EntityId): Uint32Array {
    this.#figure(marker);
    const watchers: EntityId[] = [];
    for (const [watcher, markers] of this.#relations) {
      if (markers.has(marker) && this.#now.has(watcher)) watchers.push(watcher);
    }
    return Uint32Array.from(watchers).sort();
  }

  related(watcher: EntityId, marker: EntityId): boolean {
    return this.senses(watcher, marker) !== 0;
  }

  senses(watcher: EntityId, marker: EntityId): number {
    this.#figure(watcher);
    this.#figure(marker);
    return this.#relations.get(watcher)?.get(marker) ?? 0;
  }

  #perceiveAll(): Relations {
    const relations: Relations = new Map();
    for (const [watcher, seer] of this.#now) {
      if (!isWatcher(seer)) continue;
      const markers = new Map<EntityId, number>();
      for (const [marker, seen] of this.#now) {
        const mask = perceivedSenses(seer, seen, this.options);
        if (mask !== 0) markers.set(marker, mask);
      }
      relations.set(watcher, markers);
    }
    return relations;
  }

  #viewOf(
    watcher: EntityId,
    before: Map<EntityId, number> = new Map(),
    after: Map<EntityId, number> = new Map(),
  ): ReportView | undefined {
    const hears = this.#figure(watcher).updates;
    const entered: EntityId[] = [];
    const updated: EntityId[] = [];
    const sensed: EntityId[] = [];
    for (const [marker, mask] of after) {
      if (!before.has(marker)) entered.push(marker);
      else {
        if (hears && this.#hasChanged(marker)) updated.push(marker);
        if (before.get(marker) !== mask) sensed.push(marker);
      }
    }
    const left = [...before.keys()].filter((marker) => !after.has(marker));
    if (entered.length + left.length + updated.length + sensed.length === 0) return undefined;
    const [ascending, none] = [(ids: EntityId[]) => Uint32Array.from(ids).sort(), new Uint32Array(0)];
    return {
      watcher,
      entered: entered.length > 0 ? ascending(entered) : none,
      left: left.length > 0 ? ascending(left) : none,
      updated: updated.length > 0 ? ascending(updated) : none,
      sensed: sensed.length > 0 ? ascending(sensed) : none,
    };
  }

  /** Whether it was touched, or stands elsewhere than at the last tick. */
  #hasChanged(id: EntityId): boolean {
    const now = this.#figure(id);
    const last = this.#last.get(id);
    if (this.#touched.has(id)) return true;
    return last === undefined || now.x !== last.x || now.y !== last.y || now.z !== last.z;
  }

  #place(figure: Figure, x: number, y: number, z = 0): void {
    figure.x = storedPosition(x);
    figure.y = storedPosition(y);
    figure.z = this.options.dimensions === 2 ? 0 : storedPosition(z);
  }

  #figure(id: EntityId): Figure {
    const figure = this.#now.get(id);
    if (figure === undefined) throw new Error(`the script names ${id}, which is not present`);
    return figure;
  }

  #ownId(): EntityId {
    return this.#nextSlot++ * 1024 + 1;
  }
}

/** What the model reports for one tick; valid for ever. */
export class ModelReport implements Report {
  readonly tick: number;
  readonly viewCount: number;
  readonly enteredCount: number;
  readonly leftCount: number;
  readonly updatedCount: number;
  readonly sensedCount: number;
  readonly removed: Uint32Array;
  readonly #views: readonly ReportView[];

  constructor(tick: number, views: readonly ReportView[], removed: Uint32Array) {
    const total = (kind: 'entered' | 'left' | 'updated' | 'sensed') =>
      views.reduce((sum, view) => sum + view[kind].length, 0);
    this.tick = tick;
    this.#views = views;
    this.removed = removed;
    this.viewCount = views.length;
    this.enteredCount = total('entered');
    this.leftCount = total('left');
    this.updatedCount = total('updated');
    this.sensedCount = total('sensed');
  }

  of(watcher: EntityId): ReportView | undefined {
    return this.#views.find((view) => view.watcher === watcher);
  }

  [Symbol.iterator](): Iterator<ReportView> {
    return this.#views[Symbol.iterator]();
  }
}
