/** What a marker asks of those who meet it, read back: whose it is, and what one must see. */

import type { EntityId } from '../entities/entity-ids.ts';
import type { EntityStore } from '../entities/entity-store.ts';

/** The answer of `World.conditions`, as of now. */
export interface MarkerConditions {
  /** Layers that a watcher must see all of; 0: none. */
  readonly needs: number;
  /** The only watcher that meets it, be it gone; 0: any. */
  readonly only: EntityId;
  /** Kinds of groups of which a watcher must share one, with the marker's own number of each; none: any watcher. */
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
