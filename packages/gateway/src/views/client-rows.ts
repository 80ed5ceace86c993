/**
 * What one client has been sent, next to what it should have: one row per entity, ascending by id.
 *
 * A row exists while the client has the entity (SENT) or should have it (RELATED, or its OWN entity). The
 * changes of a tick are merged in whether a frame is sent or not, so there is no queue: when a client that
 * was behind can be sent a frame again, the rows contain the difference between its state and the current
 * one. An entity that left and came back meanwhile differs only by what changed.
 *
 * Nearly all rows are steady: the client has the entity and should have it, and nothing else is to be said of it. The flags
 * of four rows are compared at once, so what looks for the other rows costs a quarter of a nanosecond per row.
 *
 * Memory: 27 bytes per row, and up to eight times as much after most have left. Merging costs O(reported markers); if an
 * entity entered, the rows above it are moved, in blocks.
 */
import type { EntityId } from 'umwelt';
import type { Schema } from '../appearance/schema.ts';
import type { Departures } from './departures.ts';

export const SENT = 1;
export const RELATED = 2;
export const OWN = 4;
/** It may have changed since it was last sent. */
export const PENDING = 8;
/** Its senses have changed since they were last sent. */
export const SENSED = 16;
/** The client has the entity in an unknown state, because frames were lost. */
export const UNSURE = 32;
/** Must be sent with the next frame, regardless of the budget. */
export const FORCED = 64;
/**
 * The entity was removed from the world while the client had it: it is reported as gone instead of out of
 * range.
 */
export const REMOVED = 128;

/** Flags of a row that needs no special handling. */
export const STEADY = SENT | RELATED;

const ROWS_AT_FIRST = 32;
/** Room for more times as many rows as there are is freed. */
const SPARE_MAX = 8;
/** The flags of as many rows are compared at once. */
const ROWS_A_WORD = 4;
const STEADY_WORD = STEADY * 0x01010101;
/** Fewer rows than these are moved one by one. */
const BLOCK = 24;
/** If fewer than one in so many rows must be visited, each is searched for. */
const SPARSE = 32;

/** An entity that the client has and that must leave before it enters again. */
interface Anew {
  /** Tick of the frame with which it entered. */
  readonly enteredTick: number;
  /** It has been removed from the world since then. */
  isRemoved: boolean;
}

export class ClientRows {
  count = 0;
  ids = new Uint32Array(ROWS_AT_FIRST);
  flags = new Uint8Array(ROWS_AT_FIRST);
  #flagWords = new Uint32Array(this.flags.buffer);
  /** Bit i is the world's sense i. */
  senses = new Uint8Array(ROWS_AT_FIRST);
  /**
   * Ticks of the last frame with this entity, and of the frame with which it entered; its fields were up to
   * date then.
   */
  sentTick = new Uint32Array(ROWS_AT_FIRST);
  enteredTick = new Uint32Array(ROWS_AT_FIRST);
  /** Tick of the last frame with its senses. */
  sensedTick = new Uint32Array(ROWS_AT_FIRST);
  /** Tick since which a change has been waiting to be sent. */
  waitingTick = new Uint32Array(ROWS_AT_FIRST);
  /** Mask of the fields that the client has. */
  shown = new Uint32Array(ROWS_AT_FIRST);
  /** Number of bands that the client is inside of; see `BandLevels`. */
  level = new Uint8Array(ROWS_AT_FIRST);
  /** Number of rows that are SENT and neither RELATED nor OWN: they must be reported as left. */
  goneCount = 0;
  /**
   * Whether a row is empty: its entity left before any frame had brought it. The next frame removes the row,
   * and the hysteresis of its bands restarts.
   */
  isAnyEmpty = false;
  /**
   * Entities that teleported: the client has them, and they must be reported as left and then enter again
   * with a fresh row. By id; empty except for a frame or a few.
   */
  readonly anew = new Map<EntityId, Anew>();
  readonly #departures: Departures;

  /** `departures` lists the entities reported as left that the client may still have. */
  constructor(departures: Departures) {
    this.#departures = departures;
  }

