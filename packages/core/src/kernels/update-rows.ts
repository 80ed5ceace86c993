/**
 * Merges resolved crossings into the rows of relations and writes the `updated` report on the way: see
 * interest/relation-rows.ts for the rows, reports/report-rows.ts for the report.
 *
 * For each watcher with a row: first those that left are taken out, then what remains and changed is reported, then
 * those that entered are merged in from the back, where room was made. So a marker that enters is not reported as
 * updated, and each row is read once.
 *
 * Twin: wasm/update-rows.ts. Cost: one read and one write a relation, and the row once more where it has crossings.
 */

/** Bits of the pending column that make a marker worth an update: MOVED and TOUCHED. */
const REPORTED = 4 | 16;
/** Bits of a crossing's low word; see detectors/crossings.ts. */
const RELATED_BEFORE = 0x100ff;
const RELATED_AFTER = 0x2ff00;

/**
 * `job`: byte offset of 16 words: slot count; offsets of row start, size and room; of the pool; of the crossings, their
 * count; offsets of ids by slot and of pending bits by slot; 1 when every marker changed; offsets of the report's
 * watchers, row offsets and markers; then, written here, relations held afterwards.
 * Answers the rows of the report.
 */
export function updateRows(heap: Uint32Array, bytes: Uint8Array, job: number): number {
  const j = job >> 2;
  const slotCount = heap[j];
  const startOf = heap[j + 1] >> 2;
  const sizeOf = heap[j + 2] >> 2;
  const roomOf = heap[j + 3] >> 2;
  const pool = heap[j + 4] >> 2;
  const crossings = heap[j + 5] >> 2;
  const crossingCount = heap[j + 6];
  const idOf = heap[j + 7] >> 2;
  const pending = heap[j + 8];
  const everyoneChanged = heap[j + 9] !== 0;
  const watchers = heap[j + 10] >> 2;
  const offsets = heap[j + 11] >> 2;
  const markers = heap[j + 12] >> 2;
  let next = 0;
  let rows = 0;
  let written = 0;
  let held = 0;
  for (let watcher = 0; watcher < slotCount; watcher++) {
    const first = next;
    while (next < crossingCount && heap[crossings + 2 * next + 1] >>> 10 === watcher) next++;
    if (heap[roomOf + watcher] === 0) continue;
    const row = pool + heap[startOf + watcher];
    let size = heap[sizeOf + watcher];
    if (next > first) size = takeOutLeft(heap, row, size, crossings, first, next);
    const before = written;
    if (everyoneChanged) {
      heap.copyWithin(markers + written, row, row + size);
      written += size;
    } else {
      for (let i = 0; i < size; i++) {
        const id = heap[row + i];
        heap[markers + written] = id;
        if ((bytes[pending + (id >>> 10)] & REPORTED) !== 0) written++;
      }
    }
    if (written > before) {
      heap[watchers + rows] = heap[idOf + watcher];
      heap[offsets + rows] = before;
      rows++;
    }
    if (next > first) size = putInEntered(heap, row, size, crossings, first, next, idOf);
    heap[sizeOf + watcher] = size;
    held += size;
  }
  heap[offsets + rows] = written;
  heap[j + 13] = held;
  return rows;
}

/** Takes the markers that left out of a row, each found by halving. Answers the row's new size. */
function takeOutLeft(
  heap: Uint32Array,
  row: number,
  size: number,
  crossings: number,
  first: number,
  end: number,
): number {
  let left = size;
  for (let c = first; c < end; c++) {
    if ((heap[crossings + 2 * c] & RELATED_AFTER) !== 0) continue;
    const slot = markerAt(heap, crossings, c);
    let low = 0;
    let high = left;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (heap[row + middle] >>> 10 < slot) low = middle + 1;
      else high = middle;
    }
    // A row of a forged snapshot may lack it.
    if (low === left || heap[row + low] >>> 10 !== slot) continue;
    left--;
    heap.copyWithin(row + low, row + low + 1, row + left + 1);
  }
  return left;
}

/** Merges the markers that entered into a row, from the back. Answers the row's new size. */
function putInEntered(
  heap: Uint32Array,
  row: number,
  size: number,
  crossings: number,
  first: number,
  end: number,
  idOf: number,
): number {
  let entered = 0;
  for (let c = first; c < end; c++) if ((heap[crossings + 2 * c] & RELATED_BEFORE) === 0) entered++;
  let from = size - 1;
  let to = size + entered - 1;
  for (let c = end - 1; c >= first; c--) {
    if ((heap[crossings + 2 * c] & RELATED_BEFORE) !== 0) continue;
    const id = heap[idOf + markerAt(heap, crossings, c)];
    while (from >= 0 && heap[row + from] > id) heap[row + to--] = heap[row + from--];
    // Or have it already: then it stays where it is, and what was moved too far comes back in the end.
    if (from < 0 || heap[row + from] !== id) heap[row + to--] = id;
  }
  const known = to - from;
  if (known > 0) heap.copyWithin(row + from + 1, row + to + 1, row + size + entered);
  return size + entered - known;
}

function markerAt(heap: Uint32Array, crossings: number, i: number): number {
  return ((heap[crossings + 2 * i + 1] & 1023) << 12) | (heap[crossings + 2 * i] >>> 20);
}
