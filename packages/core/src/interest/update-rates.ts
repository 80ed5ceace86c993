/**
 * Update rates: changes of near markers are reported each tick, those of far markers less often, and none
 * later than its ring allows.
 *
 *   [[0.25, 1], [0.5, 2], [1, 4]]     up to a quarter of the longest range every tick, up to half every second tick,
 *                                     then every fourth
 *
 * Use them where a server spends most of its time on fan-out: three rings send about a third of the updates.
 * A changed marker is reported in its turn, or when it has waited as long as its ring allows. The turn
 * depends on the marker's slot, so that the load is even over the ticks.
 *
 * A rate of a pin takes precedence over the rings: see pin-reasons.ts.
 *
 * Memory: 4 bytes a slot for the tick of its last change, 4 bytes a relation while updates are listed. Cost:
 * some 10 ns a relation.
 */
import type { ByteReader } from '../bytes/byte-reader.ts';
import type { ByteWriter } from '../bytes/byte-writer.ts';
import { unionOf } from '../columns.ts';
import { UPDATES } from '../entities/entity-state.ts';
import type { EntityStore } from '../entities/entity-store.ts';
import { MOVED, TOUCHED } from '../entities/pending.ts';
import { type Column, Heap } from '../kernels/heap.ts';
import * as rated from '../kernels/layouts/report-rated.ts';
import type { ReportRows } from '../reports/report-rows.ts';
import type { FollowedUpdates } from './attached/followed-updates.ts';
import type { ResolvedInterest } from './rules/interest.ts';
import { rateOf } from './rules/pin-reasons.ts';
import { squaredDistance } from './rules/rank.ts';
import type { Ties } from './rules/ties.ts';
import { type PairRows, PINNED, RELATED } from './table/pair-rows.ts';
import { ScratchRoom } from './table/scratch-room.ts';

const f32 = Math.fround;
/** Columns up to this many words are not shrunk: it is not worth a move of the heap. */
const FEW = 8192;
const EACH_TICK: ResolvedInterest['updateRates'] = [[1, 1]];
const NOBODY = new Uint32Array(0);
const floats = new Float32Array(1);
const floatBits = new Uint32Array(floats.buffer);

export class UpdateRates {
  readonly #store: EntityStore;
  readonly #pairs: PairRows;
  readonly #ties: Ties;
  readonly #followed: FollowedUpdates;
  /** By slot: the tick at which it last moved or was touched. */
  readonly #changedAt: Column<'u32'>;
  /**
   * Scratch of a tick: the watchers, the rings of each, all rings, and the updates; see
   * kernels/layouts/report-rated.ts.
   */
  readonly #watchers: Column<'u32'>;
  readonly #ringsOf: Column<'u32'>;
  readonly #rings: Column<'u32'>;
  readonly #due: Column<'u32'>;
  readonly #ends: Column<'u32'>;
  readonly #owingColumn: Column<'u32'>;
  readonly #job: Column<'u32'>;
  readonly #dueRoom = new ScratchRoom(FEW);
  /**
   * Slots, ascending, of the watchers with a change that is still to be reported; `undefined`, before the first report: any may have one. Where rates
   * begin, all pairs count as reported, so a list of earlier ticks only holds too many.
   */
  #owing: Uint32Array | undefined;

  constructor(store: EntityStore, pairs: PairRows, ties: Ties, followed: FollowedUpdates) {
    const { heap } = store;
    this.#store = store;
    this.#pairs = pairs;
    this.#ties = ties;
    this.#followed = followed;
    this.#changedAt = heap.column('u32', 0);
    this.#watchers = heap.column('u32', 0, Heap.scratch);
    this.#ringsOf = heap.column('u32', 0, Heap.scratch);
    this.#rings = heap.column('u32', 0, Heap.scratch);
    this.#due = heap.column('u32', 0, Heap.scratch);
    this.#ends = heap.column('u32', 0, Heap.scratch);
    this.#owingColumn = heap.column('u32', 0, Heap.scratch);
    this.#job = heap.column('u32', rated.JOB_WORDS);
  }

