/**
 * The entities inside a shape, and the nearest ones, as of the last tick: all present entities, whether any watcher
 * relates to them or not.
 *
 * Shapes are computed in float64 on stored positions; edges are inside. The detector's index gives candidates by box;
 * each is tested by the shape itself, then by the options. A user's filter is called when the index is no longer
 * being read, so it may change the world, or tick it. An entity that the filter removes is not tested any more, and
 * not returned.
 *
 * Cost: O(entities in the shape's box). `nearest` widens its box until it holds enough, so it costs about as much as
 * a query for a few times k entities. If hardly any pass the options, it reads all entities once, a few ns each.
 */
import type { Bounds } from '../detectors/bounds.ts';
import type { Detector, PlaceVisitor } from '../detectors/detector.ts';
import type { EntityId } from '../entities/entity-ids.ts';
import { checkedChannel, checkedGroup, checkedLayers, checkPosition } from '../entities/entity-init.ts';
import { eachPresent } from '../entities/entity-state.ts';
import type { EntityStore } from '../entities/entity-store.ts';
import { badOption, isRecord, rejectUnknownKeys, shown, UmweltError } from '../errors.ts';
import { IdList } from './id-list.ts';
import { prepareShape, type Shape } from './shape.ts';
import { type PreparedShape, SMALLEST_MARGIN } from './shapes/prepared-shape.ts';

/** What a query leaves out, its order, and its limit. */
export interface QueryOptions {
  /** Only entities with a layer in this mask. Default: any layers. */
  layers?: number;
  /** Only entities of this channel or of channel 0; 0 or absent: all. */
  channel?: number;
  /** Only entities in one of these groups, of the first kind. Default: in any group or none. */
  groups?: readonly number[];
  /** For `targets` only: only markers that the caster perceives with one of these senses. Default: any. */
  senses?: readonly string[];
  /** Only markers. Default false. */
  markersOnly?: boolean;
  /** Called last, once for each entity that passed all else, after the search. Default: all pass. */
  filter?: (id: EntityId) => boolean;
  /**
   * As of now: includes entities added, moved, changed and removed since the last tick. Default false: as of the last
   * tick. For `query` and `nearest`.
   */
  now?: boolean;
  /**
   * Default 'id'. 'nearest': by distance to the centre, a sector's or cone's apex, a capsule's first end; ties by id.
   */
  order?: 'id' | 'nearest';
  /** Maximum number of results: the first ones in the order. Default: all. */
  limit?: number;
  /** Filled and returned as `out.subarray(0, n)`; if it is absent or too small, a new array is returned. */
  out?: Uint32Array;
}

/** Options of `nearest`. */
export interface NearestOptions extends QueryOptions {
  /** Required in 3-D. */
  z?: number;
  /** World units; the boundary is included. Default: any distance. */
  maxDistance?: number;
}

const COMMON_NAMES = ['layers', 'channel', 'groups', 'markersOnly', 'filter', 'order', 'limit', 'out'];
const QUERY_NAMES: ReadonlySet<string> = new Set([...COMMON_NAMES, 'now']);
/** Options of `targets`. */
const TARGET_NAMES: ReadonlySet<string> = new Set([...COMMON_NAMES, 'senses']);
const NEAREST_NAMES: ReadonlySet<string> = new Set([...COMMON_NAMES, 'now', 'z', 'maxDistance']);

interface Filter {
  /** `undefined`: no mask was given, so even an entity without any layer passes. */
  readonly layers: number | undefined;
  readonly channel: number;
  readonly groups: ReadonlySet<number> | undefined;
  readonly markersOnly: boolean;
  readonly asked: ((id: EntityId) => boolean) | undefined;
  readonly isNow: boolean;
  readonly order: 'id' | 'nearest';
  readonly limit: number;
}

/** All entities inside `shape`. Throws `BAD_SHAPE`, `BAD_OPTION`, `BAD_LAYERS`. */
export function query(
  store: EntityStore,
  detector: Detector,
  shape: Shape,
  options: QueryOptions = {},
): IdList {
  const prepared = prepareShape(shape, store.settings.dimensions);
  const filter = readFilter(options, QUERY_NAMES, 'QueryOptions');
  const each = filter.isNow ? eachPlaceNow : eachPlace;
  return select(store, (visit) => each(store, detector, prepared, visit, filter.channel), prepared, filter);
}

