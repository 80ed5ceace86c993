/**
 * Writes the frame of a client: entities that left, entered and changed, and messages.
 *
 * `RowSelection` decides which rows are updated or enter. Leaves, changed senses, and messages of markers that the
 * client has are always sent. Records are encoded once and copied. One writer serves all clients of a world.
 * Cost: that of `RowSelection`, plus half a microsecond per frame.
 */
import type { EntityId } from 'umwelt';
import type { AppearanceColumns } from '../appearance/appearance-columns.ts';
import type { RecordCache } from '../appearance/record-cache.ts';
import { ByteWriter, putVarint } from '../wire/byte-writer.ts';
import {
  FRAME,
  FRAME_ATTACHED,
  FRAME_GONE,
  FRAME_OWN,
  FRAME_PLACES,
  FRAME_RESYNC,
} from '../wire/frame-format.ts';
import { type ClientRows, FORCED, OWN, RELATED, REMOVED, SENSED, SENT } from './client-rows.ts';
import type { ClientView, QueuedMessage } from './client-view.ts';
import { Parentage } from './parentage.ts';
import { RowSelection } from './row-selection.ts';
import { SLOT_BYTES } from './usual-updates.ts';

const HEADER_BYTES = 32;
/** From this version of the frame format on, a frame tells which entities are gone. */
const GONE_VERSION = 3;
/** Most bytes of three coordinates. */
const PLACE_BYTES = 15;

export interface FrameOutcome {
  /** A new buffer, owned by the caller. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly entered: number;
  readonly updated: number;
  readonly left: number;
  readonly messages: number;
  /** Messages dropped because their markers found no room in the frame. */
  readonly messagesLost: number;
  /** Rows with a change that must wait. */
  readonly deferred: number;
}

export class FrameWriter {
  readonly #columns: AppearanceColumns;
  readonly #records: RecordCache;
  readonly #selection: RowSelection;
  readonly #parentage: Parentage;
  readonly #out = new ByteWriter(1 << 16);
  /** The section of entities that enter: it precedes the updates, but is known only after them. */
  readonly #entered = new ByteWriter(1 << 12);
  #tick = 0;
  /** Messages of this frame that were dropped. */
  #lost = 0;
  #told: QueuedMessage[] = [];
  #placed: QueuedMessage[] = [];

  constructor(columns: AppearanceColumns, records: RecordCache) {
    this.#columns = columns;
    this.#records = records;
    this.#parentage = new Parentage(columns.world);
    this.#selection = new RowSelection(columns, records, this.#parentage, this.#out);
  }

  /** Call this before the frames of a tick are written. */
  beginTick(tick: number): void {
    this.#tick = tick;
    this.#columns.beginTick(tick);
    this.#records.beginTick(tick);
    this.#parentage.beginTick();
    this.#selection.beginTick(tick);
  }

