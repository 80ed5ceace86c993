/** Reads back the conditions of a marker: which watchers may meet it, and what they must see. */
import type { EntityId } from '../entities/entity-ids.ts';
import type { EntityStore } from '../entities/entity-store.ts';

/** What `World.conditions` returns, as of now. */
export interface MarkerConditions {
  /** A watcher must see all of these layers; 0: none. */
  readonly needs: number;
  /** The only watcher that meets it, even if that was removed; 0: any. */
  readonly only: EntityId;
  /**
   * Kinds of groups of which a watcher must share one, each with the marker's own group number; empty: any watcher.
   */
  readonly onlyGroup: Readonly<Record<string, number>>;
}

export function conditionsOf({ now, settings }: EntityStore, slot: number): MarkerConditions {
  const kinds = now.onlyGroups.at(slot);
  const shared = settings.groups.flatMap((kind, k) =>
    (kinds & (1 << k)) === 0
      ? []
      : [[kind, (now.groups[k] as { at(slot: number): number }).at(slot)] as const],
  );
  return { needs: now.needs.at(slot), only: now.only.at(slot), onlyGroup: Object.fromEntries(shared) };
}
