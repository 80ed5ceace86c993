/**
 * Selects the rows of a client's next frame, and the record of each.
 *
 * If everything new is certain to fit the byte budget, all of it is sent, in one pass: nearly every row takes
 * its usual record, at the cost of a check and a copy. Where few rows have anything new, only these are visited.
 * Otherwise each row first finds its record, and the rows with the highest scores are sent. A score is importance
 * times waiting time divided by distance, so that near and important entities are sent more often and no row waits
 * forever. The same applies if more entities enter than a frame may bring. A child enters with its parent or after
 * it, and passes its urgency on to the parent. Rows that are not selected wait. The client's own entity is always
 * sent, and the markers of messages are, up to a number of bytes, those that enter first; at least one record is sent.
 *
 * Cost: about 20 ns per row that is sent, 100 ns if it does not take the usual record or few others have anything new; plus
 * a heap if bytes are short.
 */
import type { AppearanceColumns } from '../appearance/appearance-columns.ts';
import type { RecordCache } from '../appearance/record-cache.ts';
import { UsualRecords } from '../appearance/usual-records.ts';
import { type ByteWriter, putVarint } from '../wire/byte-writer.ts';
import { BandLevels, NOWHERE } from './band-levels.ts';
import { type ClientRows, FORCED, OWN, PENDING, RELATED, SENSED, SENT, UNSURE } from './client-rows.ts';
import type { ClientView } from './client-view.ts';
import type { Parentage } from './parentage.ts';
import { PriorityHeap } from './priority-heap.ts';
import { RowList } from './row-list.ts';
import {
  AT_END,
  AT_ODD_ROW,
  AT_STRANGER,
  AT_UNPREPARED,
  AT_UNPREPARED_WHOLE,
  copyUsual,
  SLOT_BYTES,
  UpdateCursor,
  USUAL_UPDATE_BYTES,
} from './usual-updates.ts';

const NONE = -1;
/**
 * Most bytes of an entity that enters in addition to its record: slot (22 bits), generation (10) and senses.
 */
const ENTER_BYTES = 7;
const SENSED_BYTES = 5;
/** Factor by which a parent is more urgent than a child that waits for it. */
const FIRST = 1 + 1e-9;
/** Urgency of the marker of a message. Any other is less. */
const AT_ONCE = 1e300;
/**
 * Most bytes of markers that a frame brings for the sake of their messages, whatever the budget. Clients refuse a frame
 * of more than 1 MiB, and thousands of entities that have just appeared may all have something to say. A frame has at
 * most 393,216 bytes of messages beside these (`waitingBytesMax`).
 */
const AT_ONCE_BYTES_MAX = 262_144;

export class RowSelection {
  /** Rows that enter; their records are in `recordOf`. */
  readonly entering = new RowList();
  /** By row: the record to send. */
  recordOf = new Int32Array(64);
  /** Numbers of rows that are updated, rows whose senses are sent, and rows that are deferred. */
  updated = 0;
  sensed = 0;
  deferred = 0;
  /** Receives the section of updates, without its end. */
  readonly #out: ByteWriter;
  #outStart = 0;
  readonly #columns: AppearanceColumns;
  readonly #records: RecordCache;
  readonly #parentage: Parentage;
  readonly #usual: UsualRecords;
  /** Of the rows to choose from, those that enter and those that are updated. */
  readonly #entries = new PriorityHeap();
  readonly #updates = new PriorityHeap();
  readonly #cursor = new UpdateCursor();
  readonly #updating = new RowList();
  /** By row, of the rows to choose from: the urgency; infinite for those that are certain to be sent. */
  #urgency = new Float64Array(64);
  /** By row without a usual record: the fields that the client has after this frame. */
  #visibleOf = new Uint32Array(64);
  /** Rows whose visible fields may have changed. */
  readonly #reshown = new RowList();
  /** Levels of the client; undefined if no field has a band as audience. */
  readonly #bands: BandLevels | undefined;
  #tick = 0;
  /** Slot of the client's focus. */
  #focus = NOWHERE;

