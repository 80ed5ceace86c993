/** What interest stores between ticks. Each way reads these tables, and writes its decisions into them when a tick succeeds. */
import type { EntityStore } from '../../entities/entity-store.ts';
import type { NearWatchers } from '../grids/near-watchers.ts';
import type { ForcedRelations } from '../rules/forced.ts';
import type { InterestBook } from '../rules/interest-book.ts';
import type { Lingering } from '../rules/linger.ts';
import type { MemoryNotes, SeatMemory } from '../rules/seat-memory.ts';
import type { Ties } from '../rules/ties.ts';
import type { MarginCuts } from '../table/margin-cuts.ts';
import type { PairRows } from '../table/pair-rows.ts';
import type { MarginHolds } from './margin-holds.ts';
import type { OverrideRows } from './override-rows.ts';
import type { RecentSeats } from './recent-seats.ts';

export interface SeatTables {
  readonly store: EntityStore;
  readonly book: InterestBook;
  readonly ties: Ties;
  readonly forced: ForcedRelations;
  readonly pairs: PairRows;
  /** The margin-held pairs of watchers without a row. */
  readonly holds: MarginHolds;
  /** The overridden pairs of watchers without a row: a rule about the pair decides them. */
  readonly overrides: OverrideRows;
  /** Pairs that lost their relation in the last tick although the margin held them. */
  readonly cuts: MarginCuts;
  readonly memory: SeatMemory;
  readonly memoryNotes: MemoryNotes;
  readonly lingering: Lingering;
  readonly recent: RecentSeats;
  readonly near: NearWatchers;
  /**
   * In a tick: the watchers whose rows are decided only because these markers may relate to them by force otherwise than their rows say.
   * Slots, in lists that several watchers may share.
   */
  readonly maybeForced: Map<number, (readonly number[])[]>;
}
