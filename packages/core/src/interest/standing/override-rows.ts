/**
 * The overrides of each watcher without a whole row: pairs that a rule about the pair decides, not
 * perception. All its other relations follow from perception and from what its margin holds.
 *
 *   perceived and margin-held     | a | b | c |   | e |
 *   overrides                             | c |   | e | z |        c is blocked, e and z are pinned: z is far away
 *
 * They are stored in the rows of pair-rows.ts, which hold nothing else for such a watcher. For each marker
 * there is a list of the watchers that override it, and their number. So a crossing of a marker that no
 * watcher overrides costs one lookup.
 *
 * Memory: 5 bytes a slot, some 100 bytes an override. Cost: a binary search in a row to find a pair.
 */
import type { ByteReader } from '../../bytes/byte-reader.ts';
import type { ByteWriter } from '../../bytes/byte-writer.ts';
import { grown } from '../../columns.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import { assert } from '../../errors.ts';
import { setBytes } from '../table/collection-bytes.ts';
import { HolderLists } from '../table/holder-lists.ts';
import {
  BLOCKED,
  exactOf,
  FORCED,
  isAwaiting,
  isMarginHeld,
  isOverride,
  type PairRows,
  REFUSED,
} from '../table/pair-rows.ts';

const NO_MARKERS: ReadonlySet<number> = new Set();

/** The overrides of one watcher, after they were taken out. */
export interface TakenOverrides {
  readonly marker: Uint32Array;
  readonly state: Uint32Array;
}

export class OverrideRows {
  /** By slot: 1 for a watcher with overrides. */
  has = new Uint8Array(0);
  /**
   * All watchers with an override that is margin-held in some sense, so that any step may end it. May contain
   * others.
   */
  readonly marginHeld = new Set<number>();
  readonly #holders = new HolderLists((watcher, marker) => this.find(watcher, marker) >= 0);
  /** Slots of watchers with overrides, in any order. */
  readonly #watchers = new Set<number>();
  readonly #pairs: PairRows;

  constructor(pairs: PairRows) {
    this.#pairs = pairs;
  }

