/**
 * The watchers that may relate to anything that is pending in the tick under way: those near it (interest/grids/near-watchers.ts), and those that
 * relate to it from any distance, by a pin, a group, a parent, because it is shown always, or because it lingers.
 *
 * Cost: O(watchers listed) for each pending entity, in addition to the search of those near it.
 */
import { unionOf } from '../columns.ts';
import { farRowHolders } from './row-holders.ts';
import type { RelationSources } from './visibility.ts';

/**
 * Slots, ascending, without repetition; some may be no watchers any more. `undefined`: any watcher may.
 */
export function mayRelateToPending(sources: RelationSources): Uint32Array | undefined {
  const { store, seating, ties, interests } = sources;
  const { overrides, lingering } = seating.tables;
  const near = seating.tables.near.find();
  if (near === undefined) return undefined;
  const { attached } = seating;
  const { abovePending, concerned } = attached.changes;
  const { pendingSlots, pendingCount } = store;
  const showsGroups = interests.current.some(({ groupKinds }) => groupKinds !== 0);
  const areFar = !ties.isNone || !lingering.isNone || showsGroups || store.hasAlways;
  if (!areFar && overrides.isEmpty && !attached.isAny) return near;
  const others: number[] = [];
  const add = (watcher: number) => {
    others.push(watcher);
  };
  for (let i = 0; i < pendingCount + abovePending.length; i++) {
    const marker = i < pendingCount ? pendingSlots[i] : abovePending[i - pendingCount];
    if (areFar) {
      const holders = farRowHolders(sources, marker, true);
      if (holders === undefined) return undefined;
      for (const watcher of holders) add(watcher);
    }
    overrides.holdersOf(marker).forEach(add);
  }
  for (const watcher of concerned) add(watcher);
  return unionOf(near, others);
}