  /** Whether the client should have more than `most` entities. */
  wantsMoreThan(most: number): boolean {
    if (this.count - this.goneCount <= most) return false;
    // Some rows may be empty.
    this.compact();
    return this.count - this.goneCount > most;
  }

  /** The row of an entity, at or after `from`, or -1. Cost: O(log rows). */
  find(id: EntityId, from = 0): number {
    const row = this.#firstFrom(id, from);
    return row < this.count && this.ids[row] === id ? row : -1;
  }

  /** The first row at or after `row` that is not steady; `count` if there is none. */
  oddFrom(row: number): number {
    const { flags, count } = this;
    const words = this.#flagWords;
    let at = row;
    while (at < count && flags[at] === STEADY)
      at += at % ROWS_A_WORD === 0 && words[at / ROWS_A_WORD] === STEADY_WORD ? ROWS_A_WORD : 1;
    return Math.min(at, count);
  }

  /** For so many rows one by one, if `changes` of them are searched for, it takes less time than to visit all. At most 0: never. */
  searchesFor(changes: number): number {
    return this.count / SPARSE - changes;
  }

  /** `markers[from .. to)`, ascending, are now related. */
  enter(
    markers: Uint32Array,
    from: number,
    to: number,
    tick: number,
    sensesOf: (marker: EntityId) => number,
  ): void {
    let newCount = 0;
    for (let j = from, i = 0; j < to; j++) {
      const marker = markers[j]!;
      i = this.#firstFrom(marker, i);
      if (i < this.count && this.ids[i] === marker) this.#relateAgain(i, tick, sensesOf(marker));
      else newCount++;
    }
    this.#insert(markers, to, newCount, RELATED, tick, sensesOf);
  }

  /** `markers[from .. to)`, ascending, are no longer related; some of them because they were removed. */
  leave(markers: Uint32Array, from: number, to: number, isRemoved: (marker: EntityId) => boolean): void {
    for (let j = from, i = 0; j < to; j++) {
      const marker = markers[j]!;
      i = this.#firstFrom(marker, i);
      if (i === this.count) return;
      if (this.ids[i] === marker) this.#drop(i, RELATED, isRemoved(marker));
    }
  }

