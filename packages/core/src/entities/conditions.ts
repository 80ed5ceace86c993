/**
 * Conditions that a marker sets on a watcher beside layers and channels. They are checked before distance, as part of
 * meeting.
 *
 *   needs        the watcher must see all of these layers: an object for players who have the quest and the lens
 *   only         the watcher must have this id: an owner's loot. If the id is stale, no watcher meets the marker
 *   only-group   the watcher must be in the marker's group, in one of some kinds: a party's marks
 *
 * Most worlds have no conditions: callers check `EntityState.hasConditions` first. Cost: some nanoseconds a pair.
 */
import type { EntityState } from './entity-state.ts';

/** The conditions, in the order in which they are checked. */
export type Condition = 'needs' | 'only' | 'only-group';

/** The first condition that the watcher does not meet; `undefined` if it meets all. Arguments are slots. */
export function failedCondition(state: EntityState, watcher: number, marker: number): Condition | undefined {
  if ((state.needs.at(marker) & ~state.sees.at(watcher)) !== 0) return 'needs';
  const only = state.only.at(marker);
  if (only !== 0 && only !== state.idAt(watcher)) return 'only';
  const kinds = state.onlyGroups.at(marker);
  return kinds === 0 || areOfOneGroup(state, kinds, watcher, marker) ? undefined : 'only-group';
}

function areOfOneGroup({ groups }: EntityState, kinds: number, watcher: number, marker: number): boolean {
  for (let kind = 0; kind < groups.length; kind++) {
    if ((kinds & (1 << kind)) === 0) continue;
    const group = groups[kind].at(marker);
    if (group !== 0 && group === groups[kind].at(watcher)) return true;
  }
  return false;
}
