/**
 * What a leave margin holds where all watchers have the same ranges and one margin: pairs in bands, in no order.
 *
 * Whatever the margin holds then lies in the *band* behind a range, past the range and within the margin. The different
 * ranges are levels, farthest first, as the detector has them; where no two bands touch, a pair is in one at most, and its
 * level says which senses hold it and which perceive it:
 *
 *   watcher |        level 2 |band|      level 1 |band|        level 0 |band|
 *                                                   ^ held in the senses of level 1, perceived in those of level 0
 *
 * So an entry is a pair and a level, nothing is to be kept in order, and each tick asks of every entry whether it still lies
 * in its band. Reach is mutual: two that hold each other, as most do, are one entry. Crossings are taken before anybody
 * sorts them: those that come to be held are changed where they lie, and what becomes of those that go is added to them, to be
 * joined with what the detector says of the same pair when they are resolved; see kernels/pass-bands.ts.
 *
 * Memory: 24 bytes an entry, 8 a crossing, 8 a slot. Cost: some 5 ns an entry, 12 a crossing. Who asks for single pairs goes
 * through all, and has an index made if he was not the first since they changed (0.4 ms for 120,000 entries).
 */
import type { Crossings } from '../detectors/crossings.ts';
import type { EntityStore } from '../entities/entity-store.ts';
import { type Column, Heap } from '../kernels/heap.ts';
import * as bands from '../kernels/pass-bands.ts';
import { placeWordsFor } from '../kernels/pass-holds.ts';
import { ScratchRoom, shortened } from './scratch-room.ts';

const f32 = Math.fround;
const FIRST_WORDS = 256;
/** Asked more often between two ticks, entries are put into an index: that takes less than to go through all twice. */
const FEW_ASKS = 1;

/** Ranges and a margin, as the bands that they make. */
export interface BandPlan {
  readonly levelCount: number;
  /** By level: the squares between which its band lies. */
  readonly squares: Float32Array;
  /** Senses of the farthest none, one, two and more levels. */
  readonly masks: Uint32Array;
}

/** The bands of these ranges, by sense, and a margin; `undefined` where there are none or any two touch. */
export function planBands(ranges: readonly number[], margin: number): BandPlan | undefined {
  const levels = [...new Set(ranges)].filter((range) => range > 0).sort((a, b) => b - a);
  if (!(margin > 0) || levels.length === 0) return undefined;
  const squares = new Float32Array(2 * bands.MAX_LEVELS).fill(Number.NaN);
  const masks = new Uint32Array(bands.MAX_LEVELS + 1);
  for (let level = 0; level < levels.length; level++) {
    const reach = f32(levels[level] + margin);
    squares[2 * level] = f32(levels[level] * levels[level]);
    squares[2 * level + 1] = f32(reach * reach);
    if (level > 0 && !(squares[2 * level + 1] < squares[2 * level - 2])) return undefined;
    masks[level + 1] = masks[level];
    ranges.forEach((range, s) => {
      if (range === levels[level]) masks[level + 1] |= 1 << s;
    });
  }
  return { levelCount: levels.length, squares, masks };
}

export class MarginBands {
  /** Relations that ended in this tick with their watcher, of which nobody is told. */
  lostWithWatcher = 0;
  readonly #store: EntityStore;
  /** As of the last tick. */
  #heldColumn: Column<'u32'>;
  #count = 0;
  #masks = new Uint32Array(bands.MAX_LEVELS + 1);
  /** As of the tick under way. */
  #nextColumn: Column<'u32'>;
  #nextCount = 0;
  readonly #goneColumn: Column<'u32'>;
  #goneCount = 0;
  readonly #places: Column<'u32'>;
  readonly #block: Column<'u32'>;
  readonly #job: Column<'u32'>;
  readonly #room = new ScratchRoom(FIRST_WORDS);
  /** The crossings of the tick under way as they were. */
  #crossings = new Uint32Array(0);
  #crossingCount = 0;
  readonly #crossingRoom = new ScratchRoom(FIRST_WORDS);
  /** Which list the index is of. */
  #indexed: Column<'u32'> | undefined;
  /** How often anybody asked since the lists changed. */
  #asks = 0;
  /** By slot: 1 + twice the number of an entry that it is in, and 1 more as its marker; 0 for none. And by the same: the next. */
  #heads = new Uint32Array(0);
  #links = new Uint32Array(0);