  /**
   * The entity left and is about to enter again in the same tick: if the client has it, both are reported.
   * The hysteresis of its bands continues.
   */
  tellAnew(id: EntityId, tick: number): void {
    const row = this.find(id);
    if (row < 0 || (this.flags[row]! & SENT) === 0) return;
    if (this.#isGone(row)) this.goneCount--;
    this.anew.set(id, { enteredTick: this.enteredTick[row]!, isRemoved: false });
    this.flags[row] = this.flags[row]! & OWN;
    this.#unsend(row, tick);
  }

  /** Reports entities in `anew` as changed instead: for a snapshot, which stores what the client has. */
  forgetAnew(tick: number): void {
    this.#haveStill(this.anew, (id) => this.anew.get(id)!.isRemoved, tick);
    this.anew.clear();
  }

  /** The senses that perceive `markers[from .. to)`, ascending, have changed. */
  sense(
    markers: Uint32Array,
    from: number,
    to: number,
    tick: number,
    sensesOf: (marker: EntityId) => number,
  ): void {
    for (let j = from, i = 0; j < to; j++) {
      const marker = markers[j]!;
      i = this.#firstFrom(marker, i);
      if (i === this.count) return;
      if (this.ids[i] !== marker) continue;
      this.senses[i] = sensesOf(marker);
      this.#wait(i, SENSED | PENDING, tick);
    }
  }

  /** `markers[from .. to)`, ascending, changed. */
  update(markers: Uint32Array, from: number, to: number, tick: number): void {
    const { ids, flags, count } = this;
    const areFew = this.searchesFor(to - from) > 0;
    for (let j = from, i = 0; j < to; j++) {
      const marker = markers[j]!;
      if (areFew) i = this.#firstFrom(marker, i);
      while (i < count && ids[i]! < marker) i++;
      if (i === count) return;
      if (ids[i] !== marker || (flags[i]! & PENDING) !== 0) continue;
      flags[i] = flags[i]! | PENDING;
      if ((flags[i]! & SENT) !== 0) this.waitingTick[i] = tick;
    }
  }

  /**
   * The rows are of an earlier process, whose appearance may have had other bands and other audiences for its fields:
   * what a client has and may no longer see, or the other way round, must be told without any other change.
   */
  adjust(schema: Schema, tick: number): void {
    const levels = schema.bands.length;
    if (this.level.subarray(0, this.count).some((level) => level > levels)) this.forgetLevels();
    for (let i = 0; i < this.count; i++) {
      const isUsual = (this.flags[i]! & (SENT | OWN)) === SENT;
      if (isUsual && this.shown[i] !== this.visibleAt(i, schema)) this.#wait(i, PENDING, tick);
    }
  }

  /** The fields of a row that a client sees that is not the owner: a mask. */
  visibleAt(row: number, { visible, bands }: Schema): number {
    return visible[this.senses[row]! * (bands.length + 1) + this.level[row]!]!;
  }

  /** Everything may have changed. */
  updateAll(tick: number): void {
    for (let i = 0; i < this.count; i++) this.#wait(i, PENDING, tick);
  }

  /** Ends all relations; some because the entity was removed. */
  leaveAll(isRemoved: (marker: EntityId) => boolean): void {
    for (let i = 0; i < this.count; i++) {
      if ((this.flags[i]! & RELATED) !== 0) this.#drop(i, RELATED, isRemoved(this.ids[i]!));
    }
  }

  /** Makes `id` the client's own entity instead of `earlier`, which may have been removed. 0 is none. */
  setOwn(id: EntityId, earlier: EntityId, isRemoved: boolean, tick: number): void {
    const old = this.find(earlier);
    if (old >= 0) {
      this.#drop(old, OWN, isRemoved);
      this.#wait(old, PENDING, tick);
    }
    if (id === 0) return;
    const row = this.find(id);
    if (row < 0) {
      this.#insert(Uint32Array.of(id), 1, 1, OWN, tick);
      return;
    }
    if (this.#isGone(row)) this.goneCount--;
    // An owner does not wait for the turns of fields with a rate: the client may lack values that it would long have
    // been sent as the owner, and the row's tick does not tell which.
    const sent = (this.flags[row]! & SENT) === 0 ? 0 : UNSURE;
    this.#wait(row, OWN | PENDING | sent, tick);
    if ((this.flags[row]! & RELATED) === 0) this.#perceiveByNone(row);
  }

  /** The focus of the client has changed: it is inside of no bands yet. */
  forgetLevels(): void {
    this.level.fill(0, 0, this.count);
  }

  /** The client has nothing: everything it should have must be sent whole. */
  forget(tick: number): void {
    for (let i = 0; i < this.count; i++) {
      this.flags[i] = this.flags[i]! & (RELATED | OWN);
      this.#unsend(i, tick);
    }
    this.anew.clear();
    this.compact();
  }

  /**
   * The client took in no frame after tick `last`: restores the rows to what it has, including entities
   * reported as left since then.
   */
  rollBack(last: number, tick: number): void {
    const departures = this.#departures;
    for (let i = 0; i < this.count; i++) {
      if ((this.flags[i]! & SENT) === 0) continue;
      if (this.enteredTick[i]! > last) {
        this.flags[i] = this.flags[i]! & ~(SENT | SENSED | UNSURE);
        this.#unsend(i, tick);
        continue;
      }
      if (this.sentTick[i]! > last) this.#wait(i, PENDING | UNSURE, tick);
      if (this.sensedTick[i]! > last) this.#wait(i, SENSED, tick);
    }
    this.compact();
    const removed = departures.removedIds();
    for (const [id, { enteredTick }] of this.anew) if (enteredTick > last) this.anew.delete(id);
    this.#haveStill(departures.hadAt(last), (id) => removed.has(id), tick);
    departures.forgetBefore(last);
  }

  /** Appends a row for an id above all others. The caller sets its flags and then calls `compact`. */
  append(id: EntityId): number {
    this.#reserve(this.count + 1);
    this.#fill(this.count, id, 0, 0);
    return this.count++;
  }

  /** Removes empty rows. The columns may be other arrays afterwards. */
  compact(): void {
    let kept = 0;
    /** Rows from here on stay, and are not moved yet. */
    let from = 0;
    const removed: EntityId[] = [];
    this.goneCount = 0;
    this.isAnyEmpty = false;
    for (let i = this.oddFrom(0); i < this.count; i = this.oddFrom(i + 1)) {
      if (this.#isGone(i)) this.goneCount++;
      if ((this.flags[i]! & (SENT | RELATED | OWN)) !== 0) continue;
      // The frame that reported it as left may have been lost: then its removal must still be reported.
      if ((this.flags[i]! & REMOVED) !== 0) removed.push(this.ids[i]!);
      this.#moveRows(from, i, kept);
      kept += i - from;
      from = i + 1;
    }
    this.#moveRows(from, this.count, kept);
    this.count = kept + this.count - from;
    this.#reserve(this.count);
    if (removed.length > 0) this.#departures.noteRemoved(new Set(removed));
  }

  /** Throws at the first broken invariant. For tests. */
  validate(): void {
    let gone = 0;
    for (let i = 0; i < this.count; i++) {
      if (i > 0 && this.ids[i]! <= this.ids[i - 1]!) throw new Error('broken invariant: rows ascend by id');
      if (this.#isGone(i)) gone++;
    }
    if (gone !== this.goneCount) throw new Error('broken invariant: rows that are gone are counted');
  }

  /** The first row of `row .. end` with an id of at least `id`; `end` if there is none. */
  #firstFrom(id: EntityId, row: number, end = this.count): number {
    const { ids } = this;
    let low = row;
    let high = end;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (ids[middle]! < id) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #isGone(row: number): boolean {
    return (this.flags[row]! & (SENT | RELATED | OWN)) === SENT;
  }

  /** The client has these entities in an unknown state. `isRemoved` is asked of those without a row. */
  #haveStill(
    entities: ReadonlyMap<EntityId, { readonly enteredTick: number }>,
    isRemoved: (id: EntityId) => boolean,
    tick: number,
  ): void {
    const ids = Uint32Array.from(entities.keys()).sort();
    const missing = ids.filter((id) => this.find(id) < 0);
    this.#insert(missing, missing.length, missing.length, 0, tick);
    for (const id of missing) if (isRemoved(id)) this.flags[this.find(id)] = REMOVED;
    for (const id of ids) {
      const row = this.find(id);
      this.#wait(row, SENT | SENSED | UNSURE | PENDING, tick);
      this.enteredTick[row] = entities.get(id)!.enteredTick;
      if (this.#isGone(row)) this.goneCount++;
    }
  }

  #relateAgain(row: number, tick: number, senses: number): void {
    if (this.#isGone(row)) this.goneCount--;
    if (this.senses[row] !== senses) this.#wait(row, SENSED, tick);
    this.senses[row] = senses;
    this.#wait(row, RELATED | PENDING, tick);
  }

  #drop(row: number, flag: number, isRemoved: boolean): void {
    if ((this.flags[row]! & flag) === 0) return;
    this.flags[row] = (this.flags[row]! & ~flag) | (isRemoved ? REMOVED : 0);
    if (this.#isGone(row)) this.goneCount++;
    else if ((this.flags[row]! & (SENT | RELATED | OWN)) === 0) this.isAnyEmpty = true;
    const anew = isRemoved ? this.anew.get(this.ids[row]!) : undefined;
    if (anew !== undefined) anew.isRemoved = true;
    if (flag === RELATED && (this.flags[row]! & OWN) !== 0) this.#perceiveByNone(row);
  }

  /** An own entity that is not related: no sense perceives it, but all its fields are shown. */
  #perceiveByNone(row: number): void {
    if (this.senses[row] === 0) return;
    this.senses[row] = 0;
    this.flags[row] = this.flags[row]! | SENSED;
  }

  /** The row has a change to send. The waiting time starts here unless a change was waiting already. */
  #wait(row: number, flags: number, tick: number): void {
    if ((this.flags[row]! & (PENDING | SENSED)) === 0 && (this.flags[row]! & SENT) !== 0) {
      this.waitingTick[row] = tick;
    }
    this.flags[row] = this.flags[row]! | flags;
  }

  #unsend(row: number, tick: number): void {
    this.sentTick[row] = 0;
    this.enteredTick[row] = 0;
    this.sensedTick[row] = 0;
    this.shown[row] = 0;
    this.waitingTick[row] = tick;
  }

