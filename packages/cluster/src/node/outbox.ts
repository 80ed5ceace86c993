/**
 * Calls that wait for the log: encoded when they are made, and taken one record at a time.
 *
 * Encoded calls cannot change any more, whatever the caller does with its objects. Only the last move of an entity is kept.
 * Items keep their order within a section, and sections have a fixed order in a record. Limit: `pendingBytes`, and as much again
 * for what listeners of the node call.
 */
import { type EntityId, UmweltError } from 'umwelt';
import { ByteReader, ByteWriter } from 'umwelt/bytes';
import {
  ITEMS,
  type ItemOf,
  LIST_NAMES,
  type ListName,
  type Moves,
  SECTION_BYTES,
  writeMoves,
  writeSection,
} from '../records/calls.ts';
import { RECORD_BYTES_MAX } from '../records/record.ts';
import { type Attached, NOTHING_ATTACHED, WaitingAttachments } from './waiting-attachments.ts';
import { idOf, isShow, WithdrawnShows } from './withdrawn-shows.ts';

/** Bytes of a record reserved for all but its sections. */
const RESERVED_BYTES = 1024;
const TELEPORT_BYTES = 4;
/** Bytes of a record's calls, and so of the largest one. */
const ROOM_BYTES = RECORD_BYTES_MAX - RESERVED_BYTES - (LIST_NAMES.length + 1) * SECTION_BYTES;
/**
 * Calls that need no ownership: sent again under a new incarnation if the first was gone before they counted. Not `shows`: a
 * node that has joined again asks anew for all that it is to show.
 */
const UNOWNED: readonly ListName[] = ['interests', 'adds', 'sends', 'broadcasts'];

/** Calls that begin with the id of the entity that they are for. */
const MESSAGES: readonly ListName[] = ['sends', 'broadcasts'];

/** Calls after which a move of the same entity would be refused, or mean something else: they wait for a move that came before them. */
const AFTER_MOVES: readonly ListName[] = ['removes', 'attaches', 'gives', 'teleports'];

/**
 * Calls that come after the removals of a record, and mean nothing once their entity is removed: where the bytes of each have the ids.
 * They are left out, since all replicas would count them as refused. Messages stay: if the record does not count, they are sent again.
 */
const LISTS_OF_PRESENT: readonly (readonly [ListName, readonly number[]])[] = [
  ['ties', [1, 5]],
  ['attaches', [0]],
  ['channels', [0]],
  ['fields', [0]],
  ['keeps', [0]],
  ['shows', [0]],
];

type Lists = { [N in ListName]?: Uint8Array[] };

interface LaterMove {
  readonly x: number;
  readonly y: number;
  readonly z: number;
  readonly isTeleport: boolean;
}

/** The contents of one record. */
export interface Parcel {
  readonly lists: Lists;
  readonly isEmpty: boolean;
  /** Watchers whose `show` was taken back since: it is no longer in the lists. */
  readonly withdrawn: EntityId[];
  /** Writes the number of sections, and the sections. */
  write(writer: ByteWriter): void;
}

interface TakenParcel extends Parcel {
  /** The `show` calls of the entity, which are left out from now on. */
  withdraw(id: EntityId): readonly Uint8Array[];
}

/** The calls of one list of a record. */
export function itemsOf<N extends ListName>({ lists }: Parcel, name: N): ItemOf<N>[] {
  const items: readonly Uint8Array[] = lists[name] ?? [];
  return items.map((bytes) => ITEMS[name].read(new ByteReader(bytes, 'BAD_RECORD')));
}

export class Outbox {
  readonly #limit: number;
  readonly #isInListener: () => boolean;
  readonly #dimensions: 2 | 3;
  readonly #writer = new ByteWriter(256);
  #lists: Lists = {};
  #bytes = 0;
  /** Moves: columns, of which the first `#moveCount` are used. */
  #moveCount = 0;
  /** How many of the moves go before the other calls, where not all fits: moves without end must not hold the others back. */
  #movesBefore = 0;
  #ids = new Uint32Array(64);
  #x = new Float32Array(64);
  #y = new Float32Array(64);
  #z = new Float32Array(64);
  /** By slot: where in the columns the entity's last move may be. */
  #moveOf = new Uint32Array(64);
  readonly #attached: Attached;
  readonly #attachments: WaitingAttachments;
  /** Moves of children that the calls before them free, and of what carried them: for the record after the one with these calls. */
  readonly #laterMoves = new Map<EntityId, LaterMove>();
  readonly #withdrawn = new WithdrawnShows();
  #isClosed = false;
  #taken: TakenParcel | undefined;

