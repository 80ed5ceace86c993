/**
 * What a marker asks of a watcher beside layers and channels, before distance counts: parts of meeting.
 *
 *   needs        the watcher sees all of these layers: a thing for those who have the quest and the lens
 *   only         the watcher is this one: an owner's loot. Of a stale id it is nobody
 *   only-group   the watcher is of its group, of one of some kinds: a party's marks
 *
 * Most worlds have none: `EntityState.hasConditions` says so before anyone asks here. Cost: some nanoseconds a pair.
 */
import type { EntityState } from './entity-state.ts';

/** Which of them a watcher does not fulfil, in the order in which they are asked. */
export type Condition = 'needs' | 'only' | 'only-group';

/** The first that is not fulfilled; `undefined` where all are. Slots. */
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
