/**
 * Writes a client's frame: compares its rows with what is, takes what fits, copies records.
 *
 * First every row that may have something to tell finds its record, which is encoded when the first client asks for it.
 * If all of them fit what the client may be sent now, all go, and nothing is sorted. Else the best go: a row's score is its
 * importance times how long it has waited, over its distance, so that the near and important go more often and nobody
 * waits for ever. What is left waits in its row. Leaves, senses, messages with their markers, and the client's own
 * entity go always, and at least one record does.
 *
 * One writer serves all clients of a world. Cost: some nanoseconds a row, and a copy of a few bytes for each that goes.
 */
import type { AppearanceColumns } from '../appearance/appearance-columns.ts';
import {
  NOTHING_NEW,
  type RecordCache,
  USUAL_BYTES,
  USUAL_ID,
  USUAL_RECORD,
  USUAL_SINCE,
  USUAL_TICK,
  USUAL_VISIBLE,
  USUAL_WORDS,
} from '../appearance/record-cache.ts';
import { ByteWriter, putVarint } from '../wire/byte-writer.ts';
import { FRAME, FRAME_OWN, FRAME_RESYNC } from '../wire/frame-format.ts';
import { type ClientRows, FORCED, OWN, PENDING, RELATED, SENSED, SENT, UNSURE } from './client-rows.ts';
import type { ClientView, QueuedMessage } from './client-view.ts';
import { PriorityHeap } from './priority-heap.ts';