/** As `query`, but only for the slots that `each` visits. */
export function queryAmong(
  store: EntityStore,
  each: (visit: (slot: number) => void) => void,
  shape: Shape,
  options: QueryOptions,
): IdList {
  const prepared = prepareShape(shape, store.settings.dimensions);
  const { x, y, z } = store.last;
  const is3D = store.settings.dimensions === 3;
  const eachOf = (visit: PlaceVisitor) => each((slot) => visit(slot, x[slot], y[slot], is3D ? z[slot] : 0));
  return select(store, eachOf, prepared, readFilter(options, TARGET_NAMES, 'QueryOptions'));
}

/**
 * Visits all entities present at the last tick that lie in a box, and maybe others that were present. `channel`: maybe without those in
 * another one; 0 or absent: all.
 */
function eachPlace(
  store: EntityStore,
  detector: Detector,
  bounds: Bounds,
  visit: PlaceVisitor,
  channel?: number,
): void {
  if (detector.collectPlaces !== undefined) {
    detector.collectPlaces(store, bounds, visit, channel);
    return;
  }
  const { x, y, z, flags } = store.last;
  const is3D = store.settings.dimensions === 3;
  const visitSlot = (slot: number) => {
    if (flags[slot] !== 0) visit(slot, x[slot], y[slot], is3D ? z[slot] : 0);
  };
  detector.collect(store, bounds, visitSlot, channel);
}

/** Visits all entities present now that lie in a box, and some others that are present. */
function eachPlaceNow(store: EntityStore, _detector: Detector, bounds: Bounds, visit: PlaceVisitor): void {
  const { x, y, z } = store.now;
  const is3D = store.settings.dimensions === 3;
  const radius = Math.max(bounds.maxX - bounds.minX, bounds.maxY - bounds.minY) / 2;
  store.momentGrid(radius).each(bounds, (slot) => visit(slot, x[slot], y[slot], is3D ? z[slot] : 0));
}

function select(
  store: EntityStore,
  each: (visit: PlaceVisitor) => void,
  prepared: PreparedShape,
  filter: Filter,
): IdList {
  const { idOf } = store.ids;
  const found = new IdList();
  const passes = passerOf(store, filter);
  each((slot, x, y, z) => {
    if (prepared.contains(x, y, z) && passes(slot)) found.push(idOf[slot]);
  });
  if (filter.order === 'id') found.sorted();
  else
    nearestFirst(
      store,
      found,
      filter,
      prepared.originX,
      prepared.originY,
      prepared.originZ,
      wantedBy(filter),
    );
  return accepted(store, found, filter.asked).truncate(filter.limit);
}

/**
 * Number of entities that the search must find. With a user's filter it must find all, because nobody knows how many
 * the filter accepts.
 */
function wantedBy({ asked, limit }: Filter): number {
  return asked === undefined ? limit : Number.POSITIVE_INFINITY;
}

/**
 * By world: how far entities are from each other, as the last searches for the nearest found it; world units. The longest range does not say
 * how dense a crowd is: it may be that of one watcher.
 */
const spacings = new WeakMap<EntityStore, number>();

/** By what factor a box grows that held no more of a channel than one of half its width. */
const FARTHER = 8;

/**
 * All entities are read, one after the other, where the next box might hold one in this many: an entity found by box takes about as long as
 * so many that are read. With a user's filter, where it might hold all: so the filter is called for few that are far away.
 */
const READ_SHARE = 16;

/** Up to so many wanted entities, a search remembers how far away the last of them is, and takes no others that are farther. */
const MOST_KEPT = 16;

