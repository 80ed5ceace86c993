/**
 * What a detector sees of a world's entities, to read and not to write.
 *
 * `last` is the state at the last tick, `now` the state at this moment: columns by slot with `x`, `y`, `z` and the
 * properties. `pendingSlots[0 .. pendingCount)` are the slots that differ, `pending[slot]` says how, as bits: 1 added,
 * 2 removed, 4 moved, 8 a property changed, 16 touched, 32 the wish for updates changed. `limits` gives the farthest reaches
 * in the world, as upper bounds that hold in both states. Arrays may be replaced between calls: read them afresh in each.
 */
import type { EntityStore } from '../entities/entity-store.ts';

/** The population as a detector of your own may read it: the members of `EntityStore` that stay. */
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
