/**
 * `World` as plainly as possible: the reference that detectors and worlds are compared with.
 *
 * Problem: a test needs a reference that shares nothing with the engine. Method: entities are plain objects in a Map;
 * a tick tests every pair, and `model/` decides it rule by rule; lists are sorted arrays. No state is kept that could
 * be wrong in a subtle way. Cost: O(n^2) a tick, and garbage; meant for worlds of up to some hundred entities.
 *
 * The model checks no arguments except for attachments, whose validity depends on earlier calls: it is for scripts
 * without other mistakes. It takes ids from the world beside it (`add(init, id)`), or counts them up if it is used
 * alone; it never reuses its own ids.
 *
 * Interpretations where the contract leaves room: removed ids include those added in the same interval; before the
 * first tick every answer about relations is empty; a change of properties alone is no `updated`; an entity that
 * holds a pin is a watcher even while the pin has no effect; giving a name the same interest again is a change of
 * interest.
 */
import {
  type CountOptions,
  type EntityId,
  type EntityInit,
  type EntityPatch,
  type Interest,
  type MoveManyOptions,
  type MoveOptions,
  type PinOptions,
  type Place,
  UmweltError,
  type UpdateColumns,
  type ValueColumns,
  type WorldOptions,
  type WorldStats,
} from '../index.ts';
import { checkChain, childrenOf, placeAll, placeOf, release, withDescendants } from './model/attachments.ts';
import type { PlainExplanation } from './model/explanation.ts';
import type { PlainOutranked } from './model/outranked.ts';
import { PlainRelations } from './model/relations.ts';
import {
  applyPatch,
  type Figure,
  type ModelOptions,
  modelOptions,
  plainFigure,
  storedPosition,
  watchersOfPlace,
} from './perception.ts';
import { plainStateHash } from './plain-state-hash.ts';
import type { CrowdInit, Offset, Report, ReportView, Subject } from './subject.ts';

/** The counts in `World.stats` that are not about a single tick, by name. */
export const PAIR_COUNTS = ['relationCount', 'lingeringCount', 'waitingCount', 'attachedCount'] as const;
type PairCount = (typeof PAIR_COUNTS)[number];

/** The engine in the plainest code, by the definition: slow, and the reference for scripts. Members as in `World`. */
export class WorldModel implements Subject {
  /** The options that it was created with. */
  readonly options: ModelOptions;
  readonly #relations: PlainRelations;
  readonly #now = new Map<EntityId, Figure>();
  readonly #touched = new Set<EntityId>();
  /** Teleported since the last tick; without the children attached to them. */
  readonly #teleported = new Set<EntityId>();
  #removed: EntityId[] = [];
  #tickCount = 0;
  #nextSlot = 0;

  constructor(options: WorldOptions = {}) {
    this.options = modelOptions(options);
    this.#relations = new PlainRelations(this.options, options);
  }

  get size(): number {
    return this.#now.size;
  }

