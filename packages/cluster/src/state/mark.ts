/**
 * What a mark does before the world ticks, in this order:
 *
 *   1. watchers that rested for the last tick and have a shower start watching, in the replica of that member
 *   2. members without a record for more than `silenceTicks` marks are gone; without them the format of records may rise
 *   3. entities of gone members, and entities without an owner, get an owner
 *   4. watchers whose shower is gone, and watchers that a member asked to show, stop watching; the asking member becomes their
 *      shower, or none
 *
 * Then channels are balanced, and the world ticks.
 *
 * Cost: O(watchers concerned); O(slots) if a member is gone.
 */
import type { EntityId } from 'umwelt';
import { codeOf } from './members.ts';
import type { ReplicaState } from './replica-state.ts';

export function applyMark(state: ReplicaState, tick: number): void {
  wakeRested(state);
  endSilent(state, tick);
  const gone = new Set(
    state.members
      .all()
      .filter((member) => member.isGone)
      .map(codeOf),
  );
  adoptOrphans(state, gone);
  changeShowers(state, gone);
  state.members.endGone(tick);
}

function wakeRested(state: ReplicaState): void {
  const { table } = state;
  for (const id of state.resting) if (table.has(id)) wake(state, id);
  state.resting = [];
}

function wake(state: ReplicaState, id: EntityId): void {
  const { table, rules, world, views, seesAll, selfCode } = state;
  const slot = id >>> 10;
  table.awake[slot] = 1;
  if (views === 'all' || seesAll || table.showers[slot] === selfCode) rules.wake(world, id);
}

function endSilent(state: ReplicaState, tick: number): void {
  const { members, rules, events } = state;
  const silenceTicks = members.settings?.silenceTicks ?? 0;
  for (const member of members.live()) {
    if (!rules.isSilent(member, tick, silenceTicks)) continue;
    member.isGone = true;
    events.gone?.(member, 'silent');
  }
  state.settleFormat();
}

function adoptOrphans(state: ReplicaState, gone: ReadonlySet<number>): void {
  const adopters = state.members.live().filter(({ adopts }) => adopts);
  if (gone.size === 0 && !(state.hasOrphans && adopters.length > 0)) return;
  const { ids, owners } = state.table;
  state.hasOrphans = false;
  for (let slot = 0; slot < ids.length; slot++) {
    const owner = owners[slot];
    if (ids[slot] === 0 || (owner !== 0 && !gone.has(owner))) continue;
    const adopter = state.rules.adopterOf(ids[slot], adopters);
    if (adopter === undefined) state.hasOrphans = true;
    state.giveTo(ids[slot], adopter === undefined ? 0 : codeOf(adopter), 'orphaned');
  }
}

function changeShowers(state: ReplicaState, gone: ReadonlySet<number>): void {
  const { table, askedShowers } = state;
  if (gone.size > 0) {
    for (let slot = 0; slot < table.ids.length; slot++) {
      const id = table.ids[slot];
      if (id !== 0 && gone.has(table.showers[slot]) && !askedShowers.has(id)) askedShowers.set(id, 0);
    }
  }
  for (const [id, asked] of askedShowers) {
    if (!table.has(id)) continue;
    setShower(state, id, gone.has(asked) ? 0 : asked);
  }
  askedShowers.clear();
}

function setShower(state: ReplicaState, id: EntityId, shower: number): void {
  const { table, rules, world, events } = state;
  const slot = id >>> 10;
  table.showers[slot] = shower;
  if (rules.restsBetweenShowers) {
    if (table.awake[slot] === 1) rules.rest(world, id);
    table.awake[slot] = 0;
    if (shower !== 0) state.resting.push(id);
  } else if (shower !== 0) wake(state, id);
  events.shower?.(id, shower);
}
