/**
 * What a client's next frame tells of its rows: which of them, by which record.
 *
 * If all that is new is certain to fit what the client may be sent, all of it goes, in one walk: of nearly every row the
 * usual record is taken, for the price of a look and a copy. Else each row finds its record first, and the best go: a
 * row's score is its importance times how long it has waited, over its distance, so that the near and important go more
 * often and nobody waits for ever. So it is, too, where more enter than one frame may bring. A child enters with its parent, or
 * after it: the parent is as urgent. What is left waits in its row. Messages with their markers, and the client's own entity go
 * always, and at least one record does.
 *
 * Cost: some 20 ns a row that goes; 100 where it is not the usual record; a sort where bytes are short.
 */
import type { AppearanceColumns } from '../appearance/appearance-columns.ts';
import type { RecordCache } from '../appearance/record-cache.ts';
import { LINE_AGE_LENGTH, LINE_BYTES, LINE_WORDS, UsualRecords } from '../appearance/usual-records.ts';
import { type ByteWriter, putVarint } from '../wire/byte-writer.ts';
import { BandLevels, NOWHERE } from './band-levels.ts';
import { type ClientRows, FORCED, OWN, PENDING, RELATED, SENSED, SENT, UNSURE } from './client-rows.ts';
import type { ClientView } from './client-view.ts';
import type { Parentage } from './parentage.ts';
import { PriorityHeap } from './priority-heap.ts';
import {
  AT_END,
  AT_LONG_RECORD,
  AT_LONG_WHOLE,
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
/** Most bytes that an entity takes beside its record: of slot (22 bits), generation (10) and senses. */
const ENTER_BYTES = 7;
const SENSED_BYTES = 5;
/** By how much a parent comes before a child that waits for it. */
const FIRST = 1 + 1e-9;

export class RowSelection {
  /** Rows that enter; their records are in `recordOf`. */
  readonly entering = new RowList();
  /** By row, of those that enter. */
  recordOf = new Int32Array(64);
  /** Rows updated, rows whose senses are told, and rows that have to wait. */
  updated = 0;
  sensed = 0;
  deferred = 0;
  /** Takes the section of updates, without its end. */
  readonly #out: ByteWriter;
  #outStart = 0;
  readonly #columns: AppearanceColumns;
  readonly #records: RecordCache;
  readonly #parentage: Parentage;
  readonly #usual: UsualRecords;
  readonly #heap = new PriorityHeap();
  readonly #cursor = new UpdateCursor();
  readonly #updating = new RowList();
  /** By row, of those that are to be chosen from: how urgent they are; infinite for those that go in any case. */
  #urgency = new Float64Array(64);
  /** By row: the fields that the client then has, where its record is not the usual one. */
  #visibleOf = new Uint32Array(64);
  /** Rows of which other fields are seen than before. */
  readonly #reshown = new RowList();
  /** Of the client; none where no field needs them. */
  readonly #bands: BandLevels | undefined;
  #tick = 0;
  /** Slot that the client looks from. */
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
   * Selects from the view's rows; `availableBytes` is what the frame may have for them, `entersMax` how many of them may enter, and
   * `commit` is next.
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

  /** What was selected has been told. */
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

  /** Where the client looks from: its own entity, else its watcher. */
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

  /** Takes all that is new where it is certain to fit; else answers false, and no row is the worse for it. */
  #takeAll(view: ClientView, availableBytes: number, entersMax: number): boolean {
    const { rows } = view;
    const { count, ids } = rows;
    let spareBytes = availableBytes - count * USUAL_UPDATE_BYTES;
    if (spareBytes < 0) return false;
    const out = this.#out;
    const cursor = this.#cursor;
    out.reserve(count * USUAL_UPDATE_BYTES);
    this.#updating.reserve(count);
    const { rows: updating } = this.#updating;
    cursor.begin(view.newsStart, out.length);
    for (;;) {
      copyUsual(cursor, view, this.#usual, this.#columns, this.#bands, this.#tick, out.bytes, updating);
      const { row, stop } = cursor;
      if (stop === AT_END) break;
      if (stop === AT_STRANGER) cursor.news++;
      else if (stop === AT_UNPREPARED) this.#usual.prepare(ids[row]!);
      else if (stop === AT_UNPREPARED_WHOLE) this.#usual.prepareWhole(ids[row]! >>> 10);
      else if (stop === AT_LONG_RECORD) this.#copyLong(cursor, this.#usual.lines, ids[row]! >>> 10);
      else if (stop === AT_LONG_WHOLE) this.#copyLong(cursor, this.#usual.wholeLines, ids[row]! >>> 10);
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

  #copyLong(cursor: UpdateCursor, lines: Uint32Array, slot: number): void {
    const line = slot * LINE_WORDS;
    const start = lines[line + LINE_BYTES]!;
    const end = start + (lines[line + LINE_AGE_LENGTH]! & 0xff);
    this.#out.length = cursor.at;
    this.#out.append(this.#records.bytes, start, end);
    cursor.at = this.#out.length;
    cursor.row++;
  }

  /** Appends an update, and leaves room for so many bytes more. */
  #putUpdate(slot: number, previous: number, record: number, roomBytes: number): void {
    const out = this.#out;
    const { bytes, starts } = this.#records;
    const end = starts[record + 1]!;
    out.reserve(end - starts[record]! + SLOT_BYTES + roomBytes);
    let at = putVarint(out.bytes, out.length, slot - previous);
    for (let i = starts[record]!; i < end; i++) out.bytes[at++] = bytes[i]!;
    out.length = at;
  }

  /** Finds for each row the record that it has to tell, if any; answers how many bytes they may take at most. */
  #measure(rows: ClientRows): number {
    let bytes = 0;
    for (let row = 0; row < rows.count; row++) bytes += this.#measureRow(rows, row, rows.flags[row]!);
    return bytes;
  }

  /** How many would enter, of those that have a record. */
  #enters(rows: ClientRows): number {
    let count = 0;
    for (let row = 0; row < rows.count; row++) {
      if (this.recordOf[row] !== NONE && (rows.flags[row]! & SENT) === 0) count++;
    }
    return count;
  }

  /** The record that a row has to tell, if any, into `recordOf`; answers how many bytes the row may take at most. */
  #measureRow(rows: ClientRows, row: number, flag: number): number {
    const columns = this.#columns;
    this.recordOf[row] = NONE;
    if ((flag & (RELATED | OWN)) === 0) return 0;
    let bytes = 0;
    if ((flag & (SENT | SENSED)) === (SENT | SENSED)) {
      this.sensed++;
      bytes = SENSED_BYTES;
    }
    // Its own is in no report of the world's: it is looked at each time.
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

  /** What the client has of the row is what is, as of this tick. */
  #settle(rows: ClientRows, row: number): void {
    rows.sentTick[row] = this.#tick;
    rows.flags[row] = rows.flags[row]! & ~PENDING;
  }

  #visible(rows: ClientRows, row: number, slot: number): number {
    const { visible, allFields, bands } = this.#columns.schema;
    if (this.#bands !== undefined) rows.level[row] = this.#bands.levelOf(slot, rows.level[row]!);
    if ((rows.flags[row]! & OWN) !== 0) return allFields;
    return visible[rows.senses[row]! * (bands.length + 1) + rows.level[row]!]!;
  }

  #bytesOf(record: number, flag: number): number {
    const { starts } = this.#records;
    return starts[record + 1]! - starts[record]! + ((flag & SENT) === 0 ? ENTER_BYTES : SLOT_BYTES);
  }

  /** Puts off what does not fit, and who is too many to enter, the least urgent first. */
  #choose(rows: ClientRows, availableBytes: number, entersMax: number): void {
    const heap = this.#heap;
    heap.clear();
    let rest = availableBytes - this.sensed * SENSED_BYTES;
    const urgency = this.#urgency;
    let enters = 0;
    for (let row = 0; row < rows.count; row++) {
      const isDue = this.recordOf[row]! !== NONE;
      const goesAnyhow = isDue && (rows.flags[row]! & (OWN | FORCED)) !== 0;
      urgency[row] = goesAnyhow ? Number.POSITIVE_INFINITY : isDue ? this.#score(rows, row) : 0;
    }
    const hasFamilies = this.#parentage.isAny;
    if (hasFamilies) this.#bringParents(rows);
    for (let row = 0; row < rows.count; row++) {
      const record = this.recordOf[row]!;
      if (record === NONE) continue;
      if (urgency[row] === Number.POSITIVE_INFINITY) {
        rest -= this.#bytesOf(record, rows.flags[row]!);
        if ((rows.flags[row]! & SENT) === 0) enters++;
      } else heap.add(row, urgency[row]!);
    }
    heap.order();
    let isFirst = true;
    for (let row = heap.take(); row !== -1; row = heap.take()) {
      if ((rows.flags[row]! & SENT) === 0 && ++enters > entersMax) {
        this.#defer(rows, row);
        continue;
      }
      rest -= this.#bytesOf(this.recordOf[row]!, rows.flags[row]!);
      // None that comes after one that does not fit: else a large one might never find room.
      if (rest < 0 && !isFirst) this.#defer(rows, row);
      isFirst = false;
    }
    if (!hasFamilies) return;
    for (let row = 0; row < rows.count; row++) {
      if (this.recordOf[row] !== NONE && this.#waitsForParent(rows, row)) this.#defer(rows, row);
    }
  }

  /** Whoever one that enters hangs from is more urgent than it, where the client does not have it either. */
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

  /** Whether one that enters hangs from somebody whom the client is to have, and will not have with this frame. */
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

  #defer(rows: ClientRows, row: number): void {
    this.recordOf[row] = NONE;
    this.deferred++;
    if ((rows.flags[row]! & (SENT | PENDING)) === SENT) {
      // What was only due for being nearer or farther waits like the others.
      rows.flags[row] = rows.flags[row]! | PENDING;
      rows.waitingTick[row] = this.#tick;
    }
  }

  /** Takes the rows that have a record still. */
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

/** Numbers of rows, ascending; kept from frame to frame. */
class RowList {
  rows = new Uint32Array(64);
  count = 0;

  add(row: number): void {
    this.reserve(1);
    this.rows[this.count++] = row;
  }

  /** Makes room for so many more. */
  reserve(more: number): void {
    const needed = this.count + more;
    if (needed <= this.rows.length) return;
    const grown = new Uint32Array(Math.max(needed, this.rows.length * 2));
    grown.set(this.rows);
    this.rows = grown;
  }
}
