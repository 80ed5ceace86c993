/** What a replica is made of, for the files that each apply a part of the log to it. */
import type { Channels, EntityId, Interest, World, WorldOptions } from 'umwelt';
import type { InterestCall } from '../records/calls.ts';
import type { EntityTable } from './entity-table.ts';
import type { OwnerReason, ReplicaEvents } from './events.ts';
import type { Members } from './members.ts';
import type { Rules } from './rules.ts';

export interface ReplicaState {
  readonly world: World;
  readonly table: EntityTable;
  readonly members: Members;
  readonly rules: Rules;
  readonly events: ReplicaEvents;
  /** Whether it computes the views of all watchers, or of those that its own member shows. */
  readonly views: 'own' | 'all';
  /** As given: functions of interests are had from there. */
  readonly options: WorldOptions;
  /** Balanced at each mark; `undefined` for a world without. */
  readonly channels: Channels | undefined;
  /** By name: interests that were set by the log, the newest of each. */
  readonly interests: Map<string, InterestCall>;
  /** Whether it computes all views all the same: of an observer, which is no member. */
  readonly seesAll: boolean;
  /** Code of the member that this replica is of; 0 for none. */
  selfCode: number;
  /** Who asked, since the last mark, to show a watcher: a code; 0 to hide it. The last one counts. */
  readonly askedShowers: Map<EntityId, number>;
  /** Those put to rest at the last mark that have a shower: the next one wakes them. */
  resting: EntityId[];
  /** Whether anybody has no owner. */
  hasOrphans: boolean;
  giveTo(id: EntityId, owner: number, why: OwnerReason): void;
}

/** An interest of the log with the functions that this node was given by that name; `undefined` where one is missing. */
export function wholeInterest(
  { name, numbers, hasRank, hasAdmit }: InterestCall,
  interests: WorldOptions['interests'],
): Interest | undefined {
  const given = interests !== undefined && Object.hasOwn(interests, name) ? interests[name] : undefined;
  const rank = typeof given?.rank === 'function' ? given.rank : undefined;
  const { admit } = given ?? {};
  if ((hasRank && rank === undefined) || (hasAdmit && admit === undefined)) return undefined;
  return { ...numbers, ...(hasRank && { rank }), ...(hasAdmit && { admit }) } as Interest;
}
