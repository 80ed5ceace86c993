/**
 * What is stored of each pair that a watcher with rules perceives or relates to: rows of pairs, by marker
 * slot.
 *
 *   start, size, room: by slot
 *   pool:    | pairs of one watcher, ascending marker slots | free | next watcher | ...
 *   a pair:  marker   slot
 *            state    | exact senses (8) | senses with margin (8) | the flags below |
 *            since    tick from which it counts as seated, or waits for a seat
 *
 * A row holds every marker that is perceived, margin-held, or related by pin, group or always. Markers
 * without a seat are in it, too, so that a freed seat is filled without a search.
 *
 * Memory: 12 bytes a pair and a quarter more, 16 bytes a slot. Cost: a binary search to find a pair, a copy
 * to change a row.
 */
import type { ByteReader } from '../../bytes/byte-reader.ts';
import type { ByteWriter } from '../../bytes/byte-writer.ts';
import { placeOf } from '../../columns.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import { assert } from '../../errors.ts';
import type { Column, Heap } from '../../kernels/heap.ts';
import {
  ASKED,
  BLOCKED,
  CANDIDATE,
  FORCED,
  REFUSED,
  RELATED,
  SEATED,
  WAITING,
} from '../../kernels/layouts/pair-state.ts';

export * from '../../kernels/layouts/pair-state.ts';

/** Flags of a pair that a rule about the pair decides, not perception. */
const BY_RULE = FORCED | BLOCKED | REFUSED;
/** All bits that a state may have between ticks. */
export const STORED_BITS = 2 * WAITING - 1;

/** A mask of all senses that a world may have. */
export const EVERY_SENSE = 255;

const FIRST_POOL = 1024;
/** From this many pairs on, `copyWithin` is faster than a loop. */
const LONG_SHIFT = 32;

/** The bits that no state has in a world with `senseCount` senses. */
export function unknownBitsOf(senseCount: number): number {
  const unknownSenses = EVERY_SENSE & ~((1 << senseCount) - 1);
  return ~STORED_BITS | unknownSenses | (unknownSenses << 8);
}

/** The senses that perceive the marker by the definition, without margin. */
export function exactOf(state: number): number {
  return state & 255;
}

/** The senses that count: those that perceive the marker, and those in which the margin holds it. */
export function sensesOf(state: number): number {
  return (state >>> 8) & 255;
}

/**
 * The state of a pair that is seated and relates and that no rule about the pair decides; 0 where no sense
 * counts. `isAsked`: its watcher's interest has an `admit`, which accepted it.
 */
export function plainState(exact: number, senses: number, isAsked = false): number {
  return senses === 0 ? 0 : exact | (senses << 8) | SEATED | RELATED | CANDIDATE | (isAsked ? ASKED : 0);
}

/** Whether only the margin holds the pair in some sense. */
export function isMarginHeld(state: number): boolean {
  return exactOf(state) !== sensesOf(state);
}

/** Whether the margin alone holds the pair in some sense, or no sense perceives it and it lingers if it gets its seat. */
export function isHeldUnperceived(state: number): boolean {
  return isMarginHeld(state) || (sensesOf(state) === 0 && (state & (CANDIDATE | REFUSED)) !== 0);
}

/**
 * Whether `admit` need not be called again for the pair unless one of the two was touched. A pair that only the margin held and that
 * does not relate is out of reach from the next tick on, so it becomes a candidate when it is perceived again.
 */
export function hasAnswer(state: number): boolean {
  const isHeld = (state & (RELATED | REFUSED)) === RELATED;
  return (state & ASKED) !== 0 && (isHeld || exactOf(state) !== 0);
}

/** Whether the pair has a seat that needs consent if its watcher is mutual. */
export function isSeat(state: number): boolean {
  return (state & (SEATED | FORCED)) === SEATED;
}

/** Whether the pair has a seat to which the other side does not consent: see mutual.ts. */
export function isAwaiting(state: number): boolean {
  return (state & (SEATED | RELATED | FORCED)) === SEATED;
}

/**
 * Whether a seat that had no consent stays without it until consent is checked. `before`, `after`: states.
 */
export function staysAwaiting(isMutual: boolean, before: number, after: number): boolean {
  return isMutual && isAwaiting(before) && (after & FORCED) === 0;
}

/**
 * Whether a rule about the pair decides its state, so that the state does not follow from perception and
 * margins.
 */
export function isOverride(state: number): boolean {
  return (state & BY_RULE) !== 0 || isAwaiting(state);
}