  constructor(store: EntityStore) {
    this.#store = store;
    const { heap } = store;
    // The two change places at each tick's end; until then both are needed.
    const keep = (column: Column) =>
      2 * (column === (this.#heldColumn as Column) ? this.#count : this.#nextCount);
    this.#heldColumn = heap.column('u32', FIRST_WORDS, keep);
    this.#nextColumn = heap.column('u32', FIRST_WORDS, keep);
    this.#goneColumn = heap.column('u32', FIRST_WORDS, () => 2 * this.#goneCount);
    this.#places = heap.column('u32', 0);
    this.#block = heap.column('u32', 0, Heap.scratch);
    this.#job = heap.column('u32', bands.JOB_WORDS);
  }

  /** Outside the heap. */
  get memoryBytes(): number {
    return this.#heads.byteLength + this.#links.byteLength + this.#crossings.byteLength;
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  /**
   * Rewrites crossings that nobody resolved yet, from perception to relation where watchers are easy. `isAnyGone`: anyone is
   * gone, or any watcher that was easy at the last tick is so no more. Nothing is changed until `commit`. Answers how many
   * crossings room was needed for.
   */
  pass(crossings: Crossings, plan: BandPlan, isEasy: Column<'u8'>, isAnyGone: boolean): number {
    this.#forgetIndexOf(this.#nextColumn);
    this.#nextCount = 0;
    this.#goneCount = 0;
    this.#reserve(crossings.count);
    this.#keep(crossings);
    const { heap, slotCount } = this.#store;
    this.#writeJob(crossings, plan, isEasy);
    this.#job.array[bands.SLOT_COUNT] = slotCount;
    this.#job.array[bands.IS_ANY_GONE] = isAnyGone ? 1 : 0;
    heap.kernels.testBands(this.#job.offset);
    this.#nextCount = this.#job.array[bands.NEXT_COUNT];
    this.#goneCount = this.#job.array[bands.GONE_COUNT];
    const room = crossings.count + 2 * this.#goneCount;
    crossings.reserve(room);
    // The heap may have moved.
    this.#writeJob(crossings, plan, isEasy);
    heap.kernels.tellBands(this.#job.offset);
    this.#goneCount = 0;
    this.#nextCount = this.#job.array[bands.NEXT_COUNT];
    crossings.count = this.#job.array[bands.CROSSING_COUNT];
    this.lostWithWatcher = this.#job.array[bands.LOST];
    return room;
  }

  /** Gives the crossings back as they were before `pass`. */
  undo(crossings: Crossings): void {
    crossings.replace(this.#crossings, this.#crossingCount);
  }

  /** Makes what was decided so. */
  commit(): void {
    this.#forgetIndexOf(this.#heldColumn);
    [this.#heldColumn, this.#nextColumn] = [this.#nextColumn, this.#heldColumn];
    this.#count = this.#nextCount;
    this.#nextCount = 0;
    this.#masks.set(this.#job.array.subarray(bands.MASKS, bands.MASKS + this.#masks.length));
  }

  /** Between ticks: gives back what recent ticks had no use for. */
  trim(): void {
    this.#crossings = shortened(this.#crossings, this.#crossingRoom.look(this.#crossings.length));
    this.#asks = 0;
    this.#indexed = undefined;
    this.#heads = new Uint32Array(0);
    this.#links = new Uint32Array(0);
    const words = Math.max(this.#room.look(this.#nextColumn.length), 2 * this.#count);
    const places = Math.min(this.#places.length, placeWordsFor(this.#store.capacity));
    this.#store.heap.resize([
      [this.#heldColumn as Column, words],
      [this.#nextColumn as Column, words],
      [this.#goneColumn as Column, Math.min(this.#goneColumn.length, words)],
      [this.#places as Column, places],
    ]);
  }

  /** Visits the pairs of a watcher that the margin holds, as of the last tick, or of the one under way. */
  eachHeld(
    watcher: number,
    isNow: boolean,
    visit: (marker: number, heldSenses: number, exact: number) => void,
  ): void {
    const list = isNow ? this.#nextColumn : this.#heldColumn;
    const masks = isNow ? this.#job.array.subarray(bands.MASKS) : this.#masks;
    this.#eachEntry(list, isNow ? this.#nextCount : this.#count, watcher, (low, high) => {
      const marker = ((high & 1023) << 12) | (low >>> 20);
      const level = low & bands.LEVEL_BITS;
      const other = high >>> 10 === watcher ? marker : (low & bands.MUTUAL) !== 0 ? high >>> 10 : -1;
      if (other >= 0) visit(other, masks[level] ^ masks[level + 1], masks[level]);
    });
  }

  /** Visits the watchers whose margin alone relates them to a marker, as of the last tick. */
  eachHolder(marker: number, visit: (watcher: number) => void): void {
    this.#eachEntry(this.#heldColumn, this.#count, marker, (low, high) => {
      if ((low & bands.LEVEL_BITS) !== 0) return;
      if (high >>> 10 !== marker) visit(high >>> 10);
      else if ((low & bands.MUTUAL) !== 0) visit(((high & 1023) << 12) | (low >>> 20));
    });
  }

  /** All pairs, as words of interest/margin-holds.ts, in their order. */
  toSorted(): Uint32Array {
    const words = new Uint32Array(4 * this.#count);
    let end = 0;
    let begin = 0;
    let watcher = 0;
    // Few pairs are of one watcher, so each is put among those before it.
    const insert = (marker: number, heldSenses: number, exact: number) => {
      const high = ((watcher << 10) | (marker >>> 12)) >>> 0;
      const low = ((marker << 20) | exact | (heldSenses << 8)) >>> 0;
      let at = end;
      for (; at > begin && markerAt(words, at - 2) > marker; at -= 2) {
        words[at] = words[at - 2];
        words[at + 1] = words[at - 1];
      }
      words[at] = low;
      words[at + 1] = high;
      end += 2;
    };
    for (; watcher < this.#store.slotCount && this.#count > 0; watcher++) {
      begin = end;
      this.eachHeld(watcher, false, insert);
    }
    return words.subarray(0, end);
  }

  /** Takes over pairs from such words; false, and nothing is taken, when any of them is in no band. */
  take(words: Uint32Array, { levelCount, masks }: BandPlan): boolean {
    const levelOf = new Map<number, number>();
    for (let level = 0; level < levelCount; level++) {
      levelOf.set(masks[level] | ((masks[level] ^ masks[level + 1]) << 8), level);
    }
    for (let i = 0; i < words.length; i += 2) if (!levelOf.has(words[i] & 0xffff)) return false;
    this.#count = 0;
    this.#nextCount = 0;
    this.#indexed = undefined;
    if (words.length > this.#heldColumn.length)
      this.#store.heap.resize([[this.#heldColumn as Column, words.length]]);
    const held = this.#heldColumn.array;
    for (let i = 0; i < words.length; i += 2) {
      held[i] = (words[i] & 0xfff0_0000) | (levelOf.get(words[i] & 0xffff) as number);
      held[i + 1] = words[i + 1];
    }
    this.#count = words.length >> 1;
    this.#masks.set(masks);
    return true;
  }

  /** Forgets all pairs. */
  clear(): void {
    this.#count = 0;
    this.#nextCount = 0;
    this.#indexed = undefined;
  }

  #keep({ words, count }: Crossings): void {
    if (2 * count > this.#crossings.length) this.#crossings = new Uint32Array(3 * count);
    this.#crossings.set(words.subarray(0, 2 * count));
    this.#crossingCount = count;
    this.#crossingRoom.note(2 * count);
  }

  #writeJob(crossings: Crossings, { levelCount, squares, masks }: BandPlan, isEasy: Column<'u8'>): void {
    const { heap, now } = this.#store;
    const job = this.#job.array;
    job[bands.CROSSINGS] = crossings.offset;
    job[bands.CROSSING_COUNT] = crossings.count;
    job[bands.HELD] = this.#heldColumn.offset;
    job[bands.HELD_COUNT] = this.#count;
    job[bands.NEXT_HELD] = this.#nextColumn.offset;
    job[bands.GONE] = this.#goneColumn.offset;
    job[bands.IS_EASY] = isEasy.offset;
    job[bands.FLAGS] = now.offsets.flags;
    job[bands.X] = now.offsets.x;
    job[bands.Y] = now.offsets.y;
    job[bands.PLACES] = this.#places.offset;
    job[bands.BLOCK] = this.#block.offset;
    job[bands.LEVEL_COUNT] = levelCount;
    heap.f32.set(squares, (this.#job.offset >>> 2) + bands.BANDS);
    job.set(masks, bands.MASKS);
  }

  /** Room for who stays and who comes, and for who goes, with what the kernels write behind them. */
  #reserve(crossings: number): void {
    const sizes: [Column, number][] = [];
    const next = 2 * (this.#count + crossings) + bands.SPARE_WORDS;
    const gone = 2 * this.#count + bands.SPARE_WORDS;
    this.#room.note(next);
    if (next > this.#nextColumn.length) {
      const grown = next + (next >> 1);
      sizes.push([this.#nextColumn as Column, grown], [this.#heldColumn as Column, grown]);
    }
    if (gone > this.#goneColumn.length) sizes.push([this.#goneColumn as Column, gone + (gone >> 1)]);
    const places = placeWordsFor(this.#store.capacity);
    if (places > this.#places.length)
      sizes.push([this.#places as Column, places], [this.#block as Column, bands.BLOCK_WORDS]);
    this.#store.heap.resize(sizes);
  }

  #forgetIndexOf(list: Column<'u32'>): void {
    if (this.#indexed === list) this.#indexed = undefined;
    this.#asks = 0;
  }

  /** Visits the entries of a list that a slot is in, in any order. */
  #eachEntry(
    list: Column<'u32'>,
    count: number,
    slot: number,
    visit: (low: number, high: number) => void,
  ): void {
    const words = list.array;
    if (this.#indexed !== list && ++this.#asks > FEW_ASKS) this.#makeIndex(list, count);
    if (this.#indexed !== list) {
      for (let i = 0; i < 2 * count; i += 2) {
        const high = words[i + 1];
        if (high >>> 10 === slot || (((high & 1023) << 12) | (words[i] >>> 20)) === slot)
          visit(words[i], high);
      }
      return;
    }
    // Slots may have come since.
    for (let at = this.#heads[slot] ?? 0; at !== 0; at = this.#links[at - 1]) {
      const i = (at - 1) & ~1;
      visit(words[i], words[i + 1]);
    }
  }

  #makeIndex(list: Column<'u32'>, count: number): void {
    const { capacity } = this.#store;
    if (this.#heads.length < capacity) this.#heads = new Uint32Array(capacity);
    else this.#heads.fill(0);
    if (this.#links.length < 2 * count) this.#links = new Uint32Array(3 * count);
    const [words, heads, links] = [list.array, this.#heads, this.#links];
    for (let i = 0; i < 2 * count; i += 2) {
      const watcher = words[i + 1] >>> 10;
      const marker = markerAt(words, i);
      links[i] = heads[watcher];
      heads[watcher] = i + 1;
      links[i + 1] = heads[marker];
      heads[marker] = i + 2;
    }
    this.#indexed = list;
  }
}

function markerAt(words: Uint32Array, at: number): number {
  return ((words[at + 1] & 1023) << 12) | (words[at] >>> 20);
}