  /** Stores which entities changed in this tick. */
  note(tick: number): void {
    const { slotCount, capacity, pending, pendingSlots, pendingCount, notOnlyMoved, heap } = this.#store;
    if (this.#changedAt.length < slotCount) heap.resize([[this.#changedAt, capacity]]);
    const changedAt = this.#changedAt.array;
    // Nearly all pending slots moved; of the few others, the former ticks are written back.
    const others = notOnlyMoved.filter((slot) => (pending[slot] & (MOVED | TOUCHED)) === 0);
    const ticks = others.map((slot) => changedAt[slot]);
    for (let i = 0; i < pendingCount; i++) changedAt[pendingSlots[i]] = tick;
    for (let i = 0; i < others.length; i++) changedAt[others[i]] = ticks[i];
  }

  /**
   * Adds to `updated` the updates that are due in this tick, and marks them as reported in the rows and in
   * for the attached markers. `withRow`: all watchers with a row, ascending, none of which has a row in `updated` yet;
   * `concerned`: those that may relate to what is pending, `undefined` for any; `interestOf`: the interest of a watcher, `undefined` if it
   * does not get updates at rates.
   */
  report(
    withRow: Uint32Array,
    concerned: Uint32Array | undefined,
    interestOf: (watcher: number) => ResolvedInterest | undefined,
    tick: number,
    updated: ReportRows,
  ): void {
    const count = this.#list(this.#watchersToRead(withRow, concerned), interestOf);
    this.#owing = NOBODY;
    if (count === 0) return;
    this.#writeJob(count, tick);
    const dueCount = this.#store.heap.kernels.reportRated(this.#job.offset);
    this.#owing = this.#owingColumn.array.slice(0, this.#job.array[rated.OWING_COUNT]);
    const mayBeMore = !this.#followed.isEmpty || !this.#ties.isNone;
    if (dueCount === 0 && !mayBeMore) return;
    const { idOf } = this.#store.ids;
    const [watchers, ends] = [this.#watchers.array, this.#ends.array];
    const due = this.#due.array.subarray(0, dueCount);
    const usual: ListedRows = { ids: [], offsets: [0] };
    const longer: ListedRows = { ids: [], offsets: [0] };
    const longerRows: number[] = [];
    /** Watchers with a change of an attached marker that is still to be reported. */
    const owing: number[] = [];
    let begin = 0;
    let kept = 0;
    for (let w = 0; w < count; w++) {
      const [watcher, end] = [watchers[w], ends[w]];
      if (mayBeMore && this.#mayHaveMore(watcher)) {
        const row = Array.from(due.subarray(begin, end));
        if (this.#addOthers(row, watcher, interestOf(watcher) as ResolvedInterest, tick)) owing.push(watcher);
        for (const id of row) longerRows.push(id);
        endRow(longer, idOf[watcher], longerRows.length);
      } else {
        if (kept < begin) due.copyWithin(kept, begin, end);
        kept += end - begin;
        endRow(usual, idOf[watcher], kept);
      }
      begin = end;
    }
    this.#owing = unionOf(this.#owing, owing);
    if (usual.ids.length > 0) updated.merge(usual.ids, usual.offsets, due.subarray(0, kept));
    if (longer.ids.length > 0) updated.merge(longer.ids, longer.offsets, longerRows);
  }

  /** The watchers of which any pair may be due, ascending. */
  #watchersToRead(withRow: Uint32Array, concerned: Uint32Array | undefined): Uint32Array {
    if (concerned === undefined || this.#owing === undefined) return withRow;
    return unionOf(concerned, this.#owing);
  }

  /** Whether a watcher has a pin, or relates to a marker because of its parent. */
  #mayHaveMore(watcher: number): boolean {
    const { idOf } = this.#store.ids;
    return this.#followed.of(watcher) !== undefined || this.#ties.pinsOf(idOf[watcher]) !== undefined;
  }

  /**
   * Adds the due updates of pinned and of attached markers to a watcher's row. `row`: ids, ascending before
   * and after. Returns whether a change of an attached marker is still to be reported.
   */
  #addOthers(row: number[], watcher: number, interest: ResolvedInterest, tick: number): boolean {
    const { ids } = this.#store;
    let owes = false;
    const inRow = row.length;
    const pins = this.#ties.pinsOf(ids.idOf[watcher]);
    const { state, reported } = this.#pairs;
    for (const [id, { reasons }] of pins ?? []) {
      const at = this.#pairs.find(watcher, id >>> 10);
      if (at < 0 || (state[at] & PINNED) === 0 || (state[at] & RELATED) === 0) continue;
      if (!this.#isDue(interest, watcher, id >>> 10, reported[at], tick, reasons.values())) continue;
      reported[at] = tick;
      row.push(id);
    }
    const ticks = this.#followed.of(watcher);
    for (const [slot, since] of ticks ?? []) {
      if (!this.#isDue(interest, watcher, slot, since, tick, [])) {
        if (this.#changedAt.array[slot] > since) owes = true;
        continue;
      }
      ticks?.set(slot, tick);
      row.push(ids.idOf[slot]);
    }
    if (row.length > inRow) row.sort((a, b) => a - b);
    return owes;
  }

  /**
   * Whether a marker changed since it was last reported at `since`, and is due. `reasons`: those of its pin.
   */
  #isDue(
    { updateRates }: ResolvedInterest,
    watcher: number,
    marker: number,
    since: number,
    tick: number,
    reasons: Parameters<typeof rateOf>[0],
  ): boolean {
    if (this.#changedAt.array[marker] <= since) return false;
    const { settings, now } = this.#store;
    const squared = squaredDistance(settings, now, watcher, marker);
    const longest = now.longestRangeOf(watcher);
    const ring = updateRates.find(([fraction]) => squared <= squareOf(fraction * longest));
    const everyTicks = rateOf(reasons, squared) || ((ring ?? updateRates.at(-1))?.[1] ?? 1);
    return (tick + marker) % everyTicks === 0 || tick - since >= everyTicks;
  }

  /** Between ticks: frees memory that a larger crowd needed. */
  trim(): void {
    this.#store.heap.shrink([[this.#due, this.#dueRoom.look(this.#due.length)]]);
  }

  /** Marks a pair as reported in this tick. */
  markReported(watcher: number, marker: number, tick: number): void {
    const at = this.#pairs.find(watcher, marker);
    if (at >= 0) this.#pairs.reported[at] = tick;
    const ticks = this.#followed.of(watcher);
    if (ticks?.has(marker) === true) ticks.set(marker, tick);
  }

  save(writer: ByteWriter, slotCount: number): void {
    writer.column(this.#changedAt.array.subarray(0, slotCount));
  }

  /** `tickCount`: finished ticks. */
  load(reader: ByteReader, slotCount: number, tickCount: number): void {
    const changedAt = reader.column('u32');
    reader.check(changedAt.length <= slotCount, 'at most a tick for each slot');
    reader.check(
      changedAt.every((tick) => tick <= tickCount),
      'ticks that are over',
    );
    this.#store.heap.resize([[this.#changedAt, changedAt.length]]);
    this.#changedAt.array.set(changedAt);
  }

  /**
   * Lists the watchers of a tick with their rings, and makes room for all updates they could get. Returns
   * their number.
   */
  #list(slots: Uint32Array, interestOf: (watcher: number) => ResolvedInterest | undefined): number {
    const { now, heap } = this.#store;
    const { size } = this.#pairs;
    const watchers: number[] = [];
    const ringsOf: number[] = [];
    const rings: number[] = [];
    const known = new Map<ResolvedInterest, Map<number, number>>();
    let most = 0;
    for (const watcher of slots) {
      const interest = interestOf(watcher);
      if (interest === undefined || (now.flags[watcher] & UPDATES) === 0) continue;
      const longest = now.longestRangeOf(watcher);
      const byRange = known.get(interest) ?? new Map<number, number>();
      known.set(interest, byRange);
      let first = byRange.get(longest);
      if (first === undefined) {
        first = rings.length;
        byRange.set(longest, first);
        addRings(rings, interest, longest);
      }
      watchers.push(watcher);
      ringsOf.push(first);
      most += size[watcher];
    }
    this.#dueRoom.note(most);
    // All at once: the contents of scratch columns are lost when the heap moves.
    this.#reserve([
      [this.#watchers, watchers.length],
      [this.#ringsOf, watchers.length],
      [this.#ends, watchers.length],
      [this.#owingColumn, watchers.length],
      [this.#rings, rings.length],
      [this.#due, most],
    ]);
    this.#watchers.array.set(watchers);
    this.#ringsOf.array.set(ringsOf);
    heap.u32.set(rings, this.#rings.offset >>> 2);
    return watchers.length;
  }

  #reserve(sizes: readonly [Column, number][]): void {
    const grown = sizes.filter(([column, length]) => length > column.length);
    if (grown.length > 0)
      this.#store.heap.resize(grown.map(([column, length]) => [column, length + (length >> 2)]));
  }

  #writeJob(count: number, tick: number): void {
    const { now, settings, ids } = this.#store;
    const { startColumn, sizeColumn, markerColumn, stateColumn, reportedColumn } = this.#pairs;
    const job = this.#job.array;
    job[rated.WATCHERS] = this.#watchers.offset;
    job[rated.WATCHER_COUNT] = count;
    job[rated.STARTS] = startColumn.offset;
    job[rated.SIZES] = sizeColumn.offset;
    job[rated.MARKERS] = markerColumn.offset;
    job[rated.STATES] = stateColumn.offset;
    job[rated.REPORTED] = reportedColumn.offset;
    job[rated.CHANGED_AT] = this.#changedAt.offset;
    job[rated.X] = now.offsets.x;
    job[rated.Y] = now.offsets.y;
    job[rated.Z] = settings.dimensions === 3 ? now.offsets.z : 0;
    job[rated.IDS] = ids.idColumn.offset;
    job[rated.RINGS_OF] = this.#ringsOf.offset;
    job[rated.RINGS] = this.#rings.offset;
    job[rated.TICK] = tick;
    job[rated.STATE_MASK] = RELATED | PINNED;
    job[rated.STATE_REPORTED] = RELATED;
    job[rated.DUE] = this.#due.offset;
    job[rated.ENDS] = this.#ends.offset;
    job[rated.OWING] = this.#owingColumn.offset;
  }
}

/** Ids of watchers, ascending, and where the row of each ends; the first row begins at 0. */
interface ListedRows {
  readonly ids: number[];
  readonly offsets: number[];
}

/** Ends the row of a watcher. An empty row is not listed. */
function endRow({ ids, offsets }: ListedRows, id: number, end: number): void {
  if (end === offsets[offsets.length - 1]) return;
  ids.push(id);
  offsets.push(end);
}

/**
 * Adds the rings of an interest for watchers with this longest range: their number, then squared radius and
 * ticks of each.
 */
function addRings(rings: number[], { updateRates }: ResolvedInterest, longest: number): void {
  // If only pins have rates, all other markers are reported in each tick.
  const rates = updateRates.length > 0 ? updateRates : EACH_TICK;
  rings.push(rates.length);
  for (const [fraction, everyTicks] of rates) {
    floats[0] = squareOf(fraction * longest);
    rings.push(floatBits[0], everyTicks);
  }
}

/** World units squared, float32. */
function squareOf(radius: number): number {
  return f32(f32(radius) * f32(radius));
}
