/**
 * A world that several processes share: each entity has an owner and a member that shows its view. The page has a kind, and so a
 * colour, for each pair of owner and shower.
 *
 * The pair may change while the set of entities stays the same, so kinds are read again once per second. Cost then: O(n).
 */
import type { EntityId, WorldReader } from 'umwelt';
import type { FeedOptions } from '../feed/feed-options.ts';

/** What is used of a `ClusterNode` or a `WorldObserver` of `@umwelt/cluster`. */
export interface SharedWorld {
  /** The whole world; the views of watchers that others show may not be known. */
  readonly world: WorldReader;
  /** Name of the member; an observer has none. */
  readonly name?: string;
  /** The member that owns the entity. */
  ownerOf(id: EntityId): { readonly name: string } | undefined;
  /** The member that shows its view. */
  showerOf(id: EntityId): { readonly name: string } | undefined;
}

/** An index must fit into a byte; the last one stands for all other pairs. */
const KINDS_MAX = 256;
const OTHERS = 'others';
const ASKED_EVERY_MS = 1000;

export function isShared(target: WorldReader | SharedWorld): target is SharedWorld {
  return typeof (target as SharedWorld | undefined)?.showerOf === 'function';
}

/** Kinds for `inspect`, unless its options have others. */
export function holdersOf(shared: SharedWorld): Pick<FeedOptions, 'kinds' | 'kindOf' | 'kindsVersion'> {
  const indices = new Map<string, number>();
  const kindOf = (id: EntityId): number => {
    const label = holdersInWords(shared.ownerOf(id)?.name, shared.showerOf(id)?.name);
    const known = indices.get(label);
    if (known !== undefined) return known;
    const index = Math.min(indices.size, KINDS_MAX - 1);
    indices.set(index === KINDS_MAX - 1 ? OTHERS : label, index);
    return index;
  };
  return {
    get kinds() {
      for (const id of shared.world.ids()) kindOf(id);
      return [...indices.keys()];
    },
    kindOf,
    kindsVersion: () => Math.floor(performance.now() / ASKED_EVERY_MS),
  };
}

/** Owner and shower of an entity as text. */
function holdersInWords(owner: string | undefined, shower: string | undefined): string {
  const owned = owner === undefined ? 'no owner' : owner;
  if (shower === undefined) return owned;
  return shower === owner ? `${owned} (owns and shows)` : `${owned}, shown by ${shower}`;
}