  /** Updates are appended to `out`. */
  constructor(columns: AppearanceColumns, records: RecordCache, parentage: Parentage, out: ByteWriter) {
    this.#out = out;
    this.#columns = columns;
    this.#records = records;
    this.#parentage = parentage;
    this.#usual = new UsualRecords(columns, records);
    if (columns.schema.bands.length > 0) this.#bands = new BandLevels(columns);
  }

  beginTick(tick: number): void {
    this.#tick = tick;
    this.#usual.beginTick(tick);
  }

  /**
   * Selects from the view's rows. `availableBytes` is the budget of the frame for them, `entersMax` the most
   * rows that may enter. Call `commit` next.
   */
  select(view: ClientView, availableBytes: number, entersMax: number): void {
    const { rows } = view;
    if (this.recordOf.length < rows.count) {
      this.recordOf = new Int32Array(rows.ids.length);
      this.#visibleOf = new Uint32Array(rows.ids.length);
      this.#urgency = new Float64Array(rows.ids.length);
    }
    this.#findFocus(view);
    this.#outStart = this.#out.length;
    this.#clear();
    if (this.#takeAll(view, availableBytes, entersMax)) {
      view.forgetNews();
      return;
    }
    this.#clear();
    view.noteNews(this.#tick);
    const isTooLong = this.#measure(rows) > availableBytes;
    if (isTooLong || this.#enters(rows) > entersMax) this.#choose(rows, availableBytes, entersMax);
    this.#takeChosen(rows);
  }

  /** The selected rows have been sent: updates their state. */
  commit(rows: ClientRows): void {
    const { flags, sentTick, enteredTick, sensedTick, shown } = rows;
    const { rows: updating, count } = this.#updating;
    for (let i = 0; i < count; i++) {
      const row = updating[i]!;
      flags[row] = flags[row]! & ~(PENDING | UNSURE);
      sentTick[row] = this.#tick;
    }
    for (let i = 0; i < this.#reshown.count; i++) {
      const row = this.#reshown.rows[i]!;
      shown[row] = this.#visibleOf[row]!;
    }
    for (let i = 0; i < this.entering.count; i++) {
      const row = this.entering.rows[i]!;
      flags[row] = (flags[row]! & ~(PENDING | UNSURE | SENSED)) | SENT;
      sentTick[row] = this.#tick;
      enteredTick[row] = this.#tick;
      sensedTick[row] = this.#tick;
      shown[row] = this.#visibleOf[row]!;
    }
  }

  #clear(): void {
    this.entering.count = 0;
    this.#out.length = this.#outStart;
    this.updated = 0;
    this.sensed = 0;
    this.deferred = 0;
    this.#updating.count = 0;
    this.#reshown.count = 0;
  }

  /** Sets the focus of the client: its own entity, else its watcher. */
  #findFocus(view: ClientView): void {
    const { own, watcher, rows } = view;
    const columns = this.#columns;
    const focus = [own, watcher].find((id) => id !== 0 && columns.notice(id, this.#tick)) ?? 0;
    this.#focus = focus === 0 ? NOWHERE : focus >>> 10;
    if (this.#bands === undefined) return;
    if (focus !== view.focus) rows.forgetLevels();
    view.focus = focus;
    this.#bands.look(this.#focus, columns.world.has(watcher) ? columns.world.leaveMargin(watcher) : 0);
  }

  /**
   * Takes everything new if it is certain to fit. Otherwise returns false; the rows are still valid for the
   * slow path.
   */
  #takeAll(view: ClientView, availableBytes: number, entersMax: number): boolean {
    const { rows } = view;
    const { count, ids } = rows;
    let spareBytes = availableBytes;
    const out = this.#out;
    const cursor = this.#cursor;
    out.reserve(count * USUAL_UPDATE_BYTES);
    this.#updating.reserve(count);
    const { rows: updating } = this.#updating;
    cursor.begin(view.newsStart, out.length);
    // With bands, the level of any row may have changed.
    let searches = this.#bands === undefined ? rows.searchesFor(view.newsEnd - view.newsStart) : 0;
    for (;;) {
      if (cursor.row === cursor.end) {
        if (searches > 0) this.#skipSteady(view);
        if (cursor.row === count) break;
        cursor.end = --searches > 0 ? cursor.row + 1 : count;
        spareBytes -= (cursor.end - cursor.row) * USUAL_UPDATE_BYTES;
        if (spareBytes < 0) return false;
      }
      copyUsual(
        cursor,
        view,
        this.#usual,
        this.#columns,
        this.#bands,
        this.#tick,
        out.bytes,
        this.#records.bytes,
        updating,
      );
      const { row, stop } = cursor;
      if (stop === AT_END) continue;
      if (stop === AT_STRANGER) cursor.news++;
      else if (stop === AT_UNPREPARED) this.#usual.prepare(ids[row]!);
      else if (stop === AT_UNPREPARED_WHOLE) this.#usual.prepareWhole(ids[row]! >>> 10);
      if (stop !== AT_ODD_ROW) continue;
      cursor.row++;
      if (cursor.isNews) cursor.news++;
      const flag = rows.flags[row]! | (cursor.isNews ? PENDING : 0);
      spareBytes -= this.#measureRow(rows, row, flag);
      if (spareBytes < 0) return false;
      const record = this.recordOf[row]!;
      if (record === NONE) continue;
      if ((flag & SENT) === 0) {
        if (this.entering.count >= entersMax) return false;
        this.entering.add(row);
        continue;
      }
      const slot = ids[row]! >>> 10;
      out.length = cursor.at;
      this.#putUpdate(slot, cursor.previousSlot, record, (count - row) * USUAL_UPDATE_BYTES);
      cursor.at = out.length;
      cursor.previousSlot = slot;
      updating[cursor.count++] = row;
      this.#reshown.add(row);
    }
    out.length = cursor.at;
    this.#updating.count = cursor.count;
    this.updated = cursor.count;
    return true;
  }

  /** Moves the cursor to the next row that is reported or not steady, or to the end. */
  #skipSteady({ rows, newsMarkers, newsEnd }: ClientView): void {
    const cursor = this.#cursor;
    if (cursor.odd < cursor.row) cursor.odd = rows.oddFrom(cursor.row);
    let reported = -1;
    while (cursor.news < newsEnd) {
      reported = rows.find(newsMarkers[cursor.news]!, cursor.row);
      if (reported >= 0) break;
      cursor.news++;
    }
    cursor.row = reported < 0 ? cursor.odd : Math.min(cursor.odd, reported);
  }

  /** Appends an update, and reserves `roomBytes` more bytes. */
  #putUpdate(slot: number, previous: number, record: number, roomBytes: number): void {
    const out = this.#out;
    const { bytes, starts } = this.#records;
    const end = starts[record + 1]!;
    out.reserve(end - starts[record]! + SLOT_BYTES + roomBytes);
    let at = putVarint(out.bytes, out.length, slot - previous);
    for (let i = starts[record]!; i < end; i++) out.bytes[at++] = bytes[i]!;
    out.length = at;
  }

