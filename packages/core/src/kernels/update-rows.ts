/**
 * Takes those who left out of the rows of relations, writes the `updated` report, and puts those in who entered: see
 * interest/relation-rows.ts for the rows, reports/report-rows.ts for reports.
 *
 * Rows lie in blocks, those of 1,024 slots one after the other, so that a block is copied in a few long stretches, from one
 * who came or went to the next, and not row by row:
 *
 *   the block          a a a a b b b b b c c ...
 *   without who left   a a a b b b b c c ...       where everybody changed this is the report, where not it is scratch
 *   with who entered   a a a b b x b b c c ...     the block again
 *
 * So a marker that enters is not reported as updated, and what is read a second time was written a moment ago.
 *
 *   job    | slots | start | size | keeps | pool | everyone changed | ids | pending | watchers | offsets | markers | -- | scratch |
 *          | rows left: 5 words | rows entered: 5 words | relations held, written here | the twin's |
 *   rows   | count | watchers | offsets | markers | senses, of no use here |
 *
 * Start and size of rows by slot, for whole blocks; a byte by slot for who keeps a row; ids and pending bits by slot; where
 * `updated` is written; a block of scratch; what the report tells of left and entered. Columns are byte offsets.
 *
 * Twin: wasm/update-rows.ts. Cost: a read and a write a relation, another of each in blocks where somebody came or went.
 */

/** Slots of a block, as a power of two. */
export const BLOCK_BITS = 10;
export const BLOCK_SLOTS = 1 << BLOCK_BITS;
/** Words behind what they copy that kernels may write, and read. */
export const SPARE_WORDS = 48;
export const UPDATE_JOB_WORDS = 25;
/** Words of the job: where scratch lies, and the rows of who left, of who entered. */
export const SCRATCH = 12;
export const LEFT_ROWS = 13;
export const ENTERED_ROWS = 18;
export const HELD = 23;

/** Bits of the pending column that make a marker worth an update: MOVED and TOUCHED. */
const REPORTED = 4 | 16;

/** Answers the rows of `updated`. */
export function updateRows(heap: Uint32Array, bytes: Uint8Array, job: number): number {
  const j = job >>> 2;
  const slotCount = heap[j];
  const startOf = heap[j + 1] >>> 2;
  const sizeOf = heap[j + 2] >>> 2;
  const pool = heap[j + 4] >>> 2;
  const everyoneChanged = heap[j + 5] !== 0;
  const idOf = heap[j + 6] >>> 2;
  const watchers = heap[j + 8] >>> 2;
  const offsets = heap[j + 9] >>> 2;
  const markers = heap[j + 10] >>> 2;
  let left = 0;
  let entered = 0;
  let rows = 0;
  let written = 0;
  let held = 0;
  for (let slot = 0; slot < slotCount; slot += BLOCK_SLOTS) {
    const last = slot + BLOCK_SLOTS - 1;
    const leftEnd = rowsUpTo(heap, j + LEFT_ROWS, left, last);
    const enteredEnd = rowsUpTo(heap, j + ENTERED_ROWS, entered, last);
    const hasCrossings = leftEnd > left || enteredEnd > entered;
    const begin = pool + heap[startOf + slot];
    const end = pool + heap[startOf + last] + heap[sizeOf + last];
    if (!hasCrossings && begin === end) continue;
    const kept = everyoneChanged ? markers + written : hasCrossings ? heap[j + SCRATCH] >>> 2 : begin;
    if (kept !== begin) takeOutLeft(heap, j, left, leftEnd, begin, end, kept);
    let at = kept;
    for (let s = slot; s <= last && s < slotCount; s++) {
      const size = heap[sizeOf + s];
      const before = written;
      if (everyoneChanged) written += size;
      else written = reportChanged(heap, bytes, j, at, size, written);
      at += size;
      if (written === before) continue;
      heap[watchers + rows] = heap[idOf + s];
      heap[offsets + rows++] = before;
    }
    held += hasCrossings ? putInEntered(heap, bytes, j, slot, entered, enteredEnd, kept) : end - begin;
    left = leftEnd;
    entered = enteredEnd;
  }
  heap[offsets + rows] = written;
  heap[j + HELD] = held;
  return rows;
}

/** The first of a kind's rows from `row` on that is of a watcher behind `lastSlot`. */
function rowsUpTo(heap: Uint32Array, kind: number, row: number, lastSlot: number): number {
  const count = heap[kind];
  const watchers = heap[kind + 1] >>> 2;
  let end = row;
  while (end < count && heap[watchers + end] >>> 10 <= lastSlot) end++;
  return end;
}

