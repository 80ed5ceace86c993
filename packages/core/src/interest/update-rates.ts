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
 * The rows of relations (table/relation-rows.ts) keep when each relation was last reported, and a kernel lists what is due. A rate of a pin
 * takes precedence over the rings (pin-reasons.ts): whether its marker is due is decided before, and told to the kernel.
 *
 * Memory: 4 bytes a slot for the tick of its last change, 4 bytes a relation while updates are listed. Cost:
 * some 4 ns a relation; 0.5 us a pin.
 */
import type { ByteReader } from '../bytes/byte-reader.ts';
import type { ByteWriter } from '../bytes/byte-writer.ts';
import { unionOf } from '../columns.ts';
import type { EntityStore } from '../entities/entity-store.ts';
import { MOVED, TOUCHED } from '../entities/pending.ts';
import { writePerception } from '../entities/perception-words.ts';
import { type Column, Heap } from '../kernels/heap.ts';
import { PERCEPTION_WORDS } from '../kernels/layouts/perception.ts';
import * as rated from '../kernels/layouts/report-rated.ts';
import type { InterestBook } from './rules/interest-book.ts';
import { type Pin, rateOf } from './rules/pin-reasons.ts';
import { squaredDistance } from './rules/rank.ts';
import type { RatedWatchers } from './rules/rated-watchers.ts';
import type { Ties } from './rules/ties.ts';
import { PINNED, RELATED } from './table/pair-rows.ts';
import type { Rates } from './table/relation-rows.ts';
import type { RowColumn } from './table/row-column.ts';

/** Of an interest whose watchers have rates because of pins alone: all other markers are reported in each tick. */
const EACH_TICK = [[1, 1]] as const;
const NOBODY = new Uint32Array(0);

/** The stored state of a pair (slots) that a rule about the pair decides; 0 if none does. */
export type StateOfPair = (watcher: number, marker: number) => number;

/** A pinned relation that is not due: its row has this tick again, once the kernel has listed the others. */
interface Waiting {
  readonly at: number;
  readonly since: number;
}

export class UpdateRates implements Rates {
  readonly #store: EntityStore;
  readonly #book: InterestBook;
  readonly #ties: Ties;
  readonly #watchers: RatedWatchers;
  readonly #stateOf: StateOfPair;
  /** By slot: the tick at which it last moved or was touched. */
  readonly #changedAt: Column<'u32'>;
  /** Of all interests: see kernels/layouts/report-rated.ts. */
  readonly #ringsOf: Column<'u32'>;
  readonly #fractions: Column<'f64'>;
  readonly #everyTicks: Column<'u32'>;
  readonly #squares: Column<'f32'>;
  readonly #remainders: Column<'u32'>;
  readonly #owingColumn: Column<'u32'>;
  readonly #job: Column<'u32'>;
  /**
   * Slots, ascending, of the watchers with a change that is still to be reported; `undefined`, before the first report: any may have one. Where rates
   * begin, all pairs count as reported, so a list of earlier ticks only holds too many.
   */
  #owing: Uint32Array | undefined;
  #tick = 0;
  readonly #waiting: Waiting[] = [];
  /** Watchers with a pinned marker whose change is still to be reported. */
  readonly #owingPins: number[] = [];

  /** `stateOf`: as of the tick under way, once its decisions are applied. */
  constructor(
    store: EntityStore,
    book: InterestBook,
    ties: Ties,
    watchers: RatedWatchers,
    stateOf: StateOfPair,
  ) {
    const { heap } = store;
    this.#store = store;
    this.#book = book;
    this.#ties = ties;
    this.#watchers = watchers;
    this.#stateOf = stateOf;
    this.#changedAt = heap.column('u32', 0);
    this.#ringsOf = heap.column('u32', 0, Heap.scratch);
    this.#fractions = heap.column('f64', 0, Heap.scratch);
    this.#everyTicks = heap.column('u32', 0, Heap.scratch);
    this.#squares = heap.column('f32', 0, Heap.scratch);
    this.#remainders = heap.column('u32', 0, Heap.scratch);
    this.#owingColumn = heap.column('u32', 0, Heap.scratch);
    this.#job = heap.column('u32', rated.STATE + PERCEPTION_WORDS);
  }

  /** Slots, ascending, of the watchers with a change that is still to be reported; `undefined`: any may have one. */
  get owing(): Uint32Array | undefined {
    return this.#owing;
  }