  constructor(
    limit: number,
    dimensions: 2 | 3,
    isInListener = () => false,
    attached: Attached = NOTHING_ATTACHED,
  ) {
    this.#limit = limit;
    this.#isInListener = isInListener;
    this.#dimensions = dimensions;
    this.#attached = attached;
    this.#attachments = new WaitingAttachments(attached);
  }

  get isEmpty(): boolean {
    return this.bytes === 0;
  }

  /** Bytes that wait. */
  get bytes(): number {
    return this.#bytes + (this.#moveCount + this.#laterMoves.size) * this.#moveBytes;
  }

  /** Throws `TOO_MUCH`, and then keeps nothing. */
  put<N extends ListName>(name: N, item: ItemOf<N>): void {
    const bytes = this.#encoded(name, item);
    if (bytes.length > ROOM_BYTES) throw tooMuch(`a call of ${bytes.length} bytes`, ROOM_BYTES);
    this.checkRoom(bytes.length);
    if (this.#isClosed) return;
    this.#push(name, bytes);
    if (name === 'removes') {
      const id = item as ItemOf<'removes'>;
      this.#laterMoves.delete(id);
      this.#attachments.remove(id);
    } else if (name === 'attaches') {
      const { child, parent } = item as ItemOf<'attaches'>;
      this.#attachments.attach(child, parent);
      if (parent !== 0) this.#laterMoves.delete(child);
    }
  }

  /** Asks for all that the node is to show, or hides what it shows. They are few bytes, and must not fail: the limit does not count. */
  show(ids: Iterable<EntityId>, isShown: boolean): void {
    if (this.#isClosed) return;
    for (const id of ids) this.#push('shows', this.#encoded('shows', { id, isShown }));
  }

  /**
   * Takes all `show` calls of the entity back that still wait; returns how many. Those of the record that was taken last are left
   * out of it, too, where it is sent again; they do not count, because the log may have them.
   */
  withdrawShows(id: EntityId): number {
    for (const _ of this.#taken?.withdraw(id) ?? []) this.#taken?.withdrawn.push(id);
    const items = this.#withdrawn.withdraw(this.#lists.shows ?? [], id);
    this.#bytes -= byteLength(items);
    return items.length;
  }

  /** Throws `TOO_MUCH` if there is no room for that many more bytes. */
  checkRoom(bytes: number): void {
    // What players sent while the log stood still must not take the room of what the game calls in listeners once it goes on.
    const most = this.#isInListener() ? 2 * this.#limit : this.#limit;
    if (!this.#isClosed && this.bytes + bytes > most)
      throw tooMuch(`${this.bytes + bytes} bytes of calls`, most);
  }

  /** Throws `TOO_MUCH` if there is no room for that many adds like this one. */
  checkAdds(count: number, add: ItemOf<'adds'>): void {
    this.#writer.clear();
    ITEMS.adds.write(this.#writer, add);
    this.checkRoom(count * this.#writer.length);
  }

  /** Throws `TOO_MUCH` if there is no room for that many more moves, or teleports. */
  checkMoves(count: number, areTeleports = false): void {
    this.checkRoom(count * (this.#moveBytes + (areTeleports ? TELEPORT_BYTES : 0)));
  }

  /** The caller has checked for room. */
  move(id: EntityId, x: number, y: number, z: number, isTeleport = false): void {
    if (this.#isClosed) return;
    if (this.#attachments.isFreed(id)) {
      const wasTeleport = this.#laterMoves.get(id)?.isTeleport === true;
      this.#laterMoves.set(id, { x, y, z, isTeleport: isTeleport || wasTeleport });
      return;
    }
    if (isTeleport) this.put('teleports', id);
    this.#append(id, x, y, z);
  }

  /** Keeps no further calls: the node leaves once all that waits was sent, and a busy game's calls would never end. */
  close(): void {
    this.#isClosed = true;
  }

  /** Takes what fits into one record, moves first. If not all fits, moves that came after other calls wait for these. */
  take(): Parcel {
    let room = ROOM_BYTES;
    const first = this.#bytes === 0 || this.bytes <= room ? this.#moveCount : this.#movesBefore;
    let moveCount = Math.min(first, this.#moveCount, Math.floor(room / this.#moveBytes));
    room -= moveCount * this.#moveBytes;
    const lists: Lists = {};
    setShows(this.#lists, this.#withdrawn);
    const removed = new Set<EntityId>();
    // In order: a call that does not fit holds back all that come after it.
    for (const name of LIST_NAMES) {
      const items = this.#lists[name];
      if (items === undefined) continue;
      const held = name === 'removes' ? this.#holdRemovals(items) : [];
      let count = 0;
      while (count < items.length && items[count].length <= room) {
        if (AFTER_MOVES.includes(name) && this.#waitsToMove(idOf(items[count]), moveCount, name)) break;
        room -= items[count++].length;
      }
      if (count > 0) lists[name] = items.splice(0, count);
      const isCut = items.length > 0;
      if (name === 'removes') {
        for (const item of lists.removes ?? []) removed.add(idOf(item));
        for (const item of held) items.push(item);
        // Also of what only a later record has room for.
        if (removed.size > 0) this.#leaveOut(removed);
      }
      if (isCut) break;
      if (items.length === 0) delete this.#lists[name];
    }
    for (const items of Object.values(lists)) for (const item of items) this.#bytes -= item.length;
    moveCount = Math.min(this.#moveCount, moveCount + Math.floor(room / this.#moveBytes));
    const moved = this.#takeMoves(moveCount);
    this.#noteTaken(lists, removed);
    // What is left of the other calls takes its turn after the moves that are there by now.
    this.#movesBefore = moveCount < first ? first - moveCount : this.#moveCount;
    this.#taken = parcelOf(lists, moved, (id) => removed.has(id) || !this.#attached.has(id));
    return this.#taken;
  }

  /** Drops calls that only an owner may make. */
  disown(): void {
    this.#moveCount = 0;
    this.#keepUnowned({});
  }

  /** Puts the calls of a record that need no ownership before all that wait. */
  sayAgain(parcel: Parcel): void {
    this.#keepUnowned(parcel.lists);
  }

  /** Drops messages to and about all other entities. */
  keepMessages(isFor: (id: EntityId) => boolean): void {
    for (const name of MESSAGES) this.#keep(name, (item) => isFor(idOf(item)));
  }

  /** Drops the other calls of the list; returns how many. */
  #keep(name: ListName, isKept: (item: Uint8Array) => boolean): number {
    const items = this.#lists[name] ?? [];
    const kept = items.filter(isKept);
    if (kept.length === items.length) return 0;
    this.#lists[name] = kept;
    this.#bytes += byteLength(kept) - byteLength(items);
    return items.length - kept.length;
  }

  #keepUnowned(before: Lists): void {
    this.#laterMoves.clear();
    this.#attachments.clear();
    const kept: Lists = {};
    for (const name of UNOWNED) {
      const items = [...(before[name] ?? []), ...(this.#lists[name] ?? [])];
      if (items.length > 0) kept[name] = items;
    }
    this.#lists = kept;
    setShows(kept, this.#withdrawn);
    this.#bytes = 0;
    for (const items of Object.values(kept)) for (const item of items) this.#bytes += item.length;
  }

  get #moveBytes(): number {
    return 4 * (1 + this.#dimensions);
  }

  #encoded<N extends ListName>(name: N, item: ItemOf<N>): Uint8Array {
    this.#writer.clear();
    ITEMS[name].write(this.#writer, item);
    return this.#writer.bytes.slice();
  }

  #push(name: ListName, bytes: Uint8Array): void {
    if (this.#bytes === 0) this.#movesBefore = this.#moveCount;
    this.#lists[name] ??= [];
    this.#lists[name].push(bytes);
    this.#bytes += bytes.length;
  }

  /**
   * Whether a move of the entity waits that is not among the first ones. Of a move that waits for a detachment only the gives
   * know: the other calls come before attachments in a record, and would hold the detachment back.
   */
  #waitsToMove(id: EntityId, taken: number, name: ListName): boolean {
    if (name === 'gives' && this.#laterMoves.has(id)) return true;
    const at = this.#moveOf[id >>> 10] ?? this.#moveCount;
    return at >= taken && at < this.#moveCount && this.#ids[at] === id;
  }

  /** Takes the removals out that must wait for an attachment to their entity, and returns them. */
  #holdRemovals(items: Uint8Array[]): Uint8Array[] {
    const held: Uint8Array[] = [];
    if (this.#lists.attaches === undefined) return held;
    let count = 0;
    for (const item of items) {
      if (this.#attachments.isAwaited(idOf(item))) held.push(item);
      else items[count++] = item;
    }
    items.length = count;
    return held;
  }

  /** Drops the calls that come after removals and are for removed entities. */
  #leaveOut(removed: ReadonlySet<EntityId>): void {
    for (const [name, places] of LISTS_OF_PRESENT) {
      // A `show` has a promise that waits for it, so it stays in the parcel, and is not written; what takes a view back has none.
      const isAwaited = (item: Uint8Array) => name === 'shows' && isShow(item);
      this.#keep(name, (item) => !places.some((at) => removed.has(idOf(item, at))) || isAwaited(item));
    }
  }

  /** Moves that waited for what was taken are moves like others now. */
  #noteTaken({ attaches = [] }: Lists, removed: ReadonlySet<EntityId>): void {
    const left = this.#lists.attaches ?? [];
    this.#attachments.take(attaches.map(linkOf), left.map(linkOf), removed);
    for (const [id, { x, y, z, isTeleport }] of this.#laterMoves) {
      if (this.#attachments.isFreed(id)) continue;
      this.#laterMoves.delete(id);
      this.#append(id, x, y, z);
      if (isTeleport) this.#push('teleports', this.#encoded('teleports', id));
    }
  }

  #append(id: EntityId, x: number, y: number, z: number): void {
    const slot = id >>> 10;
    if (slot >= this.#moveOf.length) this.#moveOf = grown(this.#moveOf, slot + 1);
    let at = this.#moveOf[slot];
    if (at >= this.#moveCount || this.#ids[at] !== id) {
      at = this.#moveCount++;
      if (at >= this.#ids.length) this.#growMoves();
      this.#moveOf[slot] = at;
      this.#ids[at] = id;
    }
    this.#x[at] = x;
    this.#y[at] = y;
    if (this.#dimensions === 3) this.#z[at] = z;
  }

  #takeMoves(count: number): Moves | undefined {
    if (count === 0) return undefined;
    const moved = {
      ids: this.#ids.slice(0, count),
      x: this.#x.slice(0, count),
      y: this.#y.slice(0, count),
      z: this.#dimensions === 3 ? this.#z.slice(0, count) : undefined,
    };
    const left = this.#moveCount - count;
    for (const column of [this.#ids, this.#x, this.#y, this.#z]) column.copyWithin(0, count, this.#moveCount);
    this.#moveCount = left;
    for (let at = 0; at < left; at++) this.#moveOf[this.#ids[at] >>> 10] = at;
    return moved;
  }

  #growMoves(): void {
    const length = 2 * this.#ids.length;
    this.#ids = grown(this.#ids, length);
    this.#x = grown(this.#x, length);
    this.#y = grown(this.#y, length);
    this.#z = grown(this.#z, length);
  }
}

function byteLength(items: readonly Uint8Array[]): number {
  return items.reduce((sum, { length }) => sum + length, 0);
}

/** `isGone`: whether an entity is removed by this record, or is not there any more. */
function parcelOf(lists: Lists, moved: Moves | undefined, isGone: (id: EntityId) => boolean): TakenParcel {
  const withdrawn = new WithdrawnShows();
  const left = (): Lists => {
    setShows(lists, withdrawn);
    return lists;
  };
  return {
    get lists() {
      return left();
    },
    withdrawn: [],
    isEmpty: moved === undefined && Object.keys(lists).length === 0,
    withdraw: (id) => withdrawn.withdraw(lists.shows ?? [], id),
    write: (writer) => {
      const shows = left().shows?.filter((item) => !isGone(idOf(item))) ?? [];
      const { shows: _all, ...others } = lists;
      const written: Lists = shows.length > 0 ? { ...others, shows } : others;
      writer.u32(Object.keys(written).length + (moved === undefined ? 0 : 1));
      if (moved !== undefined) {
        const body = new ByteWriter(16 + 16 * moved.ids.length);
        writeMoves(body, moved);
        writeSection(writer, 'moves', body.bytes);
      }
      for (const name of LIST_NAMES) writeList(writer, name, written[name]);
    },
  };
}

/** Leaves out the `show` calls that were withdrawn. */
function setShows(lists: Lists, withdrawn: WithdrawnShows): void {
  const left = withdrawn.leftOf(lists.shows ?? []);
  if (left.length > 0) lists.shows = left;
  else delete lists.shows;
}

/** Of an attachment, which begins with both. */
function linkOf(item: Uint8Array): [child: EntityId, parent: EntityId] {
  return [idOf(item), idOf(item, 4)];
}

function writeList(writer: ByteWriter, name: ListName, items: readonly Uint8Array[] | undefined): void {
  if (items === undefined) return;
  const body = new ByteWriter(256);
  body.u32(items.length);
  for (const item of items) body.elements(item);
  writeSection(writer, name, body.bytes);
}

function grown<A extends Uint32Array | Float32Array>(from: A, least: number): A {
  const Made = from.constructor as new (length: number) => A;
  const to = new Made(Math.max(least, 2 * from.length));
  to.set(from);
  return to;
}

function tooMuch(given: string, most: number): UmweltError {
  return new UmweltError('TOO_MUCH', `${given} would wait for the log, expected at most ${most} bytes`, {
    value: most,
  });
}
