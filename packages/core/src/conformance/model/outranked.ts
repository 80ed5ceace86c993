/**
 * The markers that got no seat at the last tick because of a cap, a quota or an enter budget: the definition of
 * `World.outranked`.
 *
 * Seated markers have the first places, then come the others by rank without the bonus, ties by lower id. Markers
 * removed since have a place, but are not named. Cost: O(n log n) a watcher.
 */
import type { EntityId, Outranked } from '../../index.ts';
import { NO_BONDS } from './bond.ts';
import { rankOf } from './cap.ts';
import type { Aftermath } from './explanation.ts';
import { capOf } from './rules.ts';

export type PlainOutranked = Pick<Outranked, 'seats' | 'seated' | 'total' | 'ids' | 'places'>;

/** `undefined` if nothing limits the watcher's seats, or if it did not exist at the last tick. */
export function outranked(
  { options, rules, figures, bonds, unseated }: Aftermath,
  watcher: EntityId,
  isPresent: (id: EntityId) => boolean,
): PlainOutranked | undefined {
  const seer = figures.get(watcher);
  if (seer === undefined) return undefined;
  const book = rules.of(seer);
  const cap = capOf(seer, book);
  if (Math.min(cap, book.enterBudget) === Number.POSITIVE_INFINITY && book.quotas.length === 0)
    return undefined;
  const own = [...(bonds.get(watcher) ?? NO_BONDS).values()];
  const seated = own.filter(({ isSeated }) => isSeated).length;
  const ranked: { id: EntityId; rank: number }[] = [];
  for (const [id, { why }] of unseated.get(watcher) ?? []) {
    if (why !== 'cap' && why !== 'waiting') continue;
    const figure = figures.get(id);
    if (figure === undefined) continue;
    const rank = rankOf(watcher, seer, book, { marker: id, figure, isSeated: false }, options);
    ranked.push({ id, rank: Number.isNaN(rank) ? Number.POSITIVE_INFINITY : rank });
  }
  ranked.sort((one, other) => (one.rank === other.rank ? one.id - other.id : one.rank < other.rank ? -1 : 1));
  const placed = ranked.map(({ id }, i) => ({ id, place: seated + 1 + i }));
  const present = placed.filter(({ id }) => isPresent(id));
  return {
    seats: Math.max(0, cap - own.filter(({ isForced }) => isForced).length),
    seated,
    total: present.length,
    ids: Uint32Array.from(present, ({ id }) => id),
    places: Uint32Array.from(present, ({ place }) => place),
  };
}