  /** Entities as of the last tick, without those removed since: queries use these. */
  get settled(): ReadonlyMap<EntityId, Readonly<Figure>> {
    return new Map([...this.#relations.last].filter(([id]) => this.#now.has(id)));
  }

  /** Entities as of now. */
  get present(): ReadonlyMap<EntityId, Readonly<Figure>> {
    placeAll(this.#now);
    return this.#now;
  }

  add(init: EntityInit, id: EntityId = this.#ownId()): EntityId {
    const figure = plainFigure(this.options, id);
    this.#place(figure, init.x, init.y, init.z);
    applyPatch(figure, init, this.options);
    this.#now.set(id, figure);
    return id;
  }

  /** As `World.addMany`, with these `ids`; they are new ones unless given. */
  addMany(init: CrowdInit, ids?: Uint32Array): Uint32Array {
    const given = ids ?? Uint32Array.from({ length: init.x.length }, () => this.#ownId());
    for (let i = 0; i < init.x.length; i++) {
      this.add({ ...init, x: init.x[i], y: init.y[i], z: init.z?.[i] ?? 0 }, given[i]);
    }
    return given;
  }

  move(id: EntityId, x: number, y: number, z?: number, options: MoveOptions = {}): void {
    this.#checkFree(id);
    this.#place(this.#figure(id), x, y, z);
    if (options.teleport) this.#teleported.add(id);
  }

  moveMany(
    ids: Uint32Array,
    x: ArrayLike<number>,
    y: ArrayLike<number>,
    z?: ArrayLike<number>,
    at?: ArrayLike<number>,
    { teleport = false, count }: MoveManyOptions = {},
  ): void {
    const indices = [...(at === undefined ? ids.keys() : Array.from(at))].slice(0, count);
    for (const i of indices) this.#checkFree(ids[i]);
    for (const i of indices) this.move(ids[i], x[i], y[i], z?.[i], { teleport });
  }

  update(id: EntityId, patch: EntityPatch): void {
    applyPatch(this.#figure(id), patch, this.options);
  }

  updateMany(ids: Uint32Array, columns: UpdateColumns, { count }: CountOptions = {}): void {
    ids.subarray(0, count).forEach((id, k) => {
      const patch = Object.entries(columns).map(([member, column]) => [member, columnAt(column, k)]);
      this.update(id, Object.fromEntries(patch));
    });
  }

  touch(id: EntityId): void {
    this.#figure(id);
    this.#touched.add(id);
  }

  remove(id: EntityId): void {
    this.removeMany(Uint32Array.of(id));
  }

  removeMany(ids: Uint32Array): void {
    for (const id of ids) this.#figure(id);
    release(this.#now, new Set(ids));
    for (const id of ids) {
      this.#now.delete(id);
      this.#relations.remove(id);
      this.#removed.push(id);
    }
  }

  has(id: EntityId): boolean {
    return this.#now.has(id);
  }

  position(id: EntityId): Float32Array {
    const [x, y, z] = placeOf(this.#now, this.#figure(id));
    return Float32Array.from(this.options.dimensions === 2 ? [x, y] : [x, y, z]);
  }

  ids(): Uint32Array {
    return Uint32Array.from(this.#now.keys()).sort();
  }

  attach(child: EntityId, parent: EntityId, { x = 0, y = 0, z = 0 }: Offset = {}): void {
    const figure = this.#figure(child);
    this.#figure(parent);
    checkChain(this.#now, child, parent);
    figure.parent = parent;
    figure.offset = [x, y, this.options.dimensions === 2 ? 0 : z].map(storedPosition);
  }

  detach(child: EntityId): void {
    const figure = this.#figure(child);
    [figure.x, figure.y, figure.z] = placeOf(this.#now, figure);
    figure.parent = 0;
  }

  parentOf(child: EntityId): EntityId | undefined {
    return this.#figure(child).parent || undefined;
  }

  childrenOf(parent: EntityId): Uint32Array {
    return Uint32Array.from(childrenOf(this.#now, parent));
  }

  pin(watcher: EntityId, marker: EntityId, reason = '', limits: PinOptions = {}): void {
    this.#figure(watcher);
    this.#figure(marker);
    this.#relations.ties.pin(watcher, marker, reason, limits);
  }

  unpin(watcher: EntityId, marker: EntityId, reason = ''): void {
    this.#relations.ties.unpin(watcher, marker, reason);
  }

  block(watcher: EntityId, marker: EntityId): void {
    this.#figure(watcher);
    this.#figure(marker);
    this.#relations.ties.block(watcher, marker);
  }

  unblock(watcher: EntityId, marker: EntityId): void {
    this.#relations.ties.unblock(watcher, marker);
  }

  setInterest(name: string, interest: Interest): void {
    this.#relations.setInterest(name, interest);
  }

  /**
   * Becomes the world that `World.restore` makes of `snapshot({ atRest: true })`. If all are at rest anyway, that
   * changes nothing, because rest has made them forget as much.
   */
  restAll(): void {
    const all = [...this.#now.values(), ...this.#relations.last.values()];
    if (all.every(({ watches }) => !watches)) return;
    for (const figure of this.#now.values()) figure.watches = false;
    this.#relations.restAll();
  }

  /** Hash of the last tick's state. */
  stateHash(): string {
    return plainStateHash(this.#relations.last, this.options);
  }

  tick(): ModelReport {
    placeAll(this.#now);
    const before = this.#relations.watched;
    const teleported = withDescendants(this.#now, this.#teleported);
    const views = this.#relations.tick(this.#tickCount + 1, this.#now, this.#touched, teleported);
    this.#tickCount++;
    views.sort((one, other) => one.watcher - other.watcher);
    const after = this.#relations.watched;
    const report = new ModelReport(this.#tickCount, views, ascending(this.#removed), {
      watched: ascending([...after].filter((marker) => !before.has(marker))),
      unwatched: ascending([...before].filter((marker) => !after.has(marker) && this.#now.has(marker))),
    });
    this.#touched.clear();
    this.#teleported.clear();
    this.#removed = [];
    return report;
  }

  /** Number of pairs related as of the last tick. */
  get relationCount(): number {
    return this.#relations.count;
  }

  /** The counts of `World.stats` about pairs and attachments. */
  stats(): Pick<WorldStats, PairCount> {
    const { relationCount } = this;
    const { lingeringCount, waitingCount } = this.#relations;
    const attachedCount = [...this.#now.values()].filter(({ parent }) => parent !== 0).length;
    return { relationCount, lingeringCount, waitingCount, attachedCount };
  }

  visibleTo(watcher: EntityId): Uint32Array {
    this.#figure(watcher);
    const markers = [...this.#relations.bondsOf(watcher)].flatMap(([id, bond]) =>
      bond.isRelated ? [id] : [],
    );
    return Uint32Array.from(markers.filter((marker) => this.#now.has(marker))).sort();
  }

  watchersOf(marker: EntityId): Uint32Array {
    this.#figure(marker);
    const watchers = [...this.#now.keys()].filter((watcher) => this.#relations.related(watcher, marker));
    return Uint32Array.from(watchers).sort();
  }

  /** The watchers that would have perceived a marker at that place: as `World.watchersAt`. */
  watchersAt(place: Place): Uint32Array {
    return watchersOfPlace(this.settled, place, this.options);
  }

  related(watcher: EntityId, marker: EntityId): boolean {
    this.#figure(watcher);
    this.#figure(marker);
    return this.#relations.related(watcher, marker) !== undefined;
  }

  senses(watcher: EntityId, marker: EntityId): number {
    this.#figure(watcher);
    this.#figure(marker);
    return this.#relations.related(watcher, marker)?.senses ?? 0;
  }

  /** What decided on the pair at the last tick: as `World.explain`, without its sentence. */
  explain(watcher: EntityId, marker: EntityId): PlainExplanation {
    return this.#relations.explained(watcher, marker);
  }

  /** Who got no seat at the last tick: as `World.outranked`, without ranks. `undefined`: nothing limits its seats. */
  outranked(watcher: EntityId): PlainOutranked | undefined {
    this.#figure(watcher);
    return this.#relations.outranked(watcher, (id) => this.#now.has(id));
  }

  #checkFree(id: EntityId): void {
    if (this.#figure(id).parent !== 0) throw new UmweltError('UNSUPPORTED', 'it is attached', { id });
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

/** The model's report of one tick; always valid. */
export class ModelReport implements Report {
  readonly tick: number;
  readonly viewCount: number;
  readonly enteredCount: number;
  readonly leftCount: number;
  readonly updatedCount: number;
  readonly sensedCount: number;
  readonly removed: Uint32Array;
  readonly watched: Uint32Array;
  readonly unwatched: Uint32Array;
  readonly #views: readonly ReportView[];

  constructor(
    tick: number,
    views: readonly ReportView[],
    removed: Uint32Array,
    { watched, unwatched }: Pick<Report, 'watched' | 'unwatched'> = { watched: NOBODY, unwatched: NOBODY },
  ) {
    const total = (kind: 'entered' | 'left' | 'updated' | 'sensed') =>
      views.reduce((sum, view) => sum + view[kind].length, 0);
    this.tick = tick;
    this.#views = views;
    this.removed = removed;
    this.watched = watched;
    this.unwatched = unwatched;
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

const NOBODY = new Uint32Array(0);

function ascending(ids: readonly EntityId[]): Uint32Array {
  return ids.length === 0 ? NOBODY : Uint32Array.from(ids).sort();
}

/** The k-th value of a column, or of each column of a record. */
function columnAt(column: ValueColumns, k: number): number | Record<string, number> {
  if (Array.isArray(column)) return column[k];
  const named = Object.entries(column as Record<string, number[]>);
  return Object.fromEntries(named.map(([name, values]) => [name, values[k]]));
}
