/**
 * Rows of words by slot in one pool, so laid out that a tick streams through them.
 *
 *   block            the rows of 1,024 slots, ascending, one after the other
 *   pool             | block | free | block | free | ... | unused |
 *   start, size      by slot: where a row begins and how long it is
 *   room             by block: the words that are its own, 0 for one that never had a row
 *
 * A block that outgrows its room moves to the end of the pool, and leaves a hole; when the end is reached the pool is laid
 * out anew where it is. One row changes its size all the time, and would soon lie anywhere; a thousand together hardly do.
 *
 * Memory: 8 bytes a slot, less than 5 a word. Cost: O(block) for a row that is put in or taken out here; a tick's changes are made by
 * kernels/update-rows.ts.
 */
import { type Column, Heap } from '../kernels/heap.ts';
import { BLOCK_BITS, BLOCK_SLOTS, SPARE_WORDS } from '../kernels/update-rows.ts';

const FIRST_POOL = 1024;

export class RowPool {
  /** For whole blocks. */
  readonly start: Column<'u32'>;
  readonly size: Column<'u32'>;
  readonly pool: Column<'u32'>;
  /** As long as the largest room, for kernels. */
  readonly scratch: Column<'u32'>;
  readonly #heap: Heap;
  readonly #room: Column<'u32'>;
  #poolEnd = 0;
  /** Blocks that have gaps where rows were, and rows to be put in, by slot: none between ticks. */
  readonly #gaps = new Set<number>();
  readonly #arrivals = new Map<number, Uint32Array>();

  constructor(heap: Heap) {
    this.#heap = heap;
    this.start = heap.column('u32', 0);
    this.size = heap.column('u32', 0);
    this.#room = heap.column('u32', 0);
    this.pool = heap.column('u32', 0, () => this.#poolEnd);
    this.scratch = heap.column('u32', 0, Heap.scratch);
  }

  /** Slots that can have rows. */
  get slotCount(): number {
    return this.start.length;
  }

  /** Valid until the heap moves. */
  rowOf(slot: number): Uint32Array {
    if (slot >= this.start.length) return this.pool.array.subarray(0, 0);
    const start = this.start.array[slot];
    return this.pool.array.subarray(start, start + this.size.array[slot]);
  }

  /** Makes room for rows of `capacity` slots, or gives back those beyond, which have none. */
  resize(capacity: number): void {
    const blocks = Math.ceil(capacity / BLOCK_SLOTS);
    this.#heap.resize([
      [this.start as Column, blocks * BLOCK_SLOTS],
      [this.size as Column, blocks * BLOCK_SLOTS],
      [this.#room as Column, blocks],
    ]);
  }

  /** Words that the rows of a block can grow by where they are. */
  spareOf(block: number): number {
    return this.#room.array[block] - SPARE_WORDS - this.#sizeOfBlock(block);
  }