const NONE = -1;
/** Most bytes that an entity takes beside its record: of slot (22 bits), generation (10) and senses. */
const ENTER_BYTES = 7;
const UPDATE_BYTES = 4;
const SENSED_BYTES = 5;
const HEADER_BYTES = 32;

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
  readonly #columns: AppearanceColumns;
  readonly #records: RecordCache;
  readonly #out = new ByteWriter(1 << 16);
  readonly #heap = new PriorityHeap();
  #tick = 0;
  /** Scratch, by row: the record that is to be told, and the fields that the client then has. */
  #recordOf = new Int32Array(64);
  #visibleOf = new Uint32Array(64);
  #focus = NONE;
  #candidates = 0;
  #candidateBytes = 0;
  #fixedBytes = 0;
  #enters = 0;
  #sensed = 0;
  #deferred = 0;
  #updated = 0;
  #told: QueuedMessage[] = [];

  constructor(columns: AppearanceColumns, records: RecordCache) {
    this.#columns = columns;
    this.#records = records;
  }

  /** To be called before the frames of a tick are written. */
  beginTick(tick: number): void {
    this.#tick = tick;
    this.#records.beginTick(tick);
  }

  /** The next frame of a client that may be sent `availableBytes` now and whose input was last `inputNumber`. */
  write(view: ClientView, inputNumber: number, availableBytes: number): FrameOutcome {
    view.settle(this.#tick);
    const { rows } = view;
    this.#findFocus(view);
    this.#fixedBytes = HEADER_BYTES + rows.goneCount * UPDATE_BYTES;
    this.#forceMarkers(view);
    this.#measure(rows);
    this.#choose(rows, availableBytes - this.#fixedBytes);
    return this.#emit(view, inputNumber);
  }

  /** Where the client looks from: its own entity, else its watcher. */
  #findFocus({ own, watcher }: ClientView): void {
    this.#focus = NONE;
    for (const id of [own, watcher]) {
      if (id === 0 || !this.#columns.notice(id, this.#tick)) continue;
      this.#focus = id >>> 10;
      return;
    }
  }

  /** Messages go with the markers that they are about; those about nobody the client is to know are dropped. */
  #forceMarkers(view: ClientView): void {
    const { rows, messages } = view;
    this.#told = [];
    for (const message of messages) {
      const row = rows.find(message.marker);
      if (row < 0 || (rows.flags[row]! & (RELATED | OWN)) === 0) continue;
      rows.flags[row] = rows.flags[row]! | FORCED;
      this.#told.push(message);
      this.#fixedBytes += message.bytes.length + UPDATE_BYTES + 3;
    }
  }

  /** Finds for each row the record that it has to tell, if any. */
  #measure(rows: ClientRows): void {
    const { count, flags } = rows;
    if (this.#recordOf.length < count) {
      this.#recordOf = new Int32Array(rows.ids.length);
      this.#visibleOf = new Uint32Array(rows.ids.length);
    }
    this.#candidates = 0;
    this.#candidateBytes = 0;
    this.#enters = 0;
    this.#sensed = 0;
    const looksAtAll = this.#columns.schema.nearSquared >= 0;
    for (let row = 0; row < count; row++) {
      this.#recordOf[row] = NONE;
      const flag = flags[row]!;
      if ((flag & (RELATED | OWN)) === 0) continue;
      if ((flag & (SENT | SENSED)) === (SENT | SENSED)) {
        this.#sensed++;
        this.#fixedBytes += SENSED_BYTES;
      }
      if ((flag & (SENT | PENDING | OWN | UNSURE)) === (SENT | PENDING) && !looksAtAll) {
        if (this.#takeUsual(rows, row, flag)) continue;
      }
      // Its own is in no report of the world's: it is looked at each time.
      const isDue = (flag & (PENDING | OWN)) !== 0 || (flag & SENT) === 0;
      if (isDue || looksAtAll) this.#measureRow(rows, row, flag, isDue);
    }
  }

  /** What most rows come to: the record that others have been given in this tick. False where it does not suit. */
  #takeUsual(rows: ClientRows, row: number, flag: number): boolean {
    const { usual } = this.#records;
    const id = rows.ids[row]!;
    const at = (id >>> 10) * USUAL_WORDS;
    const visible = rows.shown[row]!;
    const isSuited =
      usual[at + USUAL_ID] === id &&
      usual[at + USUAL_TICK] === this.#tick &&
      rows.sentTick[row]! >= usual[at + USUAL_SINCE]! &&
      visible === usual[at + USUAL_VISIBLE] &&
      visible === this.#columns.schema.visible[rows.senses[row]! * 2];
    if (!isSuited) return false;
    const record = usual[at + USUAL_RECORD]!;
    if (record === NOTHING_NEW) {
      rows.sentTick[row] = this.#tick;
      rows.flags[row] = flag & ~PENDING;
      return true;
    }
    this.#recordOf[row] = record;
    this.#visibleOf[row] = visible;
    this.#candidates++;
    this.#candidateBytes += usual[at + USUAL_BYTES]! + UPDATE_BYTES;
    return true;
  }

  #measureRow(rows: ClientRows, row: number, flag: number, isDue: boolean): void {
    const columns = this.#columns;
    const id = rows.ids[row]!;
    if (!columns.notice(id, this.#tick)) return;
    const slot = id >>> 10;
    const visible = this.#visible(rows, row, slot);
    const shown = rows.shown[row]!;
    if (!isDue && visible === shown) return;
    const isUnsure = (flag & UNSURE) !== 0;
    const since = isUnsure ? 0 : rows.sentTick[row]!;
    const mask = columns.wanted(slot, since, isUnsure ? 0 : shown, visible);
    const hidden = (isUnsure ? columns.schema.allFields : shown) & ~visible;
    // Whoever was told since all but the fresh has rested, and sees what it saw, needs the same.
    const isUsual = !isUnsure && visible === shown && since >= columns.restedTick[slot]!;
    if (mask === 0 && hidden === 0) {
      if (isUsual) this.#records.setUsual(slot, id, columns.restedTick[slot]!, visible, NOTHING_NEW);
      // What it has is what is, as of this tick.
      rows.sentTick[row] = this.#tick;
      rows.flags[row] = flag & ~PENDING;
      return;
    }
    const record = this.#records.recordOf(slot, mask, hidden);
    if (isUsual) this.#records.setUsual(slot, id, columns.restedTick[slot]!, visible, record);
    this.#recordOf[row] = record;
    this.#visibleOf[row] = visible;
    this.#candidates++;
    this.#candidateBytes += this.#bytesOf(record, flag);
    if ((flag & SENT) === 0) this.#enters++;
  }

  #visible(rows: ClientRows, row: number, slot: number): number {
    const columns = this.#columns;
    const { visible, allFields, nearSquared } = columns.schema;
    if ((rows.flags[row]! & OWN) !== 0) return allFields;
    const isNear = this.#focus !== NONE && columns.distanceSquared(slot, this.#focus) <= nearSquared;
    return visible[rows.senses[row]! * 2 + (isNear ? 1 : 0)]!;
  }

  #bytesOf(record: number, flag: number): number {
    const { starts } = this.#records;
    return starts[record + 1]! - starts[record]! + ((flag & SENT) === 0 ? ENTER_BYTES : UPDATE_BYTES);
  }

  /** Puts off what does not fit, the least urgent first. */
  #choose(rows: ClientRows, availableBytes: number): void {
    this.#deferred = 0;
    if (this.#candidateBytes <= availableBytes || this.#candidates <= 1) return;
    const heap = this.#heap;
    heap.clear();
    let rest = availableBytes;
    for (let row = 0; row < rows.count; row++) {
      const record = this.#recordOf[row]!;
      if (record === NONE) continue;
      if ((rows.flags[row]! & (OWN | FORCED)) !== 0) rest -= this.#bytesOf(record, rows.flags[row]!);
      else heap.add(row, this.#score(rows, row));
    }
    heap.order();
    let isFirst = true;
    for (let row = heap.take(); row !== -1; row = heap.take()) {
      rest -= this.#bytesOf(this.#recordOf[row]!, rows.flags[row]!);
      // None that comes after one that does not fit: else a large one might never find room.
      if (rest < 0 && !isFirst) this.#defer(rows, row);
      isFirst = false;
    }
  }

  #score(rows: ClientRows, row: number): number {
    const columns = this.#columns;
    const slot = rows.ids[row]! >>> 10;
    const steps =
      this.#focus === NONE ? 1 : Math.max(1, Math.sqrt(columns.distanceSquared(slot, this.#focus)));
    const waited = this.#tick - rows.waitingTick[row]! + 1;
    return (columns.importance[slot]! * waited) / steps;
  }

  #defer(rows: ClientRows, row: number): void {
    this.#recordOf[row] = NONE;
    this.#deferred++;
    if ((rows.flags[row]! & SENT) === 0) this.#enters--;
    else if ((rows.flags[row]! & PENDING) === 0) {
      // What was only due for being nearer or farther waits like the others.
      rows.flags[row] = rows.flags[row]! | PENDING;
      rows.waitingTick[row] = this.#tick;
    }
  }

  #emit(view: ClientView, inputNumber: number): FrameOutcome {
    const { rows } = view;
    const out = this.#out;
    out.clear();
    out.reserve(this.#fixedBytes + this.#candidateBytes);
    const left = rows.goneCount;
    const entered = this.#enters;
    this.#emitHeader(view, inputNumber);
    if (left > 0) this.#emitLeft(view);
    out.byte(0);
    if (entered > 0) this.#emitEntered(rows);
    out.byte(0);
    this.#emitUpdated(rows);
    out.byte(0);
    if (this.#sensed > 0) this.#emitSensed(rows);
    out.byte(0);
    const messages = this.#emitMessages(rows);
    out.byte(0);
    if (left > 0) rows.compact();
    view.isOwnNews = false;
    view.mustResync = false;
    view.lastTick = this.#tick;
    view.dropMessages();
    return {
      bytes: out.toBytes(),
      entered,
      updated: this.#updated,
      left,
      messages,
      deferred: this.#deferred,
    };
  }

  #emitHeader(view: ClientView, inputNumber: number): void {
    const out = this.#out;
    view.frameNumber = (view.frameNumber + 1) >>> 0;
    out.byte(FRAME);
    out.byte((view.mustResync ? FRAME_RESYNC : 0) | (view.isOwnNews ? FRAME_OWN : 0));
    out.varint(view.frameNumber);
    out.varint(this.#tick);
    out.varint(inputNumber);
    if (view.isOwnNews) out.varint(view.own);
  }

  #emitLeft({ rows, departures }: ClientView): void {
    let previous = -1;
    for (let row = 0; row < rows.count; row++) {
      if ((rows.flags[row]! & (SENT | RELATED | OWN)) !== SENT) continue;
      const id = rows.ids[row]!;
      this.#out.varint((id >>> 10) - previous);
      previous = id >>> 10;
      departures.add(id, rows.enteredTick[row]!, this.#tick);
      rows.flags[row] = 0;
    }
  }

  #emitEntered(rows: ClientRows): void {
    const out = this.#out;
    let previous = -1;
    for (let row = 0; row < rows.count; row++) {
      const record = this.#recordOf[row]!;
      if (record === NONE || (rows.flags[row]! & SENT) !== 0) continue;
      const id = rows.ids[row]!;
      out.varint((id >>> 10) - previous);
      previous = id >>> 10;
      out.varint(id & 1023);
      out.byte(rows.senses[row]!);
      this.#copyRecord(record);
      this.#commit(rows, row);
      rows.enteredTick[row] = this.#tick;
      rows.sensedTick[row] = this.#tick;
      rows.flags[row] = rows.flags[row]! & ~SENSED;
      this.#recordOf[row] = NONE;
    }
  }

  /** The hot loop: room was made before, and bytes are copied one by one, since a call costs more than five of them. */
  #emitUpdated(rows: ClientRows): void {
    const recordOf = this.#recordOf;
    const { bytes: from, starts } = this.#records;
    const { bytes: to } = this.#out;
    const { count, ids } = rows;
    let at = this.#out.length;
    let previous = -1;
    let updated = 0;
    for (let row = 0; row < count; row++) {
      const record = recordOf[row]!;
      if (record === NONE) continue;
      const slot = ids[row]! >>> 10;
      at = putVarint(to, at, slot - previous);
      previous = slot;
      const end = starts[record + 1]!;
      for (let i = starts[record]!; i < end; i++) to[at++] = from[i]!;
      this.#commit(rows, row);
      updated++;
    }
    this.#out.length = at;
    this.#updated = updated;
  }

  #emitSensed(rows: ClientRows): void {
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

  #emitMessages(rows: ClientRows): number {
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

  #copyRecord(record: number): void {
    const { bytes, starts } = this.#records;
    this.#out.append(bytes.subarray(starts[record]!, starts[record + 1]!));
  }

  #commit(rows: ClientRows, row: number): void {
    rows.flags[row] = (rows.flags[row]! & ~(PENDING | UNSURE)) | SENT;
    rows.sentTick[row] = this.#tick;
    rows.shown[row] = this.#visibleOf[row]!;
  }
}
