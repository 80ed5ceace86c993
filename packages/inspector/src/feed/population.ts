/**
 * The entities of the world in the order in which every frame lists them: by ascending id.
 *
 * A tick frame has columns without ids, so page and feed must agree on each entity's index. The population is that agreement,
 * with a version that increases whenever an entity is added or removed. Reading the world's ids and comparing them costs a
 * fraction of a millisecond at 100,000 entities, and works whenever the game changes the world: before, after or during a
 * tick.
 *
 * Kinds are the game's, and asking for them costs far more. So a new entity is asked about at once; after an entity was added or
 * removed, or when the game says so, all others are asked about again, `READ_MS` at a time: a world in which something is
 * added in every tick would otherwise spend its time on questions.
 *
 * Each version also lists what it changed, for pages that have the version before. A longer list than `CHANGE_SHARE` of the
 * population is not kept: sending the whole is as good.
 *
 * Memory: 10 bytes per entity and 4 per slot. Columns grow by doubling and never shrink.
 */
import type { EntityId, WorldReader } from 'umwelt';
import type { PopulationFrame } from '../population-frame.ts';

/** Ids are `slot * 1024 + generation`. */
export const SLOT_SHIFT = 10;
/** Time of one refresh for asking again, in milliseconds; but as many entities as `READ_LEAST` are always asked about. */
const READ_MS = 2;
const READ_LEAST = 1024;
/** A change of more entities than this share of the population is sent as a whole. */
const CHANGE_SHARE = 0.25;

export interface PopulationSource {
  readonly world: WorldReader;
  kindOf(id: EntityId): number;
  rangeOf(id: EntityId): number;
  /** When the number changes, all kinds are read again. */
  kindsVersion?(): number;
}

/** How a population differs from the version before. */
export interface PopulationChange {
  /** Ids, ascending. */
  readonly removed: Uint32Array;
  /** Ids that are new, or that have another kind or watch now; ascending. */
  readonly set: Uint32Array;
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
  /** Undefined: too much has changed. */
  change: PopulationChange | undefined;
  /** Ids of the change that is being made; a few more than are kept if there are too many. */
  #removed: number[] = [];
  #set: number[] = [];
  #world: WorldReader | undefined;
  #kindsVersion: number | undefined;
  /** How many entities are still to be asked about again, from index `#next` on. */
  #unread = 0;
  #next = 0;
  #fresh: Uint32Array = new Uint32Array(1024);
  #indexBySlot = new Int32Array(0);

  get count(): number {
    return this.ids.length;
  }

  /** Updates to the entities that exist now. Cost: O(n); the game is asked about new ones, and about others as time permits. */
  refresh(source: PopulationSource): void {
    const ids = source.world.ids(this.#fresh);
    const kindsVersion = source.kindsVersion?.();
    if (kindsVersion !== this.#kindsVersion) this.#unread = ids.length;
    this.#kindsVersion = kindsVersion;
    this.#removed = [];
    this.#set = [];
    // Equal ids may be other entities in another world.
    const isOtherWorld = source.world !== this.#world;
    // Until all is asked: if the source throws, the next refresh begins from nothing, as what is known by then has no version.
    this.#world = undefined;
    const isOther = isOtherWorld || !same(ids, this.ids);
    if (isOther) this.#take(ids, source, isOtherWorld);
    const hasChanged = this.#readAgain(source);
    this.#world = source.world;
    if (isOther || hasChanged) {
      this.version++;
      this.change = this.#changeMade();
      this.kindCount = this.kinds.reduce((most, kind) => Math.max(most, kind + 1), 0);
    }
  }

  /** Takes over what is known of entities that stay, and asks about new ones. */
  #take(ids: Uint32Array, source: PopulationSource, isOtherWorld: boolean): void {
    const before = { ids: this.ids, kinds: this.kinds, watchers: this.watchers };
    this.ids = ids.slice();
    if (ids.length > this.#fresh.length) this.#fresh = ids;
    this.kinds = new Uint8Array(ids.length);
    this.watchers = new Uint8Array(ids.length);
    let at = 0;
    let stayed = 0;
    for (let i = 0; i < ids.length; i++) {
      const id = ids[i] as number;
      while (at < before.ids.length && (before.ids[at] as number) < id)
        this.#note(this.#removed, before.ids[at++] as number);
      const isKnown = before.ids[at] === id;
      if (isKnown && !isOtherWorld) {
        this.kinds[i] = before.kinds[at] as number;
        this.watchers[i] = before.watchers[at] as number;
        stayed++;
      } else {
        this.#read(i, source);
        this.#note(this.#set, id);
      }
      if (isKnown) at++;
    }
    while (at < before.ids.length) this.#note(this.#removed, before.ids[at++] as number);
    this.#unread = stayed === 0 ? 0 : ids.length;
    const slotCount = ids.length === 0 ? 0 : ((ids[ids.length - 1] as number) >>> SLOT_SHIFT) + 1;
    if (slotCount > this.#indexBySlot.length) this.#indexBySlot = new Int32Array(slotCount * 2);
    this.#indexBySlot.fill(-1);
    for (let i = 0; i < ids.length; i++) this.#indexBySlot[(ids[i] as number) >>> SLOT_SHIFT] = i;
  }

  /** Asks about entities that were asked about before, in turn, for a short time. True if an answer is another one. */
  #readAgain(source: PopulationSource): boolean {
    let hasChanged = false;
    const { length } = this.ids;
    const endMs = performance.now() + READ_MS;
    for (let read = 1; this.#unread > 0; read++) {
      this.#unread--;
      if (this.#next >= length) this.#next = 0;
      if (this.#read(this.#next, source)) {
        hasChanged = true;
        this.#note(this.#set, this.ids[this.#next] as number);
      }
      this.#next++;
      if (read % READ_LEAST === 0 && performance.now() >= endMs) break;
    }
    return hasChanged;
  }

  get #changeMax(): number {
    return this.ids.length * CHANGE_SHARE;
  }

  #note(list: number[], id: EntityId): void {
    if (list.length <= this.#changeMax) list.push(id);
  }

  #changeMade(): PopulationChange | undefined {
    const [removed, set] = [this.#removed, this.#set];
    if (removed.length + set.length > this.#changeMax) return undefined;
    // An entity that was asked about twice is noted twice.
    return { removed: Uint32Array.from(removed), set: Uint32Array.from(new Set(set)).sort() };
  }

  #read(i: number, source: PopulationSource): boolean {
    const id = this.ids[i] as number;
    const { kinds, watchers } = this;
    const [kind, watches] = [kinds[i], watchers[i]];
    kinds[i] = source.kindOf(id);
    watchers[i] = source.rangeOf(id) > 0 ? 1 : 0;
    return kind !== kinds[i] || watches !== watchers[i];
  }

  /** Columns of some of the entities. */
  of(ids: Uint32Array): Pick<PopulationFrame, 'ids' | 'kinds' | 'watchers'> {
    const pick = (column: Uint8Array) => Uint8Array.from(ids, (id) => column[this.indexOf(id)] as number);
    return { ids, kinds: pick(this.kinds), watchers: pick(this.watchers) };
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
