/** The parts of a replica, for the files that each apply a part of the log to it. */
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
  /** Whether it computes the views of all watchers, or only those that its own member shows. */
  readonly views: 'own' | 'all';
  /** As given; the functions of interests come from here. */
  readonly options: WorldOptions;
  /** Balanced at each mark; `undefined` for a world without channels. */
  readonly channels: Channels | undefined;
  /** By name: the newest version of each interest that the log has set. */
  readonly interests: Map<string, InterestCall>;
  /** Computes all views although `views` is 'own': for an observer, which is not a member. */
  readonly seesAll: boolean;
  /** Code of this replica's member; 0 for none. */
  selfCode: number;
  /** `show` calls since the last mark: the code of the asking member; 0 to hide. The last call counts. */
  readonly askedShowers: Map<EntityId, number>;
  /** Watchers that stopped watching at the last mark and have a shower: they start again at the next. */
  resting: EntityId[];
  /** Whether any entity has no owner. */
  hasOrphans: boolean;
  giveTo(id: EntityId, owner: number, why: OwnerReason): void;
  /** Members came or went: the format of their records may be another one from now on. */
  settleFormat(): void;
}

/** An interest of the log with this node's functions of that name; `undefined` if a function is missing. */
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
