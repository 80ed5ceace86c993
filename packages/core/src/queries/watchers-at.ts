/**
 * The watchers that would perceive a place: for sending a sound, an explosion or a chat bubble to all that are near
 * enough, without an entity.
 *
 * The place counts as a marker at that position at the last tick: layers, channels, conditions and ranges decide as
 * for a marker, also with granularity 'cell'. Rules on top of perception do not apply: caps, pins, groups and margins
 * are ignored.
 *
 * The detector's index returns nearby watchers, and each is tested by the definition. A watcher whose range covers
 * the world must not make each call check all entities: the watchers with the longest ranges are in a separate list,
 * and the box only covers the ranges of the others; see `FarWatchers`.
 *
 * Cost: O(entities in the box, and the list); the first call after a tick in which an entity was added or changed,
 * O(n) once.
 */
import { boxAbout } from '../detectors/reach-box.ts';
import type { EntityId, EntityIds } from '../entities/entity-ids.ts';
import {
  checkedChannel,
  checkedLayers,
  checkedOnly,
  checkedOnlyGroups,
  checkPosition,
  checkReachOrder,
  readGains,
  readGroups,
  readMaxReaches,
  readMinReaches,
} from '../entities/entity-init.ts';
import type { EntityState } from '../entities/entity-state.ts';
import { cellsApart, isInside, isWithinCells, reachFrom } from '../entities/perception.ts';
import { SEARCH_SLACK } from '../entities/reach-limits.ts';
import { badOption, isRecord, rejectUnknownKeys } from '../errors.ts';
import type { WorldSettings } from '../settings.ts';
import type { FarWatchers } from './far-watchers.ts';
import { IdList } from './id-list.ts';
import { senseMask } from './sense-mask.ts';
import type { RelationSources } from './visibility.ts';

/** A place to be perceived. All but the position is optional, and means what it does in `EntityInit`. */
export interface Place {
  /** World units, |x| <= 1e12. */
  x: number;
  y: number;
  /** Required in 3-D, ignored in 2-D. */
  z?: number;
  /**
   * Scales the range of every watcher towards the place. A number is for every sense; default 1; 0: cannot be
   * perceived.
   */
  gain?: number | Readonly<Record<string, number>>;
  /**
   * Every watcher that has the sense perceives the place at least this far, world units. A number is for every sense;
   * default 0.
   */
  minReach?: number | Readonly<Record<string, number>>;
  /** No watcher perceives it farther than this, world units. A number is for every sense; default Infinity. */
  maxReach?: number | Readonly<Record<string, number>>;
  /** Layers that it is on: a 32-bit mask. Default 1. */
  layers?: number;
  /** The copy of the crowd that it is in; 0 (default) meets all. */
  channel?: number;
  /** A watcher must see all of these layers, in addition to one of `layers`. Default 0. */
  needs?: number;
  /** The id of the only watcher that meets it. Default 0: any. */
  only?: EntityId;
  /** Its group, for `onlyGroup`. A bare number is for the first kind. Default 0: none. */
  group?: number | Readonly<Record<string, number>>;
  /** Only watchers of its group meet it: in any kind (true), or in one of these kinds. Default false. */
  onlyGroup?: boolean | readonly string[];
  /** Names of the senses that can perceive it. Default: all. */
  senses?: readonly string[];
}

const f32 = Math.fround;

const NAMES: ReadonlySet<string> = new Set([
  'x',
  'y',
  'z',
  'gain',
  'minReach',
  'maxReach',
  'layers',
  'channel',
  'needs',
  'only',
  'group',
  'onlyGroup',
  'senses',
]);

/** A `Place`, checked and rounded as a marker's properties are. */
export interface CheckedPlace {
  readonly x: number;
  readonly y: number;
  /** 0 in 2-D. */
  readonly z: number;
  readonly gains: Float32Array;
  readonly minReaches: Float32Array;
  readonly maxReaches: Float32Array;
  readonly layers: number;
  readonly channel: number;
  readonly needs: number;
  /** 0 for any. */
  readonly only: EntityId;
  /** Bit k for kind k. */
  readonly onlyGroups: number;
  /** By kind. */
  readonly groups: Uint32Array;
  /** Bit i: sense i is used, and its gain is above 0. */
  readonly senses: number;
}

/**
 * Ids of the watchers that would perceive the place as of the last tick, ascending, without those removed since.
 * Throws `BAD_OPTION`, `BAD_POSITION`, `BAD_GAIN`, `BAD_RANGE`, `BAD_LAYERS`, `BAD_ID`, `UNKNOWN_SENSE`,
 * `UNKNOWN_GROUP`.
 */
export function watchersAt({ store, detector }: RelationSources, far: FarWatchers, given: Place): IdList {
  const { settings, last, now, ids } = store;
  const place = checkedPlace(settings, ids, given);
  const found = new IdList();
  far.refresh(store);
  const testIn = (watcher: number) => {
    if (last.isPresent(watcher) && now.isPresent(watcher) && perceives(settings, last, watcher, place))
      found.push(ids.idOf[watcher]);
  };
  const reach = reachOfOthers(far, place);
  const box = reach > 0 ? boxAbout(settings, place.x, place.y, place.z, reach) : undefined;
  far.eachIn(store, detector, box, place.channel, place.senses, testIn);
  return found.sorted();
}