  /** Finds the record of each row that has something to send. Returns an upper bound of their bytes. */
  #measure(rows: ClientRows): number {
    let bytes = 0;
    for (let row = 0; row < rows.count; row++) bytes += this.#measureRow(rows, row, rows.flags[row]!);
    return bytes;
  }

  /** Number of rows with a record that would enter. */
  #enters(rows: ClientRows): number {
    let count = 0;
    for (let row = 0; row < rows.count; row++) {
      if (this.recordOf[row] !== NONE && (rows.flags[row]! & SENT) === 0) count++;
    }
    return count;
  }

  /**
   * Stores the record of a row, if it has something to send, in `recordOf`. Returns an upper bound of the
   * bytes of the row.
   */
  #measureRow(rows: ClientRows, row: number, flag: number): number {
    const columns = this.#columns;
    this.recordOf[row] = NONE;
    if ((flag & (RELATED | OWN)) === 0) return 0;
    let bytes = 0;
    if ((flag & (SENT | SENSED)) === (SENT | SENSED)) {
      this.sensed++;
      bytes = SENSED_BYTES;
    }
    // The client's own entity may be in no report of the world, so it is checked in each frame.
    const isDue = (flag & (PENDING | OWN)) !== 0 || (flag & SENT) === 0;
    if (!isDue && this.#bands === undefined) return bytes;
    const id = rows.ids[row]!;
    if (!columns.notice(id, this.#tick)) return bytes;
    const slot = id >>> 10;
    const visible = this.#visible(rows, row, slot);
    const shown = rows.shown[row]!;
    if (!isDue && visible === shown) return bytes;
    const isUnsure = (flag & UNSURE) !== 0;
    const since = isUnsure ? 0 : rows.sentTick[row]!;
    const mask = columns.wanted(slot, since, isUnsure ? 0 : shown, visible, (flag & OWN) !== 0);
    const hidden = (isUnsure ? columns.schema.allFields : shown) & ~visible;
    if (mask === 0 && hidden === 0) {
      this.#settle(rows, row);
      return bytes;
    }
    const record = this.#records.recordOf(slot, mask, hidden);
    this.recordOf[row] = record;
    this.#visibleOf[row] = visible;
    return bytes + this.#bytesOf(record, flag);
  }

  /** The client's state of the row is up to date as of this tick. */
  #settle(rows: ClientRows, row: number): void {
    rows.sentTick[row] = this.#tick;
    rows.flags[row] = rows.flags[row]! & ~PENDING;
  }

  #visible(rows: ClientRows, row: number, slot: number): number {
    const { schema } = this.#columns;
    if (this.#bands !== undefined) rows.level[row] = this.#bands.levelOf(slot, rows.level[row]!);
    return (rows.flags[row]! & OWN) !== 0 ? schema.allFields : rows.visibleAt(row, schema);
  }

  #bytesOf(record: number, flag: number): number {
    const { starts } = this.#records;
    return starts[record + 1]! - starts[record]! + ((flag & SENT) === 0 ? ENTER_BYTES : SLOT_BYTES);
  }

  /** Defers what does not fit and what exceeds `entersMax`, the least urgent rows first. */
  #choose(rows: ClientRows, availableBytes: number, entersMax: number): void {
    const entries = this.#entries;
    const updates = this.#updates;
    entries.clear();
    updates.clear();
    let rest = availableBytes - this.sensed * SENSED_BYTES;
    const urgency = this.#urgency;
    let enters = 0;
    let isAnyAtOnce = false;
    for (let row = 0; row < rows.count; row++) {
      const flag = rows.flags[row]!;
      if (this.recordOf[row]! === NONE) urgency[row] = 0;
      else if ((flag & OWN) !== 0) urgency[row] = Number.POSITIVE_INFINITY;
      else if ((flag & FORCED) === 0) urgency[row] = this.#score(rows, row);
      else {
        urgency[row] = AT_ONCE;
        isAnyAtOnce = true;
      }
    }
    const hasFamilies = this.#parentage.isAny;
    if (hasFamilies) this.#bringParents(rows);
    if (isAnyAtOnce) {
      // The message of a marker that the client has is told even if the marker's changes wait.
      const restAtOnce = this.#bringAtOnce(rows, 0, AT_ONCE_BYTES_MAX);
      this.#bringAtOnce(rows, SENT, restAtOnce);
    }
    for (let row = 0; row < rows.count; row++) {
      const record = this.recordOf[row]!;
      if (record === NONE) continue;
      if (urgency[row] === Number.POSITIVE_INFINITY) {
        rest -= this.#bytesOf(record, rows.flags[row]!);
        if ((rows.flags[row]! & SENT) === 0) enters++;
      } else ((rows.flags[row]! & SENT) === 0 ? entries : updates).add(row, urgency[row]!);
    }
    entries.order();
    updates.order();
    for (let isFirst = true; ; isFirst = false) {
      if (enters >= entersMax) this.#deferAll(rows, entries);
      const heap = entries.isAheadOf(updates) ? entries : updates;
      const row = heap.take();
      if (row === -1) break;
      rest -= this.#bytesOf(this.recordOf[row]!, rows.flags[row]!);
      // Nothing follows a row that does not fit: otherwise a large row might never find room.
      if (rest < 0 && !isFirst) {
        this.#defer(rows, row);
        this.#deferAll(rows, entries);
        this.#deferAll(rows, updates);
        break;
      }
      if (heap === entries) enters++;
    }
    if (!hasFamilies) return;
    for (let row = 0; row < rows.count; row++) {
      if (this.recordOf[row] !== NONE && this.#waitsForParent(rows, row)) this.#defer(rows, row);
    }
  }

  /**
   * Makes the ancestors of an entity that enters more urgent than the entity, if the client does not have
   * them.
   */
  #bringParents(rows: ClientRows): void {
    const urgency = this.#urgency;
    for (let row = 0; row < rows.count; row++) {
      if (this.recordOf[row] === NONE || (rows.flags[row]! & SENT) !== 0) continue;
      let least = urgency[row]! * FIRST;
      for (
        let above = this.#parentage.rowOf(rows, row);
        above >= 0;
        above = this.#parentage.rowOf(rows, above)
      ) {
        if ((rows.flags[above]! & SENT) !== 0) break;
        urgency[above] = Math.max(urgency[above]!, least);
        least *= FIRST;
      }
    }
  }

  /**
   * Makes markers of messages certain to be sent, as far as they fit `bytesMax`: those that the client has if `sent` is
   * `SENT`, those that enter, with their parents, if it is 0. Returns how many bytes are left.
   */
  #bringAtOnce(rows: ClientRows, sent: number, bytesMax: number): number {
    const urgency = this.#urgency;
    let rest = bytesMax;
    for (let row = 0; row < rows.count; row++) {
      const record = this.recordOf[row]!;
      const flag = rows.flags[row]!;
      if (record === NONE || urgency[row]! < AT_ONCE || (flag & SENT) !== sent) continue;
      if (urgency[row] === Number.POSITIVE_INFINITY) continue;
      const bytes = this.#bytesOf(record, flag);
      if (bytes > rest) continue;
      rest -= bytes;
      urgency[row] = Number.POSITIVE_INFINITY;
    }
    return rest;
  }

  /**
   * Whether an entity that enters has an ancestor that the client should have and will not get with this
   * frame.
   */
  #waitsForParent(rows: ClientRows, row: number): boolean {
    if ((rows.flags[row]! & SENT) !== 0) return false;
    for (
      let above = this.#parentage.rowOf(rows, row);
      above >= 0;
      above = this.#parentage.rowOf(rows, above)
    ) {
      if ((rows.flags[above]! & SENT) !== 0) return false;
      if (this.recordOf[above] === NONE) return true;
    }
    return false;
  }

  #score(rows: ClientRows, row: number): number {
    const columns = this.#columns;
    const slot = rows.ids[row]! >>> 10;
    const steps =
      this.#focus === NOWHERE ? 1 : Math.max(1, Math.sqrt(columns.distanceSquared(slot, this.#focus)));
    const waited = this.#tick - rows.waitingTick[row]! + 1;
    return (columns.importance[slot]! * waited) / steps;
  }

  /** In no order: most of a crowd may have to wait. */
  #deferAll(rows: ClientRows, heap: PriorityHeap): void {
    for (let row = heap.takeAny(); row !== -1; row = heap.takeAny()) this.#defer(rows, row);
  }

  #defer(rows: ClientRows, row: number): void {
    this.recordOf[row] = NONE;
    this.deferred++;
    if ((rows.flags[row]! & (SENT | PENDING)) === SENT) {
      // Rows that were due only because of a changed level wait like the others.
      rows.flags[row] = rows.flags[row]! | PENDING;
      rows.waitingTick[row] = this.#tick;
    }
  }

  /** Takes the rows that still have a record. */
  #takeChosen(rows: ClientRows): void {
    let previous = -1;
    for (let row = 0; row < rows.count; row++) {
      const record = this.recordOf[row]!;
      if (record === NONE) continue;
      if ((rows.flags[row]! & SENT) === 0) {
        this.entering.add(row);
        continue;
      }
      const slot = rows.ids[row]! >>> 10;
      this.#putUpdate(slot, previous, record, 0);
      previous = slot;
      this.#updating.add(row);
      this.#reshown.add(row);
    }
    this.updated = this.#updating.count;
  }
}