export class PairRows {
  readonly #heap: Heap;
  /** By slot: where a row begins in the pool, its pairs, and the pairs it has room for. */
  readonly startColumn: Column<'u32'>;
  readonly sizeColumn: Column<'u32'>;
  readonly #roomColumn: Column<'u32'>;
  /** By slot: number of pairs of the row that only the margin holds. */
  readonly heldColumn: Column<'u32'>;
  /** The pool, by pair. */
  readonly markerColumn: Column<'u32'>;
  readonly stateColumn: Column<'u32'>;
  readonly sinceColumn: Column<'u32'>;
  /** The three columns of the pool. */
  readonly #pool: readonly Column<'u32'>[];
  #end = 0;
  /** While the pool is rebuilt: then a resize copies nothing. */
  #isRebuilding = false;
  /** Number of pairs that all rows have room for; and the greatest since `trim` was called. */
  #inUse = 0;
  #mostInUse = 0;
  /** Free places in the pool that rows have left, by their room. */
  readonly #free = new Map<number, number[]>();

  constructor(heap: Heap) {
    this.#heap = heap;
    this.startColumn = heap.column('u32', 0);
    this.sizeColumn = heap.column('u32', 0);
    this.#roomColumn = heap.column('u32', 0);
    this.heldColumn = heap.column('u32', 0);
    const keep = () => (this.#isRebuilding ? 0 : this.#end);
    this.markerColumn = heap.column('u32', 0, keep);
    this.stateColumn = heap.column('u32', 0, keep);
    this.sinceColumn = heap.column('u32', 0, keep);
    this.#pool = [this.markerColumn, this.stateColumn, this.sinceColumn];
  }

  /**
   * By slot: where a row begins in the pool, and its number of pairs. Read it again in each call: the heap
   * may move.
   */
  get start(): Uint32Array {
    return this.startColumn.array;
  }

  get size(): Uint32Array {
    return this.sizeColumn.array;
  }

  /** The pool's columns. Read them again in each call: they are replaced when they grow. */
  get marker(): Uint32Array {
    return this.markerColumn.array;
  }

  get state(): Uint32Array {
    return this.stateColumn.array;
  }

  get since(): Uint32Array {
    return this.sinceColumn.array;
  }

  get #room(): Uint32Array {
    return this.#roomColumn.array;
  }

  /** The index of a pair in the pool; -1 if there is none. */
  find(watcher: number, marker: number): number {
    if (watcher >= this.start.length) return -1;
    const markers = this.marker;
    const begin = this.start[watcher];
    const end = begin + this.size[watcher];
    const at = placeOf(markers, marker, begin, end);
    return at < end && markers[at] === marker ? at : -1;
  }

  growSlots(capacity: number): void {
    if (capacity > this.start.length)
      this.#heap.resizeAll([this.startColumn, this.sizeColumn, this.#roomColumn, this.heldColumn], capacity);
  }

  /**
   * Sets the size of a row and gives it a place with enough room; its contents may be lost. Returns where it
   * begins.
   */
  resize(watcher: number, size: number): number {
    if (size > this.#room[watcher] || size * 4 < this.#room[watcher]) {
      this.#giveBack(watcher);
      if (size > 0) this.#take(watcher, roomFor(size));
    }
    this.size[watcher] = size;
    return this.start[watcher];
  }