/**
 * No watcher outside the list perceives the place from farther away than this; world units, search slack included.
 */
function reachOfOthers(far: FarWatchers, { senses, gains, minReaches, maxReaches }: CheckedPlace): number {
  let reach = 0;
  for (let s = 0; s < gains.length; s++) {
    if ((senses & (1 << s)) === 0) continue;
    const longest = far.longestNear[s];
    if (longest > 0)
      reach = Math.max(reach, Math.min(Math.max(longest * gains[s], minReaches[s]), maxReaches[s]));
  }
  return reach * SEARCH_SLACK;
}

/**
 * The definition, as in entities/perception.ts, for a present watcher and a place. Ranges are the watcher's own,
 * hidden or not.
 */
function perceives(
  settings: WorldSettings,
  state: EntityState,
  watcher: number,
  place: CheckedPlace,
): boolean {
  if ((state.sees.at(watcher) & place.layers) === 0) return false;
  const channel = state.channels.at(watcher);
  if (channel !== place.channel && channel !== 0 && place.channel !== 0) return false;
  if ((place.needs & ~state.sees.at(watcher)) !== 0) return false;
  if (place.only !== 0 && place.only !== state.idAt(watcher)) return false;
  if (place.onlyGroups !== 0 && !isOfGroup(state, watcher, place)) return false;
  const [x, y] = [state.x[watcher], state.y[watcher]];
  const z = settings.dimensions === 3 ? state.z[watcher] : 0;
  const ranges = state.ownRanges;
  for (let s = 0; s < settings.senseCount; s++) {
    if ((place.senses & (1 << s)) === 0) continue;
    const reach = reachFrom(ranges[s].at(watcher), place.gains[s], place.minReaches[s], place.maxReaches[s]);
    if (reach === 0) continue;
    const isPerceived =
      settings.granularity === 'cell'
        ? isCellReached(settings, x, y, z, place, reach)
        : isInside(settings, f32(place.x - x), f32(place.y - y), f32(place.z - z), reach);
    if (isPerceived) return true;
  }
  return false;
}

function isOfGroup(
  { groups: own }: EntityState,
  watcher: number,
  { onlyGroups, groups }: CheckedPlace,
): boolean {
  for (let kind = 0; kind < groups.length; kind++) {
    const group = (onlyGroups & (1 << kind)) === 0 ? 0 : groups[kind];
    if (group !== 0 && group === own[kind].at(watcher)) return true;
  }
  return false;
}

function isCellReached(
  settings: WorldSettings,
  x: number,
  y: number,
  z: number,
  place: CheckedPlace,
  reach: number,
): boolean {
  const [sizeX, sizeY, sizeZ] = settings.cellSize as readonly [number, number, number];
  const awayZ = settings.dimensions === 3 ? cellsApart(z, place.z, sizeZ) : 0;
  return isWithinCells(settings, cellsApart(x, place.x, sizeX), cellsApart(y, place.y, sizeY), awayZ, reach);
}

function checkedPlace(settings: WorldSettings, ids: EntityIds, given: Place): CheckedPlace {
  if (!isRecord(given)) throw badOption('place', given, 'an object of Place');
  rejectUnknownKeys(given, NAMES, 'Place');
  const { x, y, z, layers, channel, needs, only, group, onlyGroup, senses } = given;
  checkPosition(settings, x, y, z);
  const gains = new Float32Array(settings.senseCount).fill(1);
  const minReaches = new Float32Array(settings.senseCount);
  readGains(settings, given.gain, gains);
  const maxReaches = new Float32Array(settings.senseCount).fill(Number.POSITIVE_INFINITY);
  const minReachesGiven = readMinReaches(settings, given.minReach, minReaches);
  const maxReachesGiven = readMaxReaches(settings, given.maxReach, maxReaches);
  checkReachOrder(settings, { minReaches, maxReaches, minReachesGiven, maxReachesGiven });
  const groups = new Uint32Array(settings.groups.length);
  if (group !== undefined) readGroups(settings, group, groups);
  let mask = senses === undefined ? (1 << settings.senseCount) - 1 : senseMask(settings, senses);
  for (let s = 0; s < gains.length; s++) if (gains[s] === 0) mask &= ~(1 << s);
  return {
    x: f32(x) + 0,
    y: f32(y) + 0,
    z: settings.dimensions === 3 ? f32(z as number) + 0 : 0,
    gains,
    minReaches,
    maxReaches,
    layers: layers === undefined ? 1 : checkedLayers('layers', layers),
    channel: channel === undefined ? 0 : checkedChannel(channel),
    needs: needs === undefined ? 0 : checkedLayers('needs', needs),
    only: only === undefined ? 0 : checkedOnly(ids, only),
    onlyGroups: onlyGroup === undefined ? 0 : checkedOnlyGroups(settings, onlyGroup),
    groups,
    senses: mask,
  };
}