/** The `k` nearest, nearest first, ties by id. Throws `BAD_POSITION`, `BAD_OPTION`, `BAD_RANGE`, `BAD_LAYERS`. */
export function nearest(
  store: EntityStore,
  detector: Detector,
  x: number,
  y: number,
  k: number,
  options: NearestOptions = {},
): IdList {
  const filter = readFilter(options, NEAREST_NAMES, 'nearest options');
  checkPosition(store.settings, x, y, options.z);
  const z = store.settings.dimensions === 3 ? (options.z as number) : 0;
  if (!Number.isInteger(k) || k < 0) throw badOption('k', k, 'a whole number from 0');
  const { maxDistance = Number.POSITIVE_INFINITY } = options;
  if (typeof maxDistance !== 'number' || !(maxDistance >= 0)) {
    throw new UmweltError('BAD_RANGE', `maxDistance: ${shown(maxDistance)} was given, expected 0 or more`, {
      field: 'maxDistance',
      value: maxDistance,
    });
  }
  const wanted = Math.min(k, filter.limit);
  if (wanted === 0) return new IdList();
  const asked = askedOnce(filter.asked);
  // All entities within the radius are in the box; farther ones in its corners are ignored in this round.
  const root = Math.sqrt(Math.max(8, wanted));
  const usual = spacings.get(store) ?? Math.max(1, ...store.limits.maxRange) / 4;
  const { dimensions } = store.settings;
  let before = -1;
  let growth = 2;
  let isReading = false;
  for (let radius = usual * root; ; ) {
    const near = new IdList();
    const reach = Math.min(radius, maxDistance);
    const needed = asked === undefined ? wanted : Number.POSITIVE_INFINITY;
    const index = isReading ? undefined : detector;
    const seen: number = collectWithin(store, index, filter, x, y, z, reach, needed, near);
    // Sorted, and as ids, before the filter is called: a filter that ticks the world changes the entity and position
    // of a slot.
    nearestFirst(store, near, filter, x, y, z, needed);
    const found = accepted(store, near, asked);
    if (found.length >= wanted)
      spacings.set(store, Math.max(SMALLEST_MARGIN, Math.min(4 * usual, reach * Math.sqrt(2 / seen))));
    if (found.length >= wanted || reach >= maxDistance) return found.truncate(wanted);
    // Once the box holds all entities, or many, the last search goes to the maximum distance. How many of a channel there are is not known: there
    // the box becomes much larger if it held no more than the one before, in case the place is empty, and then has no bounds.
    const isAll: boolean = seen >= (filter.isNow ? store.size : store.sizeAtLastTick);
    if (filter.channel === 0 || seen !== before) growth = 2;
    else growth = growth === 2 ? FARTHER : Number.POSITIVE_INFINITY;
    const expected = seen * growth ** dimensions * (asked === undefined ? READ_SHARE : 1);
    isReading = isAll || expected >= store.slotCount;
    radius = isReading ? maxDistance : radius * growth;
    before = seen;
  }
}

/** Wraps the user's filter so that it is called once for each id, however often the search finds it. */
function askedOnce(asked: Filter['asked']): Filter['asked'] {
  if (asked === undefined) return undefined;
  const answers = new Map<EntityId, boolean>();
  return (id) => {
    const answer = answers.get(id) ?? Boolean(asked(id));
    answers.set(id, answer);
    return answer;
  };
}

/**
 * Adds to `found` the slots that pass, within `reach` of a point; returns how many entities the box held. Without a detector, all entities
 * are read. Once `wanted` are found, it may leave out those that are farther: from a point far away, a box soon holds the whole crowd.
 */
function collectWithin(
  store: EntityStore,
  detector: Detector | undefined,
  filter: Filter,
  x: number,
  y: number,
  z: number,
  reach: number,
  wanted: number,
  found: IdList,
): number {
  const { idOf } = store.ids;
  const passes = passerOf(store, filter);
  const is3D = store.settings.dimensions === 3;
  // Slightly wider than the radius: the box is compared with rounded differences, and squares of tiny ones are 0.
  const half = reach * (1 + 2 ** -40) + SMALLEST_MARGIN;
  const bounds: Bounds = {
    minX: x - half,
    maxX: x + half,
    minY: y - half,
    maxY: y + half,
    minZ: is3D ? z - half : Number.NEGATIVE_INFINITY,
    maxZ: is3D ? z + half : Number.POSITIVE_INFINITY,
  };
  let seen = 0;
  // The `wanted` least squared distances so far, ascending; none if that many take longer to keep than to sort in the end.
  const areKept = wanted <= MOST_KEPT;
  const least = new Array<number>(areKept ? wanted : 1).fill(reach * reach);
  const end = least.length - 1;
  const visit: PlaceVisitor = (slot, atX, atY, atZ) => {
    seen++;
    const distance = squared(atX - x, atY - y, atZ - z);
    if (distance > least[end] || !passes(slot)) return;
    found.push(idOf[slot]);
    if (!areKept) return;
    let at = end;
    while (least[at - 1] > distance) least[at] = least[--at];
    least[at] = distance;
  };
  if (detector === undefined) eachPresent(filter.isNow ? store.now : store.last, store.slotCount, visit);
  else (filter.isNow ? eachPlaceNow : eachPlace)(store, detector, bounds, visit, filter.channel);
  return seen;
}