  get memoryBytes(): number {
    const watchers = setBytes(this.#watchers.size) + setBytes(this.marginHeld.size);
    return this.has.byteLength + this.#holders.memoryBytes + watchers;
  }

  get isEmpty(): boolean {
    return this.#watchers.size === 0;
  }

  growSlots(capacity: number): void {
    this.has = grown(this.has, capacity);
    this.#holders.growSlots(capacity);
  }

  /** Whether any watcher overrides the marker. */
  isNamed(marker: number): boolean {
    return this.#holders.isAny(marker);
  }

  /** The index of a pair in the pool of rows; -1 if it is not overridden. */
  find(watcher: number, marker: number): number {
    return this.has[watcher] === 1 ? this.#pairs.find(watcher, marker) : -1;
  }

  /** The state of a pair that is overridden; `undefined` for any other. */
  stateOf(watcher: number, marker: number): number | undefined {
    const at = this.find(watcher, marker);
    return at < 0 ? undefined : this.#pairs.state[at];
  }

  /** The slots of the markers that a watcher overrides. */
  markersOf(watcher: number): ReadonlySet<number> {
    if (this.has[watcher] !== 1) return NO_MARKERS;
    const { start, size, marker } = this.#pairs;
    return new Set(marker.subarray(start[watcher], start[watcher] + size[watcher]));
  }

  /** The slots of the watchers that override a marker, in any order. Valid until an override begins or ends. */
  holdersOf(marker: number): readonly number[] {
    return this.#holders.of(marker);
  }

  /** Inserts a pair. Returns its index, which is valid until the next insertion. */
  insert(watcher: number, marker: number, state: number): number {
    const pairs = this.#pairs;
    const size = this.has[watcher] === 1 ? pairs.size[watcher] : 0;
    if (size === 0) this.#list(watcher);
    const begin = pairs.makeRoom(watcher, size + 1);
    const markers = pairs.marker;
    let at = begin + size;
    while (at > begin && markers[at - 1] > marker) at--;
    pairs.shift(at, begin + size, 1);
    markers[at] = marker;
    pairs.state[at] = state;
    this.#noteMarginHeld(watcher, state);
    pairs.since[at] = 0;
    pairs.size[watcher] = size + 1;
    this.#holders.add(watcher, marker);
    return at;
  }

  /** Changes the state of an existing pair. */
  set(watcher: number, marker: number, state: number): void {
    this.#pairs.state[this.#pairs.find(watcher, marker)] = state;
    this.#noteMarginHeld(watcher, state);
  }

  /** Removes an existing pair. */
  remove(watcher: number, marker: number): void {
    const pairs = this.#pairs;
    const at = pairs.find(watcher, marker);
    const end = pairs.start[watcher] + pairs.size[watcher];
    pairs.shift(at + 1, end, -1);
    pairs.size[watcher]--;
    this.#holders.remove(marker);
    if (pairs.size[watcher] > 0) return;
    pairs.drop(watcher);
    this.#unlist(watcher);
  }

  /** Takes out all overrides of a watcher; `undefined` if it has none. */
  take(watcher: number): TakenOverrides | undefined {
    if (this.has[watcher] !== 1) return undefined;
    const { start, size, marker, state } = this.#pairs;
    const [from, end] = [start[watcher], start[watcher] + size[watcher]];
    const taken = { marker: marker.slice(from, end), state: state.slice(from, end) };
    for (const each of taken.marker) this.#holders.remove(each);
    this.#pairs.drop(watcher);
    this.#unlist(watcher);
    return taken;
  }

  /** Puts back what `take` returned, for a watcher that has no overrides since. */
  giveBack(watcher: number, { marker, state }: TakenOverrides): void {
    for (let i = 0; i < marker.length; i++) this.insert(watcher, marker[i], state[i]);
  }

  /**
   * Reduces a whole row to its overrides, and adds blocks that are not in the row. `blocked`: markers' slots,
   * ascending.
   */
  reduce(watcher: number, blocked: readonly number[]): void {
    const pairs = this.#pairs;
    const { start, size, marker, state } = pairs;
    const end = start[watcher] + size[watcher];
    const markers: number[] = [];
    const states: number[] = [];
    const keep = (slot: number, bits: number) => {
      markers.push(slot);
      states.push(bits);
    };
    // Both ascend by marker. Of a marker in both, the row's state counts.
    let b = 0;
    for (let i = start[watcher]; i < end; i++) {
      while (blocked[b] < marker[i]) keep(blocked[b++], BLOCKED);
      const isBlocked = blocked[b] === marker[i];
      if (isBlocked) b++;
      const isRefused = (state[i] & REFUSED) !== 0 && exactOf(state[i]) !== 0;
      if (isRefused || (state[i] & (FORCED | BLOCKED)) !== 0 || isAwaiting(state[i]))
        keep(marker[i], state[i]);
      else if (isBlocked) keep(marker[i], BLOCKED);
    }
    while (b < blocked.length) keep(blocked[b++], BLOCKED);
    pairs.drop(watcher);
    if (markers.length === 0) return;
    // Not one by one: each would move those after it.
    const begin = pairs.resize(watcher, markers.length);
    pairs.marker.set(markers, begin);
    pairs.state.set(states, begin);
    pairs.since.fill(0, begin, begin + markers.length);
    this.#list(watcher);
    for (const bits of states) this.#noteMarginHeld(watcher, bits);
    for (const slot of markers) this.#holders.add(watcher, slot);
  }

  save(writer: ByteWriter): void {
    const watchers = Uint32Array.from(this.#watchers).sort();
    writer.column(watchers);
    this.#pairs.save(writer, watchers);
  }

  /** Into a new instance with room for slots, into pair rows without overrides; the population was loaded. */
  load(reader: ByteReader, hasRow: Uint8Array, store: EntityStore, tickCount: number): void {
    const watchers = reader.column('u32');
    watchers.forEach((watcher, i) => {
      const isNext = watcher < store.slotCount && (i === 0 || watcher > watchers[i - 1]);
      const isWatcher = isNext && store.last.isPresent(watcher) && hasRow[watcher] === 0;
      reader.check(isWatcher, 'watchers with overrides, ascending');
    });
    this.#pairs.load(reader, watchers, store, tickCount);
    const { start, size, marker, state } = this.#pairs;
    for (const watcher of watchers) {
      reader.check(size[watcher] > 0, 'overrides of a watcher');
      this.#list(watcher);
      for (let i = start[watcher]; i < start[watcher] + size[watcher]; i++) {
        reader.check(isOverride(state[i]), 'an override');
        this.#noteMarginHeld(watcher, state[i]);
        this.#holders.add(watcher, marker[i]);
      }
    }
  }

  /** Throws at the first broken invariant. For tests. */
  validate(): void {
    const { start, size, marker, state } = this.#pairs;
    for (const watcher of this.#watchers) {
      assert(this.has[watcher] === 1 && size[watcher] > 0, 'a watcher that is listed has overrides');
      for (let i = start[watcher]; i < start[watcher] + size[watcher]; i++) {
        const isHeldListed = !isMarginHeld(state[i]) || this.marginHeld.has(watcher);
        const isListed = isHeldListed && this.#holders.of(marker[i]).includes(watcher);
        assert(isOverride(state[i]) && isListed, 'an override');
      }
    }
  }

  #noteMarginHeld(watcher: number, state: number): void {
    if (isMarginHeld(state)) this.marginHeld.add(watcher);
  }

  #list(watcher: number): void {
    this.has[watcher] = 1;
    this.#watchers.add(watcher);
  }

  #unlist(watcher: number): void {
    this.has[watcher] = 0;
    this.#watchers.delete(watcher);
    this.marginHeld.delete(watcher);
  }
}
