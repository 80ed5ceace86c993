/**
 * Writes a client's frame: who left, who entered, what changed, and messages.
 *
 * Which rows it tells of is `RowSelection`'s work; leaves, senses and messages with their markers go always. Records are
 * encoded once and copied. One writer serves all clients of a world. Cost: see `RowSelection`, and half a microsecond a
 * frame.
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
/** Of the frame format: from it on a client is told who is gone. */
const GONE_VERSION = 3;
/** Most bytes of three coordinates. */
const PLACE_BYTES = 15;

export interface FrameOutcome {
  /** The caller's own. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly entered: number;
  readonly updated: number;
  readonly left: number;
  readonly messages: number;
  /** Rows that had something to tell and must wait. */
  readonly deferred: number;
}

export class FrameWriter {
  readonly #records: RecordCache;
  readonly #selection: RowSelection;
  readonly #parentage: Parentage;
  readonly #out = new ByteWriter(1 << 16);
  /** The section of those who enter, which comes before that of updates and is known after it. */
  readonly #entered = new ByteWriter(1 << 12);
  #tick = 0;
  #told: QueuedMessage[] = [];
  #placed: QueuedMessage[] = [];

  constructor(columns: AppearanceColumns, records: RecordCache) {
    this.#records = records;
    this.#parentage = new Parentage(columns.world);
    this.#selection = new RowSelection(columns, records, this.#parentage, this.#out);
  }

  /** To be called before the frames of a tick are written. */
  beginTick(tick: number): void {
    this.#tick = tick;
    this.#records.beginTick(tick);
    this.#parentage.beginTick(tick);
    this.#selection.beginTick(tick);
  }

  /**
   * The next frame of a client that may be sent `availableBytes` now, be told of `entersMax` who enter, and whose input was last
   * `inputNumber`.
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
    // Whose parents the client forgets with them is to be told again.
    if (rows.anew.size > 0 && view.wasToldAttached) view.attached = undefined;
    const messageBytes = this.#sortMessages(view);
    this.#writeHead(view, inputNumber);
    const enteredAt = this.#out.length;
    this.#out.byte(0);
    selection.select(view, availableBytes - HEADER_BYTES - left * SLOT_BYTES - messageBytes, entersMax);
    if (selection.entering.count > 0) this.#insertEntered(rows, enteredAt);
    selection.commit(rows);
    const messages = this.#writeTail(view);
    this.#writeAttached(view);
    if (left > 0 || rows.isAnyEmpty) rows.compact();
    view.isOwnNews = false;
    view.mustResync = false;
    view.lastTick = this.#tick;
    return {
      bytes: this.#out.toBytes(),
      entered: selection.entering.count,
      updated: selection.updated,
      left,
      messages,
      deferred: selection.deferred,
    };
  }

  /**
   * Messages go with the markers that they are about; those about nobody the client is to know are dropped. Those from places go
   * as they are. Answers how many bytes they take at most.
   */
  #sortMessages({ rows, messages }: ClientView): number {
    let bytes = 0;
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
   * Those that left, and that were removed or not as `removed` says; answers whether there are any of the other kind. A client
   * of the format's second version is told of all alike.
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
    for (let row = 0; row < rows.count; row++) {
      const flag = rows.flags[row]!;
      if ((flag & (SENT | RELATED | OWN)) !== SENT) continue;
      const id = rows.ids[row]!;
      tellAnewBelow(id);
      if (tell(id, rows.enteredTick[row]!, flag)) rows.flags[row] = 0;
    }
    tellAnewBelow(Number.POSITIVE_INFINITY);
    return hasOthers;
  }

  /** Puts those who enter before what was written after `at`. */
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

  /** What comes after the updates; answers how many messages that is. */
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

  /** All that are attached among those the client has, where that is not what it was told. */
  #writeAttached(view: ClientView): void {
    const { attached } = view;
    if (!this.#parentage.isAny && attached?.length === 0) return;
    const told = this.#parentage.toldTo(view.rows);
    view.attached = told;
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
    for (let row = 0; row < rows.count; row++) {
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
      // Gone before it could ever be told of.
      if ((rows.flags[row]! & SENT) === 0) continue;
      this.#out.varint((marker >>> 10) + 1);
      this.#out.raw(bytes);
      count++;
    }
    return count;
  }
}
