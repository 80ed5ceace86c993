/** What a replica is made of, for the files that each apply a part of the log to it. */
import type { EntityId, World } from 'umwelt';
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