  /** Makes room for `growing`: pairs of a block and the words it gets beyond those it has. Others keep theirs. */
  grow(growing: readonly number[]): void {
    if (growing.length === 0) return;
    const rooms: number[] = [];
    for (let i = 0; i < growing.length; i += 2) {
      rooms.push(roomFor(this.#sizeOfBlock(growing[i]) + growing[i + 1]));
    }
    if (this.#poolEnd + rooms.reduce((sum, room) => sum + room) > this.pool.length) {
      const all = this.#room.array.slice();
      rooms.forEach((room, i) => {
        all[growing[2 * i]] = room;
      });
      this.#layOut(all);
      return;
    }
    const largest = Math.max(...rooms);
    if (largest > this.scratch.length) this.#heap.resize([[this.scratch as Column, largest]]);
    rooms.forEach((room, i) => {
      this.#moveBlock(growing[2 * i], this.#poolEnd);
      this.#room.array[growing[2 * i]] = room;
      this.#poolEnd += room;
    });
  }

  /** Takes a row out, with the next `settle`. */
  clear(slot: number): void {
    this.#arrivals.delete(slot);
    if (this.size.array[slot] === 0) return;
    this.size.array[slot] = 0;
    this.#gaps.add(slot >>> BLOCK_BITS);
  }

  /** Puts a row in where there is none, with the next `settle`. */
  put(slot: number, words: Uint32Array): void {
    this.#arrivals.set(slot, words);
  }

  /** Takes rows out and puts others in. Answers how many words were put in. */
  settle(): number {
    this.#closeGaps();
    if (this.#arrivals.size === 0) return 0;
    const extra = new Map<number, number>();
    let total = 0;
    for (const [slot, words] of this.#arrivals) {
      const block = slot >>> BLOCK_BITS;
      extra.set(block, (extra.get(block) ?? 0) + words.length);
      total += words.length;
    }
    this.grow([...extra].filter(([block, words]) => words > this.spareOf(block)).flat());
    for (const [block, words] of extra) this.#openGaps(block, words);
    this.#arrivals.clear();
    return total;
  }

  /** Makes blocks that rows were taken out of whole again. */
  #closeGaps(): void {
    const [start, size, pool] = [this.start.array, this.size.array, this.pool.array];
    for (const block of this.#gaps) {
      const first = block << BLOCK_BITS;
      let to = start[first];
      for (let slot = first; slot < first + BLOCK_SLOTS; slot++) {
        if (start[slot] !== to) pool.copyWithin(to, start[slot], start[slot] + size[slot]);
        start[slot] = to;
        to += size[slot];
      }
    }
    this.#gaps.clear();
  }

  /** Puts the rows in that arrive in a block, `extra` words in all. There is room. */
  #openGaps(block: number, extra: number): void {
    const [start, size, pool] = [this.start.array, this.size.array, this.pool.array];
    const first = block << BLOCK_BITS;
    let end = start[first] + this.#sizeOfBlock(block) + extra;
    // From the back, so that nothing is written over before it was moved.
    for (let slot = first + BLOCK_SLOTS - 1; slot >= first; slot--) {
      const words = this.#arrivals.get(slot);
      const from = start[slot];
      start[slot] = end -= words?.length ?? size[slot];
      if (words === undefined) {
        pool.copyWithin(end, from, from + size[slot]);
      } else {
        pool.set(words, end);
        size[slot] = words.length;
      }
    }
  }

  /** Takes rows of these sizes, one after the other in `words`, into a pool without any; there is room for their slots. */
  fill(words: Uint32Array, sizes: Uint32Array): void {
    const growing: number[] = [];
    for (let slot = 0; slot < sizes.length; slot += BLOCK_SLOTS) {
      const end = Math.min(slot + BLOCK_SLOTS, sizes.length);
      let total = 0;
      for (let s = slot; s < end; s++) total += sizes[s];
      if (total > 0) growing.push(slot >>> BLOCK_BITS, total);
    }
    if (growing.length === 0) return;
    this.grow(growing);
    this.size.array.set(sizes);
    let from = 0;
    for (let i = 0; i < growing.length; i += 2) {
      const start = this.start.array[growing[i] << BLOCK_BITS];
      this.pool.array.set(words.subarray(from, from + growing[i + 1]), start);
      this.#chain(growing[i], start);
      from += growing[i + 1];
    }
  }

  /** Gives back what rows that are gone held. */
  trim(): void {
    const rooms = new Uint32Array(this.#room.length);
    let total = 0;
    for (let block = 0; block < rooms.length; block++) {
      if (this.#sizeOfBlock(block) > 0) rooms[block] = roomFor(this.#sizeOfBlock(block));
      total += rooms[block];
    }
    if (2 * poolFor(total) < this.pool.length) this.#layOut(rooms);
  }

  /** Throws when rows are not as drawn above. For tests. */
  validate(): void {
    const broken = (what: string) => new Error(`umwelt: broken invariant: ${what}`);
    if (this.#gaps.size + this.#arrivals.size > 0) throw broken('rows have no gaps');
    for (let block = 0; block < this.#room.length; block++) {
      const isAway = this.#room.array[block] > 0 || this.start.array[block << BLOCK_BITS] === 0;
      if (!isAway) throw broken(`block ${block}, which has no room, begins at 0`);
    }
    const blocks = this.#blocksInOrder();
    blocks.forEach((block, i) => {
      const first = block << BLOCK_BITS;
      let end = this.start.array[first];
      for (let slot = first; slot < first + BLOCK_SLOTS; slot++) {
        if (this.start.array[slot] !== end) throw broken(`row ${slot} follows the one before`);
        end += this.size.array[slot];
      }
      if (this.spareOf(block) < 0) throw broken(`block ${block} fits its room`);
      const next = i + 1 < blocks.length ? this.start.array[blocks[i + 1] << BLOCK_BITS] : this.#poolEnd;
      if (this.start.array[first] + this.#room.array[block] > next) throw broken(`block ${block} is apart`);
      if (this.#room.array[block] > this.scratch.length) throw broken(`block ${block} fits the scratch`);
    });
  }

  #sizeOfBlock(block: number): number {
    const first = block << BLOCK_BITS;
    const last = first + BLOCK_SLOTS - 1;
    return this.start.array[last] + this.size.array[last] - this.start.array[first];
  }

  /** Blocks with room, as they lie. */
  #blocksInOrder(): number[] {
    const blocks: number[] = [];
    for (let block = 0; block < this.#room.length; block++) {
      if (this.#room.array[block] > 0) blocks.push(block);
    }
    const start = this.start.array;
    return blocks.sort((a, b) => start[a << BLOCK_BITS] - start[b << BLOCK_BITS]);
  }

  /**
   * Lays blocks out anew, in the order in which they lie, with these rooms by block and an eighth unused at the end. A room is
   * none, for a block without rows, or its rows and what is spare at least.
   */
  #layOut(rooms: Uint32Array): void {
    const blocks: number[] = [];
    for (const block of this.#blocksInOrder()) {
      if (rooms[block] > 0) blocks.push(block);
      else {
        // Out of the way of those that move, and where empty rows may be read whatever the pool becomes.
        this.#room.array[block] = 0;
        this.#chain(block, 0);
      }
    }
    // First all to the front, with no more than what is spare, so that nothing is lost should the heap have no room.
    this.#poolEnd = 0;
    for (const block of blocks) {
      this.#moveBlock(block, this.#poolEnd);
      this.#room.array[block] = this.#sizeOfBlock(block) + SPARE_WORDS;
      this.#poolEnd += this.#room.array[block];
    }
    for (let block = 0; block < rooms.length; block++) {
      if (rooms[block] > 0 && this.#room.array[block] === 0) blocks.push(block);
    }
    let end = rooms.reduce((sum, room) => sum + room, 0);
    const largest = rooms.reduce((most, room) => Math.max(most, room), 0);
    this.#heap.resize([
      [this.pool as Column, poolFor(end)],
      [this.scratch as Column, largest],
    ]);
    this.#poolEnd = end;
    for (const block of blocks.reverse()) {
      end -= rooms[block];
      this.#moveBlock(block, end);
      this.#room.array[block] = rooms[block];
    }
  }

  #moveBlock(block: number, to: number): void {
    const start = this.start.array[block << BLOCK_BITS];
    this.pool.array.copyWithin(to, start, start + this.#sizeOfBlock(block));
    this.#chain(block, to);
  }

  /** Sets where a block's rows begin, the first at `start`. */
  #chain(block: number, start: number): void {
    const first = block << BLOCK_BITS;
    let at = start;
    for (let slot = first; slot < first + BLOCK_SLOTS; slot++) {
      this.start.array[slot] = at;
      at += this.size.array[slot];
    }
  }
}

/** Words that a block of so many gets: a thirty-second more, and what is spare. */
function roomFor(words: number): number {
  return words + (words >>> 5) + 2 * SPARE_WORDS;
}

function poolFor(rooms: number): number {
  return Math.max(FIRST_POOL, rooms + (rooms >>> 3));
}