  /**
   * Inserts rows with `flags` for the last `newCount` of `ids[0 .. to)`, ascending, that have none. One pass, because a
   * client that reconnects may have missed that thousands left.
   */
  #insert(
    ids: Uint32Array,
    to: number,
    newCount: number,
    flags: number,
    tick: number,
    sensesOf: (marker: EntityId) => number = () => 0,
  ): void {
    this.#reserve(this.count + newCount);
    // From the back, so that each row is moved before it is overwritten.
    let k = this.count + newCount;
    let end = this.count;
    for (let j = to - 1; k > end; j--) {
      const id = ids[j]!;
      const above = this.#firstFrom(id + 1, 0, end);
      k -= end - above;
      this.#moveRows(above, end, k);
      end = above;
      if (end > 0 && this.ids[end - 1] === id) continue;
      this.#fill(--k, id, flags, tick);
      this.senses[k] = sensesOf(id);
    }
    this.count += newCount;
  }

  #fill(row: number, id: EntityId, flags: number, tick: number): void {
    this.ids[row] = id;
    this.flags[row] = flags;
    this.senses[row] = 0;
    this.level[row] = 0;
    this.#unsend(row, tick);
  }

  /** Moves rows `from .. end` to `to`, which may be among them. */
  #moveRows(from: number, end: number, to: number): void {
    if (from === to) return;
    if (end - from < BLOCK) {
      if (to < from) for (let i = from; i < end; i++) this.#copyRow(i, to + i - from);
      else for (let i = end - 1; i >= from; i--) this.#copyRow(i, to + i - from);
      return;
    }
    for (const column of [this.flags, this.senses, this.level]) column.copyWithin(to, from, end);
    const { ids, sentTick, enteredTick, sensedTick, waitingTick, shown } = this;
    for (const column of [ids, sentTick, enteredTick, sensedTick, waitingTick, shown])
      column.copyWithin(to, from, end);
  }

  #copyRow(from: number, to: number): void {
    this.ids[to] = this.ids[from]!;
    this.flags[to] = this.flags[from]!;
    this.senses[to] = this.senses[from]!;
    this.level[to] = this.level[from]!;
    this.sentTick[to] = this.sentTick[from]!;
    this.enteredTick[to] = this.enteredTick[from]!;
    this.sensedTick[to] = this.sensedTick[from]!;
    this.waitingTick[to] = this.waitingTick[from]!;
    this.shown[to] = this.shown[from]!;
  }

  /** Makes room for so many rows, by doubling. Frees room of which less than an eighth is needed. */
  #reserve(count: number): void {
    const size = this.ids.length;
    const isWide = count * SPARE_MAX < size && size > ROWS_AT_FIRST * SPARE_MAX;
    if (count <= size && !isWide) return;
    const wanted = Math.max(count, ROWS_AT_FIRST, isWide ? count * 2 : size * 2);
    const room = Math.ceil(wanted / ROWS_A_WORD) * ROWS_A_WORD;
    this.ids = resized(this.ids, room);
    this.flags = resized(this.flags, room);
    this.#flagWords = new Uint32Array(this.flags.buffer);
    this.senses = resized(this.senses, room);
    this.level = resized(this.level, room);
    this.sentTick = resized(this.sentTick, room);
    this.enteredTick = resized(this.enteredTick, room);
    this.sensedTick = resized(this.sensedTick, room);
    this.waitingTick = resized(this.waitingTick, room);
    this.shown = resized(this.shown, room);
  }
}

function resized<C extends Uint8Array | Uint32Array>(old: C, length: number): C {
  const column = new (old.constructor as new (length: number) => C)(length);
  column.set(old.subarray(0, length));
  return column;
}