  /**
   * Makes room in the pool for all given rows that will outgrow their places, so that the pool grows once and
   * not row by row.
   */
  reserve(rows: number, watcherAt: (row: number) => number, sizeAt: (row: number) => number): void {
    const places = new Map<number, number>();
    for (let row = 0; row < rows; row++) {
      const size = sizeAt(row);
      if (this.hasRoom(watcherAt(row), size)) continue;
      const room = roomFor(size);
      places.set(room, (places.get(room) ?? 0) + 1);
    }
    let needed = 0;
    for (const [room, count] of places) needed += room * Math.max(0, count - this.#freePlaces(room));
    if (this.#end + needed > this.marker.length) this.#rebuild(needed);
  }

  /** Whether a row's place has room for `size` pairs. */
  hasRoom(watcher: number, size: number): boolean {
    return size <= this.#room[watcher];
  }

  /** Gives a row room for `size` pairs in total and keeps its contents. Returns where it begins now. */
  makeRoom(watcher: number, size: number): number {
    if (this.hasRoom(watcher, size)) return this.start[watcher];
    const room = roomFor(size);
    // First, while the row still has its place.
    this.#makePlace(room);
    const from = this.start[watcher];
    const kept = this.size[watcher];
    this.#giveBack(watcher);
    this.#take(watcher, room);
    const to = this.start[watcher];
    for (const { array } of this.#pool) array.copyWithin(to, from, from + kept);
    this.size[watcher] = kept;
    return to;
  }

  /** Moves the pairs of the pool in [`from`, `end`) up or down by one place. */
  shift(from: number, end: number, by: 1 | -1): void {
    const isLong = end - from > LONG_SHIFT;
    for (const { array } of this.#pool) {
      if (isLong) array.copyWithin(from + by, from, end);
      else if (by < 0) for (let i = from; i < end; i++) array[i - 1] = array[i];
      else for (let i = end; i > from; i--) array[i] = array[i - 1];
    }
  }

  /** Number of pairs of a row that have a seat or relate by force. */
  countSeats(watcher: number): number {
    const { start, size, state } = this;
    let seats = 0;
    for (let i = start[watcher]; i < start[watcher] + size[watcher]; i++) {
      if ((state[i] & (SEATED | FORCED)) !== 0) seats++;
    }
    return seats;
  }

  /** Counts the pairs of a row that only the margin holds. */
  countHeld(watcher: number): number {
    const { state, start, size } = this;
    let held = 0;
    for (let i = start[watcher]; i < start[watcher] + size[watcher]; i++) {
      const isCounted = (state[i] & (BLOCKED | REFUSED)) === 0 || (state[i] & FORCED) !== 0;
      if (isCounted && isMarginHeld(state[i])) held++;
    }
    this.heldColumn.array[watcher] = held;
    return held;
  }

  /** Number of pairs of a row whose seat awaits consent. */
  countAwaiting(watcher: number): number {
    const { start, size, state } = this;
    let awaiting = 0;
    for (let i = start[watcher]; i < start[watcher] + size[watcher]; i++)
      if (isAwaiting(state[i])) awaiting++;
    return awaiting;
  }

  /**
   * For a removed watcher: number of relations that ended with it, without those that perception already
   * counts as ended, if it counts this watcher's (`isPerceiving`).
   */
  lostWith(watcher: number, isPerceiving: boolean): number {
    const { start, size, state } = this;
    let lost = 0;
    for (let i = start[watcher]; i < start[watcher] + size[watcher]; i++) {
      if ((state[i] & RELATED) !== 0) lost++;
      if (exactOf(state[i]) !== 0 && isPerceiving) lost--;
    }
    return lost;
  }

  drop(watcher: number): void {
    if (watcher < this.start.length) this.resize(watcher, 0);
  }

  /** About how many bytes `save` writes. */
  savedBytes(watchers: ArrayLike<number>): number {
    let pairs = 0;
    for (let row = 0; row < watchers.length; row++) pairs += this.size[watchers[row]];
    return 4 * (watchers.length + this.#pool.length * pairs);
  }

  /** Writes the pairs of these watchers, in this order. */
  save(writer: ByteWriter, watchers: Uint32Array | readonly number[]): void {
    const { start, size } = this;
    const sizes = new Uint32Array(watchers.length);
    let total = 0;
    for (let row = 0; row < watchers.length; row++) total += sizes[row] = size[watchers[row]];
    writer.column(sizes);
    const words = new Uint32Array(total);
    for (const { array } of this.#pool) {
      let count = 0;
      for (let row = 0; row < watchers.length; row++) {
        const from = start[watchers[row]];
        const to = from + sizes[row];
        for (let i = from; i < to; i++) words[count++] = array[i];
      }
      writer.column(words);
    }
  }

  /** Into a new instance with room for slots; the population was loaded. `tickCount`: finished ticks. */
  load(
    reader: ByteReader,
    watchers: Uint32Array | readonly number[],
    store: EntityStore,
    tickCount: number,
  ): void {
    const { last, settings, slotCount } = store;
    const { flags } = last;
    const unknownBits = unknownBitsOf(settings.senseCount);
    const sizes = reader.column('u32');
    reader.check(sizes.length === watchers.length, 'a row for each watcher with rules');
    const columns = this.#pool.map(() => reader.column('u32'));
    const [marker, state, since] = columns;
    reader.check(
      columns.every(({ length }) => length === marker.length),
      'columns of one length',
    );
    const total = sizes.reduce((sum, size) => sum + size, 0);
    reader.check(total === marker.length, 'as many pairs as the rows have');
    this.reserve(
      watchers.length,
      (row) => watchers[row],
      (row) => sizes[row],
    );
    let from = 0;
    for (let row = 0; row < watchers.length; row++) {
      const end = from + sizes[row];
      const start = this.resize(watchers[row], sizes[row]);
      for (let i = from; i < end; i++) {
        const isNext =
          marker[i] < slotCount && flags[marker[i]] !== 0 && (i === from || marker[i] > marker[i - 1]);
        const isState = (state[i] & unknownBits) === 0 && (exactOf(state[i]) & ~sensesOf(state[i])) === 0;
        if (!isNext || !isState || since[i] > tickCount)
          throw reader.fault('a pair with its marker, state and tick');
      }
      this.#pool.forEach(({ array }, c) => {
        array.set(columns[c].subarray(from, end), start);
      });
      from = end;
    }
  }

  /** Throws when a row does not ascend or lies outside the pool. For tests. */
  validate(): void {
    for (let watcher = 0; watcher < this.start.length; watcher++) {
      const begin = this.start[watcher];
      const end = begin + this.size[watcher];
      const hasRoom = end <= this.#end && this.size[watcher] <= this.#room[watcher];
      assert(this.size[watcher] === 0 || hasRoom, 'pairs of a watcher have room');
      for (let i = begin + 1; i < end; i++)
        assert(this.marker[i - 1] < this.marker[i], 'pairs of a watcher ascend');
    }
    const inUse = this.#room.reduce((sum, room) => sum + room, 0);
    assert(inUse === this.#inUse, 'the room of rows is counted');
  }

  #take(watcher: number, room: number): void {
    this.#makePlace(room);
    const place = this.#free.get(room)?.pop();
    this.start[watcher] = place ?? this.#end;
    if (place === undefined) this.#end += room;
    this.#room[watcher] = room;
    this.#inUse += room;
    this.#mostInUse = Math.max(this.#mostInUse, this.#inUse);
  }

  /** Makes a place for a row of this room, if there is none. */
  #makePlace(room: number): void {
    if (this.#freePlaces(room) === 0 && this.#end + room > this.marker.length) this.#rebuild(room);
  }

  #freePlaces(room: number): number {
    return this.#free.get(room)?.length ?? 0;
  }

  #giveBack(watcher: number): void {
    const room = this.#room[watcher];
    if (room === 0) return;
    const places = this.#free.get(room);
    if (places === undefined) this.#free.set(room, [this.start[watcher]]);
    else places.push(this.start[watcher]);
    this.#room[watcher] = 0;
    this.#inUse -= room;
    this.size[watcher] = 0;
  }

