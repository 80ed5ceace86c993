/**
 * A world that several processes share, as each of them knows it: who owns an entity, and who shows what it perceives. The page has
 * a kind, and so a colour, for each pair of owner and shower that there is.
 *
 * Such a pair changes without anybody coming or going, so kinds are asked anew once a second. Cost then: O(n).
 */
import type { EntityId, WorldReader } from 'umwelt';
import type { FeedOptions } from '../feed/feed-options.ts';

/** What is used of a `ClusterNode` or a `WorldObserver` of `@umwelt/cluster`. */
export interface SharedWorld {
  /** All of it; what watchers perceive that others show may not be known. */
  readonly world: WorldReader;
  /** Of the member that it is; an observer has none. */
  readonly name?: string;
  /** Who may change it. */
  ownerOf(id: EntityId): { readonly name: string } | undefined;
  /** Who shows what it perceives. */
  showerOf(id: EntityId): { readonly name: string } | undefined;
}

/** An index has to fit into a byte; the last one stands for all others. */
const KINDS_MAX = 256;
const OTHERS = 'others';
const ASKED_EVERY_MS = 1000;

export function isShared(target: WorldReader | SharedWorld): target is SharedWorld {
  return typeof (target as SharedWorld | undefined)?.showerOf === 'function';
}

/** What `inspect` tells of it where its options say nothing else. */
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

/** Who owns an entity, and who shows what it perceives. */
function holdersInWords(owner: string | undefined, shower: string | undefined): string {
  const owned = owner === undefined ? 'nobody\u2019s' : owner;
  if (shower === undefined) return owned;
  return shower === owner ? `${owned}, shown there` : `${owned}, shown by ${shower}`;
}
