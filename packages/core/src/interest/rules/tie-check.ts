/** Checks pins and blocks that callers give: two entities that exist, and a reason that is a string. */
import type { EntityId } from '../../entities/entity-ids.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import { badOption, UmweltError } from '../../errors.ts';

/**
 * Throws `BAD_ID` (also if both are the same entity), `STALE_ID`, `BAD_OPTION` for a reason that is no
 * string.
 */
export function checkTie(store: EntityStore, watcher: EntityId, marker: EntityId, reason: unknown): void {
  store.slotOf(watcher);
  store.slotOf(marker);
  if (watcher === marker) {
    throw new UmweltError('BAD_ID', `${watcher} was given as watcher and as marker, expected two entities`, {
      id: watcher,
    });
  }
  checkReason(reason);
}

/** As `checkTie`, for removing a tie: also accepts ids of removed entities, and the same entity twice. */
export function checkUntie(store: EntityStore, watcher: EntityId, marker: EntityId, reason: unknown): void {
  for (const id of [watcher, marker]) {
    const error = store.has(id) ? undefined : store.ids.errorFor(id);
    if (error?.code === 'BAD_ID') throw error;
  }
  checkReason(reason);
}

function checkReason(reason: unknown): void {
  if (typeof reason !== 'string') throw badOption('reason', reason, 'a string');
}
