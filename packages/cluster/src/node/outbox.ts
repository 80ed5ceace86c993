/**
 * Calls that wait for the log: encoded when they are made, and taken one record at a time.
 *
 * Encoded calls cannot change any more, whatever the caller does with its objects. Only the last move of an entity is kept.
 * Items keep their order within a section, and sections have a fixed order in a record. Limit: `pendingBytes`, and as much again
 * for what listeners of the node call.
 */
import { type EntityId, UmweltError } from 'umwelt';
import { ByteWriter } from 'umwelt/bytes';
import {
  ITEMS,
  type ItemOf,
  LIST_NAMES,
  type ListName,
  type Moves,
  SECTION_BYTES,
} from '../records/calls.ts';
import { RECORD_BYTES_MAX } from '../records/record.ts';
import { countInSections, type MoveStep, STEPS_FORMAT, type Step, stepOf } from '../records/steps.ts';
import { type Lists, type Parcel, parcelOf, setShows, type TakenParcel } from './parcel.ts';
import { type Attached, NOTHING_ATTACHED, WaitingFamilies } from './waiting-families.ts';
import { idOf, isShow, WithdrawnShows } from './withdrawn-shows.ts';

/** Bytes of a record reserved for all but its sections. */
const RESERVED_BYTES = 1024;
const TELEPORT_BYTES = 4;
/** Of a move or a teleport that is a step, and of a removal. */
const MOVE_STEP_BYTES = 17;
const REMOVE_STEP_BYTES = 5;
/** How many more a step takes, at most, in the sections of the first format: a teleport is in two of them. */
const SPREAD_BYTES = 3;
/** Bytes of a record's calls, and so of the largest one. */
export const ROOM_BYTES = RECORD_BYTES_MAX - RESERVED_BYTES - (LIST_NAMES.length + 1) * SECTION_BYTES;
/**
 * Calls that need no ownership: sent again under a new incarnation if the first was gone before they counted. Not `shows`: a
 * node that has joined again asks anew for all that it is to show.
 */
const UNOWNED: readonly ListName[] = ['interests', 'adds', 'sends', 'broadcasts'];

/** Calls that begin with the id of the entity that they are for. */
const MESSAGES: readonly ListName[] = ['sends', 'broadcasts'];

/** Calls after which a move of the same entity would be refused, or mean something else: they wait for a move that came before them. */
const AFTER_MOVES: readonly ListName[] = ['removes', 'steps', 'gives', 'teleports'];

/**
 * Calls that come after the removals of a record, and mean nothing once their entity is removed: where the bytes of each have the ids.
 * They are left out, since all replicas would count them as refused. Messages stay: if the record does not count, they are sent again.
 */