/** Reports those of a row that moved or were touched. Answers how many markers the report has then. */
function reportChanged(
  heap: Uint32Array,
  bytes: Uint8Array,
  j: number,
  row: number,
  size: number,
  written: number,
): number {
  const pending = heap[j + 7];
  const to = heap[j + 10] >>> 2;
  let count = written;
  for (let i = row; i < row + size; i++) {
    const id = heap[i];
    heap[to + count] = id;
    if ((bytes[pending + (id >>> 10)] & REPORTED) !== 0) count++;
  }
  return count;
}

/**
 * Copies a block from `begin` to `end` to `kept`, without those who left by the rows `first` to `next` of the report; sizes
 * become those of what is kept.
 */
function takeOutLeft(
  heap: Uint32Array,
  j: number,
  first: number,
  next: number,
  begin: number,
  end: number,
  kept: number,
): void {
  const sizeOf = heap[j + 2] >>> 2;
  const watchers = heap[j + LEFT_ROWS + 1] >>> 2;
  const offsets = heap[j + LEFT_ROWS + 2] >>> 2;
  const markers = heap[j + LEFT_ROWS + 3] >>> 2;
  let from = begin;
  let to = kept;
  for (let row = first; row < next; row++) {
    const who = heap[watchers + row] >>> 10;
    const rowBegin = (heap[j + 4] >>> 2) + heap[(heap[j + 1] >>> 2) + who];
    const rowEnd = rowBegin + heap[sizeOf + who];
    let lost = 0;
    for (let i = heap[offsets + row]; i < heap[offsets + row + 1]; i++) {
      const id = heap[markers + i];
      const at = firstFrom(heap, rowBegin, rowEnd, id);
      // A row of a forged snapshot may lack it, and who wants no updates has no row.
      if (at === rowEnd || heap[at] !== id) continue;
      heap.copyWithin(to, from, at);
      to += at - from;
      from = at + 1;
      lost++;
    }
    heap[sizeOf + who] -= lost;
  }
  heap.copyWithin(to, from, end);
}

/**
 * Writes what was kept back to the block of `slot`, with those who entered by the rows `first` to `next` of the report; sets
 * starts and sizes. Answers the relations of the block.
 */
function putInEntered(
  heap: Uint32Array,
  bytes: Uint8Array,
  j: number,
  slot: number,
  first: number,
  next: number,
  kept: number,
): number {
  const startOf = heap[j + 1] >>> 2;
  const sizeOf = heap[j + 2] >>> 2;
  const watchers = heap[j + ENTERED_ROWS + 1] >>> 2;
  const offsets = heap[j + ENTERED_ROWS + 2] >>> 2;
  const markers = heap[j + ENTERED_ROWS + 3] >>> 2;
  const start = heap[startOf + slot];
  // Where rows begin in what was kept, until the new starts are known.
  const keptEnd = chainRows(heap, startOf, sizeOf, slot, kept);
  let from = kept;
  let to = (heap[j + 4] >>> 2) + start;
  for (let row = first; row < next; row++) {
    const who = heap[watchers + row] >>> 10;
    if (bytes[heap[j + 3] + who] === 0) continue;
    const rowBegin = heap[startOf + who];
    const rowEnd = rowBegin + heap[sizeOf + who];
    let gained = 0;
    for (let i = heap[offsets + row]; i < heap[offsets + row + 1]; i++) {
      const id = heap[markers + i];
      const at = firstFrom(heap, rowBegin, rowEnd, id);
      // Or a row of a forged snapshot has it already.
      if (at < rowEnd && heap[at] === id) continue;
      heap.copyWithin(to, from, at);
      to += at - from;
      heap[to++] = id;
      from = at;
      gained++;
    }
    heap[sizeOf + who] += gained;
  }
  heap.copyWithin(to, from, keptEnd);
  return chainRows(heap, startOf, sizeOf, slot, start) - start;
}

/** Sets the starts of a block's rows, one after the other from `start` on. Answers where the last one ends. */
function chainRows(heap: Uint32Array, startOf: number, sizeOf: number, slot: number, start: number): number {
  let at = start;
  for (let s = slot; s < slot + BLOCK_SLOTS; s++) {
    heap[startOf + s] = at;
    at += heap[sizeOf + s];
  }
  return at;
}

/** The first place in ascending words from `low` to `high` with no less than `least`. */
function firstFrom(heap: Uint32Array, low: number, high: number, least: number): number {
  let from = low;
  let to = high;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (heap[middle] < least) from = middle + 1;
    else to = middle;
  }
  return from;
}
