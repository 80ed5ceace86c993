/**
 * The read-only view that a detector has of a world's entities.
 *
 * `last` is the state at the last tick, `now` the current state: columns by slot with `x`, `y`, `z` and the
 * properties. `pendingSlots[0 .. pendingCount)` are the slots that differ; `pending[slot]` says how, as bits: 1
 * added, 2 removed, 4 moved, 8 a property changed, 16 touched, 32 the option `updates` changed. `limits` gives the
 * longest reaches in the world, as upper bounds that hold in both states. Arrays may be replaced between calls: read
 * them again in each call.
 */
import type { EntityStore } from '../entities/entity-store.ts';

/** The entities as your own detector may read them: the stable members of `EntityStore`. */
export type Population = Readonly<
  Pick<
    EntityStore,
    | 'settings'
    | 'last'
    | 'now'
    | 'limits'
    | 'size'
    | 'slotCount'
    | 'capacity'
    | 'pending'
    | 'pendingSlots'
    | 'pendingCount'
    | 'counts'
  >
>;
