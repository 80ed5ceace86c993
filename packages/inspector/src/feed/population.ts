/**
 * The entities of the world in the order in which every frame lists them: by ascending id.
 *
 * A tick frame has columns without ids, so page and feed must agree on each entity's index. The population is that agreement,
 * with a version that increases whenever an entity is added or removed. Reading the world's ids and comparing them costs a
 * fraction of a millisecond at 100,000 entities, and works whenever the game changes the world: before, after or during a
 * tick.
 *
 * Memory: 10 bytes per entity and 4 per slot. Columns grow by doubling and never shrink.
 */
import type { EntityId, WorldReader } from 'umwelt';

/** Ids are `slot * 1024 + generation`. */
const SLOT_SHIFT = 10;

export interface PopulationSource {
  readonly world: WorldReader;
  kindOf(id: EntityId): number;
  rangeOf(id: EntityId): number;
  /** When the number changes, kinds are read again. Absent: kinds never change. */
  kindsVersion?(): number;
}

export class Population {
  /** 0 before the first refresh. */
  version = 0;
  /** Ascending, `count` of them. */
  ids = new Uint32Array(0);
  kinds = new Uint8Array(0);
  /** 1 for entities with a range. */
  watchers = new Uint8Array(0);
  /** One more than the largest of `kinds`. */
  kindCount = 0;
  #kindsVersion: number | undefined;
  #fresh: Uint32Array = new Uint32Array(1024);
  #indexBySlot = new Int32Array(0);

  get count(): number {
    return this.ids.length;
  }

  /** Updates to the entities that exist now. Cost: O(n). */
  refresh(source: PopulationSource): void {
    const ids = source.world.ids(this.#fresh);
    const kindsVersion = source.kindsVersion?.();
    const isAsked = kindsVersion !== this.#kindsVersion;
    this.#kindsVersion = kindsVersion;
    if (this.version > 0 && same(ids, this.ids)) {
      if (isAsked && this.#takeKinds(ids, source)) this.version++;
      return;
    }
    this.version++;
    this.ids = ids.slice();
    if (ids.length > this.#fresh.length) this.#fresh = ids;
    this.#takeKinds(ids, source);
    this.watchers = new Uint8Array(ids.length);
    for (let i = 0; i < ids.length; i++) {
      const id = ids[i] as number;
      this.watchers[i] = source.rangeOf(id) > 0 ? 1 : 0;
    }
    const slotCount = ids.length === 0 ? 0 : ((ids[ids.length - 1] as number) >>> SLOT_SHIFT) + 1;
    if (slotCount > this.#indexBySlot.length) this.#indexBySlot = new Int32Array(slotCount * 2);
    this.#indexBySlot.fill(-1);
    for (let i = 0; i < ids.length; i++) this.#indexBySlot[(ids[i] as number) >>> SLOT_SHIFT] = i;
  }

  /** True if any kind has changed. */
  #takeKinds(ids: Uint32Array, source: PopulationSource): boolean {
    const kinds = Uint8Array.from(ids, (id) => source.kindOf(id));
    const isOther = kinds.length !== this.kinds.length || kinds.some((kind, i) => kind !== this.kinds[i]);
    this.kinds = kinds;
    this.kindCount = kinds.reduce((most, kind) => Math.max(most, kind + 1), 0);
    return isOther;
  }

  /** Index of `id` in the columns; -1 if it is not there. */
  indexOf(id: EntityId): number {
    const index = this.#indexBySlot[id >>> SLOT_SHIFT] ?? -1;
    return index >= 0 && this.ids[index] === id ? index : -1;
  }
}

function same(a: Uint32Array, b: Uint32Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