  /** Makes room for `begin`, and stores which entities changed in this tick. */
  reserve(tick: number): void {
    this.#tick = tick;
    this.#reserveRings();
    const { slotCount, capacity, heap } = this.#store;
    const columns = [this.#changedAt, this.#owingColumn, this.#watchers.column];
    const short = columns.filter(({ length }) => length < slotCount);
    if (short.length > 0) heap.resizeAll(short, capacity);
    this.#noteChanged(tick);
  }

  begin(rows: RowColumn): number {
    this.#writeRings();
    this.#waiting.length = 0;
    this.#owingPins.length = 0;
    this.#markPins(rows);
    const { now } = this.#store;
    const job = this.#job.array;
    job[rated.IS_RATED] = this.#watchers.column.offset;
    job[rated.TICKS] = rows.ticksOffset;
    job[rated.CHANGED_AT] = this.#changedAt.offset;
    job[rated.INTERESTS] = now.interests.column?.offset ?? 0;
    job[rated.RINGS_OF] = this.#ringsOf.offset;
    job[rated.FRACTIONS] = this.#fractions.offset;
    job[rated.EVERY_TICKS] = this.#everyTicks.offset;
    job[rated.SQUARES] = this.#squares.offset;
    job[rated.REMAINDERS] = this.#remainders.offset;
    job[rated.TICK] = this.#tick;
    job[rated.OWING] = this.#owingColumn.offset;
    writePerception(job, rated.STATE, this.#store, now, now.ownRanges);
    return this.#job.offset;
  }

  end(rows: RowColumn): void {
    const { ticks } = rows;
    for (const { at, since } of this.#waiting) ticks[at] = since;
    const owing = this.#owingColumn.array.slice(0, this.#job.array[rated.OWING_COUNT]);
    this.#owing = unionOf(owing, this.#owingPins);
  }

  skip(): void {
    this.#owing = NOBODY;
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

  #noteChanged(tick: number): void {
    const { pending, pendingSlots, pendingCount, notOnlyMoved } = this.#store;
    const changedAt = this.#changedAt.array;
    // Nearly all pending slots moved; of the few others, the former ticks are written back.
    const others = notOnlyMoved.filter((slot) => (pending[slot] & (MOVED | TOUCHED)) === 0);
    const ticks = others.map((slot) => changedAt[slot]);
    for (let i = 0; i < pendingCount; i++) changedAt[pendingSlots[i]] = tick;
    for (let i = 0; i < others.length; i++) changedAt[others[i]] = ticks[i];
  }

  #reserveRings(): void {
    const interests = this.#book.current;
    let rings = 0;
    for (const { updateRates } of interests) rings += Math.max(1, updateRates.length);
    if (rings <= this.#everyTicks.length && 2 * interests.length <= this.#ringsOf.length) return;
    this.#store.heap.resize([
      [this.#ringsOf, 2 * interests.length],
      [this.#fractions, rings],
      [this.#everyTicks, rings],
      [this.#squares, rings],
      [this.#remainders, rings],
    ]);
  }

  #writeRings(): void {
    let ring = 0;
    this.#book.current.forEach(({ updateRates }, number) => {
      const rates = updateRates.length > 0 ? updateRates : EACH_TICK;
      this.#ringsOf.array.set([ring, rates.length], 2 * number);
      for (const [fraction, everyTicks] of rates) {
        this.#fractions.array[ring] = fraction;
        this.#everyTicks.array[ring] = everyTicks;
        this.#remainders.array[ring++] = this.#tick % everyTicks;
      }
    });
  }

  /** Tells the kernel in the rows which pinned markers are due; the others get their ticks back at `end`. */
  #markPins(rows: RowColumn): void {
    const { ticks } = rows;
    for (const [id, pins] of this.#ties.pinned) {
      const watcher = id >>> 10;
      if (this.#watchers.column.array[watcher] !== 1) continue;
      for (const [marker, pin] of pins) {
        const at = rows.find(watcher, marker);
        if (at < 0) continue;
        const since = ticks[at];
        const rate =
          this.#changedAt.array[marker >>> 10] > since ? this.#rateOf(watcher, marker >>> 10, pin) : 0;
        if (rate === 0) continue;
        if ((this.#tick + (marker >>> 10)) % rate === 0 || this.#tick - since >= rate) {
          ticks[at] = rated.DUE_NOW;
          continue;
        }
        ticks[at] = rated.NOT_NOW;
        this.#waiting.push({ at, since });
        this.#owingPins.push(watcher);
      }
    }
  }

  /** The rate of a pin between two slots; 0 if it has none, or does not hold: then its marker is due as all others are. */
  #rateOf(watcher: number, marker: number, { reasons }: Pin): number {
    const { settings, now } = this.#store;
    const rate = rateOf(reasons.values(), squaredDistance(settings, now, watcher, marker));
    if (rate === 0) return 0;
    const state = this.#stateOf(watcher, marker);
    return (state & PINNED) !== 0 && (state & RELATED) !== 0 ? rate : 0;
  }
}
