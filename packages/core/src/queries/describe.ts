/**
 * A world as text, for people: the detector's structure and the entities along each axis. Around one entity: which
 * markers it perceives, by what rule, how far away, and which watchers perceive it. As of the last tick, without
 * entities removed since.
 *
 *   6 entities in 2-D as of tick 1, found by sweep
 *   ...the detector's own words...
 *   x: 1025(1, 5) -> 4097(2, 2) -> 3073(3, 1) -> ... 3 more -> end
 *   y: 3073(3, 1) -> 4097(2, 2) -> 6145(3, 3) -> ... 3 more -> end
 *   6145(3, 3) relates to 4, nearest first:
 *     4097(2, 2) perceived by sight: distance 1.414, reach 2
 *     ...
 *   4 relate to it, nearest first: 4097(2, 2), ...
 *
 * The chains are those that a cross list keeps, whichever detector is in use: neighbours in a chain are near each
 * other on that axis. `limit` bounds each list, and so the text, however large the world is. Cost: O(n log n).
 */
import type { EntityId } from '../entities/entity-ids.ts';
import type { EntityStore } from '../entities/entity-store.ts';
import { badOption, isRecord, rejectUnknownKeys, rounded } from '../errors.ts';
import { distanceBetween } from '../interest/rules/rank.ts';
import type { Ties } from '../interest/rules/ties.ts';
import { explain } from './explain.ts';
import type { IdList } from './id-list.ts';
import { type RelationSources, visibleTo } from './visibility.ts';
import { searchWatchers } from './watchers-of.ts';

/** Options of `World.describe`. */
export interface DescribeOptions {
  /**
   * The entity whose surroundings are described: its neighbours on each axis, and its relations. Default: none; lists
   * begin at their start.
   */
  around?: EntityId;
  /** Maximum number of entities in each list, a whole number from 0; 0: no lists. Default 10. */
  limit?: number;
}

const NAMES: ReadonlySet<string> = new Set(['around', 'limit']);
const DEFAULT_LIMIT = 10;

/** Throws `BAD_OPTION`, and for `around` `BAD_ID` and `STALE_ID`. */
export function describe(
  sources: RelationSources,
  ties: Ties,
  tickCount: number,
  options: DescribeOptions,
): string {
  if (!isRecord(options)) throw badOption('options', options, 'an object of DescribeOptions');
  rejectUnknownKeys(options, NAMES, 'DescribeOptions');
  const { around, limit = DEFAULT_LIMIT } = options;
  if (!Number.isSafeInteger(limit) || limit < 0) throw badOption('limit', limit, 'a whole number from 0');
  const { store, detector } = sources;
  const middle = around === undefined ? undefined : store.slotOf(around);
  const slots = settledSlots(store);
  const { dimensions } = store.settings;
  const lines = [
    `${slots.length} entities in ${dimensions}-D as of tick ${tickCount}, found by ${detector.name}`,
    detector.describe(),
  ];
  if (limit === 0) return lines.join('\n');
  const isSettled = middle !== undefined && store.last.isPresent(middle);
  for (const axis of (['x', 'y', 'z'] as const).slice(0, dimensions)) {
    lines.push(chain(store, slots, axis, isSettled ? middle : undefined, limit));
  }
  if (middle !== undefined) lines.push(...surroundings(sources, ties, middle, limit));
  return lines.join('\n');
}

/** Slots present at the last tick and now, ascending. */
function settledSlots({ last, now, slotCount }: EntityStore): number[] {
  const slots: number[] = [];
  for (let slot = 0; slot < slotCount; slot++)
    if (last.isPresent(slot) && now.isPresent(slot)) slots.push(slot);
  return slots;
}

/**
 * Some of the slots in their order on an axis, those with equal coordinates by slot: from the first on, or around
 * `middle`.
 */
function chain(
  store: EntityStore,
  slots: readonly number[],
  axis: 'x' | 'y' | 'z',
  middle: number | undefined,
  limit: number,
): string {
  const column = store.last[axis];
  const places = Float32Array.from(slots, (slot) => column[slot]).sort();
  const isBefore = (slot: number, other: number) =>
    column[slot] < column[other] || (column[slot] === column[other] && slot < other);
  const ownIndex = middle === undefined ? 0 : slots.filter((slot) => isBefore(slot, middle)).length;
  const begin = Math.max(0, Math.min(ownIndex - (limit >> 1), slots.length - limit));
  const end = Math.min(slots.length, begin + limit);
  // Only the slots in the window are sorted: the sorted column shows where the window begins and ends.
  const [least, most] = [places[begin], places[end - 1]];
  const near = slots.filter((slot) => column[slot] >= least && column[slot] <= most);
  near.sort((one, other) => column[one] - column[other] || one - other);
  const skipped = begin - places.indexOf(least);
  const links = near.slice(skipped, skipped + end - begin).map((slot) => {
    return slot === middle ? `[${placed(store, slot)}]` : placed(store, slot);
  });
  if (begin > 0) links.unshift(`${begin} before ...`);
  if (end < slots.length) links.push(`... ${slots.length - end} more`);
  return `${axis}: ${[...links, 'end'].join(' -> ')}`;
}

/** Which markers a slot relates to, by what rule and how far away; and which watchers relate to it. */
function surroundings(sources: RelationSources, ties: Ties, middle: number, limit: number): string[] {
  const { store } = sources;
  const name = placed(store, middle);
  if (!store.last.isPresent(middle)) return [`${name} was added after the last tick`];
  const [visible, watchers] = [visibleTo(sources, middle), searchWatchers(sources, middle)];
  const [visibleCount, watcherCount] = [visible.length, watchers.length];
  const lines = [
    visibleCount === 0
      ? `${name} relates to no marker`
      : `${name} relates to ${visibleCount}, nearest first:`,
  ];
  for (const slot of nearestFirst(store, middle, visible, limit)) {
    const { sentence } = explain(sources, ties, middle, slot);
    lines.push(`  ${placed(store, slot)} ${sentence.slice(sentence.indexOf(':') + 2)}`);
  }
  if (visibleCount > limit) lines.push(`  ... ${visibleCount - limit} more`);
  const shown = nearestFirst(store, middle, watchers, limit).map((slot) => placed(store, slot));
  if (watcherCount > limit) shown.push(`... ${watcherCount - limit} more`);
  const related = watcherCount === 1 ? '1 relates to it' : `${watcherCount} relate to it, nearest first`;
  lines.push(watcherCount === 0 ? 'no watcher relates to it' : `${related}: ${shown.join(', ')}`);
  return lines;
}

/** Sorts a list of ids by distance from a slot, ties by id, and cuts it; returns their slots. */
function nearestFirst(store: EntityStore, middle: number, ids: IdList, limit: number): number[] {
  const { settings, last } = store;
  ids.sortedBy((id) => distanceBetween(settings, last, middle, id >>> 10), limit);
  return Array.from({ length: ids.length }, (_, i) => ids.at(i) >>> 10);
}

/** An id and its position at the last tick, for an entity added since now: as many digits as a float32 distinguishes. */
function placed({ ids, last, now, settings }: EntityStore, slot: number): string {
  const { x, y, z } = last.isPresent(slot) ? last : now;
  const place = settings.dimensions === 3 ? [x[slot], y[slot], z[slot]] : [x[slot], y[slot]];
  return `${ids.idOf[slot]}(${place.map((value) => rounded(value, 7)).join(', ')})`;
}