  /**
   * Frees the memory of dropped rows, and of rows that were much longer: a kernel leaves a row the room that it has. Only if that is most
   * of the pool, and was so since the last call: rows that come and go in each tick need their room again. Indices of pairs are invalid
   * afterwards.
   */
  trim(): void {
    const passing = this.#mostInUse - this.#inUse;
    this.#mostInUse = this.#inUse;
    if (this.marker.length <= FIRST_POOL) return;
    const { size } = this;
    const room = this.#room;
    const isMuchLonger = (watcher: number) => size[watcher] * 4 < room[watcher];
    const enoughFor = (watcher: number) => (size[watcher] === 0 ? 0 : roomFor(size[watcher]));
    let needed = 0;
    for (let watcher = 0; watcher < room.length; watcher++)
      needed += isMuchLonger(watcher) ? enoughFor(watcher) : room[watcher];
    if ((needed + passing) * 4 >= this.marker.length) return;
    for (let watcher = 0; watcher < room.length; watcher++)
      if (isMuchLonger(watcher)) room[watcher] = enoughFor(watcher);
    this.#inUse = needed;
    this.#mostInUse = needed;
    this.#rebuild(passing, true);
  }

  /**
   * Rebuilds the pool without holes, with a place for `extra` pairs. It grows by half unless a quarter is free, and then it stays where it
   * is: the heap must not move in a steady world, in which rows come and go. `mayShrink`: see `trim`.
   */
  #rebuild(extra: number, mayShrink = false): void {
    const inUse = this.#inUse + extra;
    const isInPlace = !mayShrink && inUse + (inUse >> 2) <= this.marker.length;
    const from = this.#pool.map(({ array }) => (isInPlace ? array.slice(0, this.#end) : array));
    if (!isInPlace) {
      this.#isRebuilding = true;
      try {
        // The pool moves without its contents, which `from` still holds.
        this.#heap.resizeAll(this.#pool, Math.max(FIRST_POOL, inUse + (inUse >> 1)));
      } finally {
        this.#isRebuilding = false;
      }
    }
    const to = this.#pool.map(({ array }) => array);
    const { start, size } = this;
    const room = this.#room;
    let end = 0;
    for (let watcher = 0; watcher < room.length; watcher++) {
      if (room[watcher] === 0) continue;
      const begin = start[watcher];
      for (let c = 0; c < to.length; c++) to[c].set(from[c].subarray(begin, begin + size[watcher]), end);
      start[watcher] = end;
      end += room[watcher];
    }
    this.#end = end;
    this.#free.clear();
  }
}

/** A quarter more than `size`, so that a row does not move with each pair that is added. */
function roomFor(size: number): number {
  return (size + (size >> 2) + 4) & ~3;
}