const LISTS_OF_PRESENT: readonly (readonly [ListName, readonly number[]])[] = [
  ['ties', [1, 5]],
  ['channels', [0]],
  ['fields', [0]],
  ['keeps', [0]],
  ['shows', [0]],
];

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
  readonly #families: WaitingFamilies;
  /** By entity: where in the steps its last move is, if no other kind of step came after it. */
  readonly #stepMoves = new Map<EntityId, number>();
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
    this.#families = new WaitingFamilies(attached);
  }

  get isEmpty(): boolean {
    return this.bytes === 0;
  }

  /** Bytes that wait. */
  get bytes(): number {
    return this.#bytes + this.#moveCount * this.#moveBytes;
  }

  /** Throws `TOO_MUCH`, and then keeps nothing. */
  put<N extends ListName>(name: N, item: ItemOf<N>): void {
    const bytes = this.#encoded(name, item);
    if (bytes.length > ROOM_BYTES) throw tooMuch(`a call of ${bytes.length} bytes`, ROOM_BYTES);
    this.checkRoom(bytes.length);
    if (this.#isClosed) return;
    if (name === 'removes') this.#remove(item as EntityId, bytes);
    else if (name !== 'steps') this.#push(name, bytes);
    else {
      this.#pushStep(bytes);
      this.#families.noteStep(item as Step);
    }
  }

  /** In a record removals come before steps, unless they are steps. */
  #remove(id: EntityId, bytes: Uint8Array): void {
    const isNoted = this.#families.isNoted(id);
    if (isNoted || this.#families.attaches) this.#pushStep(this.#encoded('steps', { step: 'remove', id }));
    else this.#push('removes', bytes);
    if (isNoted) this.#families.noteDetachment(id);
    else this.#noteRemoval(id);
  }

  #noteRemoval(id: EntityId): void {
    if (this.#families.isLinked(id)) this.#families.noteDetachment(id);
  }

  #pushStep(bytes: Uint8Array): void {
    this.#push('steps', bytes);
    this.#stepMoves.clear();
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
    const bytes = this.#moveBytes + (areTeleports ? TELEPORT_BYTES : 0);
    this.checkRoom(count * (this.#families.isEmpty ? bytes : Math.max(bytes, MOVE_STEP_BYTES)));
  }

  /** Throws `TOO_MUCH` if there is no room for that many more removals. Each may make steps of those that follow. */
  checkRemovals(count: number): void {
    this.checkRoom(count * REMOVE_STEP_BYTES);
  }

  /** The caller has checked for room. */
  move(id: EntityId, x: number, y: number, z: number, isTeleport = false): void {
    if (this.#isClosed) return;
    if (this.#families.isNoted(id)) {
      this.#moveAfterSteps({ step: isTeleport ? 'teleport' : 'move', id, x, y, z });
      return;
    }
    if (isTeleport) this.put('teleports', id);
    this.#append(id, x, y, z);
  }

  #moveAfterSteps(step: MoveStep): void {
    const { steps = [] } = this.#lists;
    const at = this.#stepMoves.get(step.id);
    if (at === undefined) {
      this.#stepMoves.set(step.id, steps.length);
      this.#push('steps', this.#encoded('steps', step));
    } else {
      const isTeleport = stepOf(steps[at]).step === 'teleport';
      steps[at] = this.#encoded('steps', isTeleport ? { ...step, step: 'teleport' } : step);
    }
  }

  /** Keeps no further calls: the node leaves once all that waits was sent, and a busy game's calls would never end. */
  close(): void {
    this.#isClosed = true;
  }

  /**
   * Takes what fits into one record of a format, moves first. If not all fits, moves that came after other calls wait for these. In
   * the first format, steps whose order a record cannot express wait for the next one.
   */
  take(format: number): Parcel {
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
      const isSpread = name === 'steps' && format < STEPS_FORMAT;
      const most = isSpread ? countInSections(items) : items.length;
      const more = isSpread ? SPREAD_BYTES : 0;
      let count = 0;
      while (count < most && items[count].length + more <= room) {
        if (AFTER_MOVES.includes(name) && this.#waits(items[count], moveCount, name)) break;
        room -= items[count++].length + more;
      }
      if (count > 0) lists[name] = items.splice(0, count);
      if (name === 'removes' || name === 'steps') this.#noteRemoved(name, lists[name], removed);
      if (count < most) break;
      if (items.length === 0) delete this.#lists[name];
    }
    for (const items of Object.values(lists)) for (const item of items) this.#bytes -= item.length;
    moveCount = Math.min(this.#moveCount, moveCount + Math.floor(room / this.#moveBytes));
    const moved = this.#takeMoves(moveCount);
    this.#noteTaken(lists);
    // What is left of the other calls takes its turn after the moves that are there by now.
    this.#movesBefore = moveCount < first ? first - moveCount : this.#moveCount;
    this.#taken = parcelOf(
      lists,
      moved,
      this.#dimensions,
      (id) => removed.has(id) || !this.#attached.has(id),
    );
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
    this.#stepMoves.clear();
    this.#families.clear();
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

  /** Whether a move that must come before the call is not among the first ones, or a step that must is left. */
  #waits(item: Uint8Array, taken: number, name: ListName): boolean {
    // The id of a step comes after its kind.
    const isOf = (id: EntityId) => this.#lists.steps?.some((step) => idOf(step, 1) === id) === true;
    if (name === 'gives' && isOf(idOf(item))) return true;
    return taken < this.#moveCount && this.#entitiesOf(item, name).some((id) => this.#waitsToMove(id, taken));
  }

  /** On whose places the outcome of a call depends. */
  #entitiesOf(item: Uint8Array, name: ListName): EntityId[] {
    if (name === 'removes') return this.#families.above(idOf(item));
    if (name !== 'steps') return [idOf(item)];
    const step = stepOf(item);
    const above = this.#families.above(step.id);
    return step.step === 'attach' && step.parent !== 0
      ? [...above, ...this.#families.above(step.parent)]
      : above;
  }

  /** Whether a move of the entity waits that is not among the first ones. */
  #waitsToMove(id: EntityId, taken: number): boolean {
    const at = this.#moveOf[id >>> 10] ?? this.#moveCount;
    return at >= taken && at < this.#moveCount && this.#ids[at] === id;
  }

  /** Drops the calls for what these calls remove, also those that only a later record has room for. */
  #noteRemoved(
    name: 'removes' | 'steps',
    items: readonly Uint8Array[] | undefined,
    removed: Set<EntityId>,
  ): void {
    const before = removed.size;
    for (const item of items ?? []) {
      const { step, id } = name === 'steps' ? stepOf(item) : { step: 'remove', id: idOf(item) };
      if (step === 'remove') removed.add(id);
    }
    if (removed.size > before) this.#leaveOut(removed);
  }

  /** Drops the calls that come after removals and are for removed entities. */
  #leaveOut(removed: ReadonlySet<EntityId>): void {
    for (const [name, places] of LISTS_OF_PRESENT) {
      // A `show` has a promise that waits for it, so it stays in the parcel, and is not written; what takes a view back has none.
      const isAwaited = (item: Uint8Array) => name === 'shows' && isShow(item);
      this.#keep(name, (item) => !places.some((at) => removed.has(idOf(item, at))) || isAwaited(item));
    }
  }

  #noteTaken({ steps = [] }: Lists): void {
    this.#stepMoves.clear();
    this.#families.take(steps.map(stepOf), (this.#lists.steps ?? []).map(stepOf));
    for (const item of this.#lists.removes ?? []) this.#noteRemoval(idOf(item));
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