/** Sorts ids by their distance from a point, ties by id; keeps the first `wanted`. */
function nearestFirst(
  store: EntityStore,
  found: IdList,
  { isNow }: Filter,
  x: number,
  y: number,
  z: number,
  wanted: number,
): void {
  const state = isNow ? store.now : store.last;
  const is3D = store.settings.dimensions === 3;
  found.sortedBy((id) => {
    const slot = id >>> 10;
    return squared(state.x[slot] - x, state.y[slot] - y, is3D ? state.z[slot] - z : 0);
  }, wanted);
}

function squared(dx: number, dy: number, dz: number): number {
  return dx * dx + dy * dy + dz * dz;
}

/**
 * Returns a test of whether a slot passes all options except the user's filter, and was not removed since. Arrays are
 * read once: nothing moves while the index is read.
 */
function passerOf(store: EntityStore, filter: Filter): (slot: number) => boolean {
  const state = filter.isNow ? store.now : store.last;
  const isThere = store.now.flags;
  const { layers, channel, groups, markersOnly } = filter;
  if (channel === 0 && groups === undefined && !markersOnly) {
    if (layers === undefined) return (slot) => isThere[slot] !== 0;
    const masks = state.layers.column?.array;
    if (masks !== undefined) return (slot) => isThere[slot] !== 0 && (masks[slot] & layers) !== 0;
  }
  return (slot) => {
    if (isThere[slot] === 0) return false;
    if (markersOnly && !state.isPerceptible(slot)) return false;
    if (layers !== undefined && (state.layers.at(slot) & layers) === 0) return false;
    if (groups !== undefined && !groups.has(state.groups[0].at(slot))) return false;
    const own = state.channels.at(slot);
    return channel === 0 || own === 0 || own === channel;
  };
}

/**
 * Throws `BAD_OPTION` unless `options` is an object. An array would pass as an object: its `filter` is the array
 * method.
 */
export function checkOptions(options: unknown, what: string): void {
  if (!isRecord(options)) throw badOption('options', options, `an object of ${what}`);
}

function readFilter(options: QueryOptions, known: ReadonlySet<string>, what: string): Filter {
  checkOptions(options, what);
  rejectUnknownKeys(options, known, what);
  const {
    layers,
    channel,
    groups,
    markersOnly = false,
    filter,
    now = false,
    order = 'id',
    limit = Number.POSITIVE_INFINITY,
    out,
  } = options;
  if (typeof markersOnly !== 'boolean') throw badOption('markersOnly', markersOnly, 'true or false');
  if (typeof now !== 'boolean') throw badOption('now', now, 'true or false');
  if (filter !== undefined && typeof filter !== 'function') throw badOption('filter', filter, 'a function');
  if (order !== 'id' && order !== 'nearest') throw badOption('order', order, "'id' or 'nearest'");
  if (limit !== Number.POSITIVE_INFINITY && !(Number.isInteger(limit) && limit >= 0)) {
    throw badOption('limit', limit, 'a whole number from 0');
  }
  if (out !== undefined && !(out instanceof Uint32Array)) throw badOption('out', out, 'a Uint32Array');
  return {
    layers: layers === undefined ? undefined : checkedLayers('layers', layers),
    channel: channel === undefined ? 0 : checkedChannel(channel),
    groups: groups === undefined ? undefined : checkedGroups(groups),
    markersOnly,
    asked: filter,
    isNow: now,
    order,
    limit,
  };
}

function checkedGroups(groups: unknown): ReadonlySet<number> {
  if (!Array.isArray(groups)) throw badOption('groups', groups, 'a list of group numbers');
  return new Set(Array.from(groups, (group) => checkedGroup('groups', group)));
}

/** The ids that the user's filter accepts, in order, without entities that the filter removed. */
function accepted(store: EntityStore, found: IdList, asked: Filter['asked']): IdList {
  if (asked === undefined) return found;
  return found.filtered((id) => store.has(id) && asked(id)).filtered((id) => store.has(id));
}