  /**
   * Writes the next frame of a client that may be sent `availableBytes` now and at most `entersMax` new
   * entities, and whose last input was `inputNumber`.
   */
  write(
    view: ClientView,
    inputNumber: number,
    availableBytes: number,
    entersMax: number = Number.POSITIVE_INFINITY,
  ): FrameOutcome {
    view.settle(this.#tick);
    const { rows } = view;
    const selection = this.#selection;
    const left = rows.goneCount + rows.anew.size;
    // The client forgets the parents of these entities, so all attachments must be sent again.
    if (rows.anew.size > 0 && view.wasToldAttached) view.attached = undefined;
    const messageBytes = this.#sortMessages(view);
    this.#writeHead(view, inputNumber);
    const enteredAt = this.#out.length;
    this.#out.byte(0);
    selection.select(view, availableBytes - HEADER_BYTES - left * SLOT_BYTES - messageBytes, entersMax);
    if (selection.entering.count > 0) this.#insertEntered(rows, enteredAt);
    selection.commit(rows);
    const messages = this.#writeTail(view);
    this.#writeAttached(view, left + selection.entering.count === 0);
    if (left > 0 || rows.isAnyEmpty) rows.compact();
    view.isOwnNews = false;
    view.mustResync = false;
    view.sent(this.#tick);
    return {
      bytes: this.#out.toBytes(),
      entered: selection.entering.count,
      updated: selection.updated,
      left,
      messages,
      messagesLost: this.#lost,
      deferred: selection.deferred,
    };
  }

  /**
   * Sorts out the queued messages. The marker of a message is sent with it if it finds room; a message whose marker the client
   * should not have is dropped. Messages from places are always sent. Returns an upper bound of their bytes.
   */
  #sortMessages({ rows, messages }: ClientView): number {
    let bytes = 0;
    this.#lost = 0;
    this.#told = [];
    this.#placed = [];
    for (const message of messages) {
      if (message.steps !== undefined) {
        this.#placed.push(message);
        bytes += message.bytes.length + PLACE_BYTES + 3;
        continue;
      }
      const row = rows.find(message.marker);
      if (row < 0 || (rows.flags[row]! & (RELATED | OWN)) === 0) continue;
      rows.flags[row] = rows.flags[row]! | FORCED;
      this.#told.push(message);
      bytes += message.bytes.length + SLOT_BYTES + 3;
    }
    return bytes;
  }

  #writeHead(view: ClientView, inputNumber: number): void {
    const out = this.#out;
    out.clear();
    out.reserve(HEADER_BYTES);
    view.frameNumber = (view.frameNumber + 1) >>> 0;
    const { bytes } = out;
    bytes[0] = FRAME;
    bytes[1] =
      (view.mustResync ? FRAME_RESYNC : 0) |
      (view.isOwnNews ? FRAME_OWN : 0) |
      (this.#placed.length > 0 ? FRAME_PLACES : 0);
    let at = putVarint(bytes, 2, view.frameNumber);
    at = putVarint(bytes, at, this.#tick);
    at = putVarint(bytes, at, inputNumber);
    if (view.isOwnNews) at = putVarint(bytes, at, view.own);
    out.length = at;
    const isAnyRemoved = view.rows.goneCount + view.rows.anew.size > 0 && this.#writeLeft(view, 0);
    out.byte(0);
    if (isAnyRemoved) {
      out.bytes[1] = out.bytes[1]! | FRAME_GONE;
      this.#writeLeft(view, REMOVED);
      out.byte(0);
    }
    view.rows.anew.clear();
  }

  /**
   * Writes the entities that left, either the removed or the other ones, as `removed` says. Returns whether
   * there are any of the other kind. A client of version 2 of the format gets all of them in one list.
   */
  #writeLeft({ rows, departures, formatVersion }: ClientView, removed: number): boolean {
    let previous = -1;
    let hasOthers = false;
    const asked = formatVersion < GONE_VERSION ? 0 : REMOVED;
    const tell = (id: EntityId, enteredTick: number, flag: number): boolean => {
      if ((flag & asked) !== removed) {
        hasOthers = true;
        return false;
      }
      this.#out.varint((id >>> 10) - previous);
      previous = id >>> 10;
      departures.add(id, enteredTick, this.#tick, (flag & REMOVED) !== 0);
      return true;
    };
    const anew = [...rows.anew].sort(([one], [other]) => one - other);
    let next = 0;
    const tellAnewBelow = (end: number): void => {
      for (; next < anew.length && anew[next]![0] < end; next++)
        tell(anew[next]![0], anew[next]![1].enteredTick, anew[next]![1].isRemoved ? REMOVED : 0);
    };
    for (let row = rows.oddFrom(0); row < rows.count; row = rows.oddFrom(row + 1)) {
      const flag = rows.flags[row]!;
      if ((flag & (SENT | RELATED | OWN)) !== SENT) continue;
      const id = rows.ids[row]!;
      tellAnewBelow(id);
      if (tell(id, rows.enteredTick[row]!, flag)) rows.flags[row] = 0;
    }
    tellAnewBelow(Number.POSITIVE_INFINITY);
    return hasOthers;
  }

  /** Inserts the entities that enter before what was written after `at`. */
  #insertEntered(rows: ClientRows, at: number): void {
    const entered = this.#entered;
    const { entering, recordOf } = this.#selection;
    const { bytes, starts } = this.#records;
    entered.clear();
    let previous = -1;
    for (let i = 0; i < entering.count; i++) {
      const row = entering.rows[i]!;
      const id = rows.ids[row]!;
      entered.varint((id >>> 10) - previous);
      previous = id >>> 10;
      entered.varint(id & 1023);
      entered.byte(rows.senses[row]!);
      const record = recordOf[row]!;
      entered.append(bytes, starts[record]!, starts[record + 1]!);
    }
    this.#out.insert(at, entered);
  }

  /** Writes what follows the updates; returns the number of messages. */
  #writeTail(view: ClientView): number {
    const out = this.#out;
    out.byte(0);
    if (this.#selection.sensed > 0) this.#writeSensed(view.rows);
    out.byte(0);
    let messages = 0;
    if (view.messages.length > 0) {
      messages = this.#writeMessages(view.rows);
      view.dropMessages();
    }
    out.byte(0);
    if (this.#placed.length > 0) this.#writePlaces();
    return messages + this.#placed.length;
  }

  #writePlaces(): void {
    this.#out.varint(this.#placed.length);
    for (const { steps = [], bytes } of this.#placed) {
      for (const step of steps) this.#out.signed(step);
      this.#out.raw(bytes);
    }
  }

  /**
   * Writes all attachments among the entities that the client has, if they differ from those it was sent. `areSame`: the
   * client has the entities that it had after its last frame.
   */
  #writeAttached(view: ClientView, areSame: boolean): void {
    const { attached } = view;
    const { isAny, version } = this.#parentage;
    if (!isAny && attached?.length === 0) return;
    this.#parentage.noteRows(view.rows.count);
    if (areSame && attached !== undefined && view.parentageVersion === version) return;
    const told = this.#parentage.toldTo(view.rows);
    view.attached = told;
    view.parentageVersion = version;
    if (told.length > 0) view.wasToldAttached = true;
    if (attached?.length === told.length && attached.every((id, i) => id === told[i])) return;
    const out = this.#out;
    out.bytes[1] = out.bytes[1]! | FRAME_ATTACHED;
    let previous = -1;
    for (let i = 0; i < told.length; i += 2) {
      const slot = told[i]! >>> 10;
      out.varint(slot - previous);
      out.varint(told[i + 1]! >>> 10);
      previous = slot;
    }
    out.byte(0);
  }

  #writeSensed(rows: ClientRows): void {
    const out = this.#out;
    let previous = -1;
    for (let row = rows.oddFrom(0); row < rows.count; row = rows.oddFrom(row + 1)) {
      if ((rows.flags[row]! & (SENT | SENSED)) !== (SENT | SENSED)) continue;
      if ((rows.flags[row]! & (RELATED | OWN)) === 0) continue;
      const slot = rows.ids[row]! >>> 10;
      out.varint(slot - previous);
      previous = slot;
      out.byte(rows.senses[row]!);
      rows.flags[row] = rows.flags[row]! & ~SENSED;
      rows.sensedTick[row] = this.#tick;
    }
  }

  #writeMessages(rows: ClientRows): number {
    let count = 0;
    for (const { marker, bytes } of this.#told) {
      const row = rows.find(marker);
      if (row < 0) continue;
      rows.flags[row] = rows.flags[row]! & ~FORCED;
      // The client does not have its marker, which found no room.
      if ((rows.flags[row]! & SENT) === 0) {
        this.#lost++;
        continue;
      }
      this.#out.varint((marker >>> 10) + 1);
      this.#out.raw(bytes);
      count++;
    }
    return count;
  }
}
