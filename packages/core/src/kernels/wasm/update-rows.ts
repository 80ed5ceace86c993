// Twin of ../update-rows.ts, which says what the job's words are.

const REPORTED: u32 = 4 | 16;
const RELATED_BEFORE: u32 = 0x100ff;
const RELATED_AFTER: u32 = 0x2ff00;

export function updateRows(job: usize): u32 {
  const slotCount = load<u32>(job);
  const startOf = <usize>load<u32>(job, 4);
  const sizeOf = <usize>load<u32>(job, 8);
  const roomOf = <usize>load<u32>(job, 12);
  const pool = <usize>load<u32>(job, 16);
  const crossings = <usize>load<u32>(job, 20);
  const crossingCount = load<u32>(job, 24);
  const idOf = <usize>load<u32>(job, 28);
  const pending = <usize>load<u32>(job, 32);
  const everyoneChanged = load<u32>(job, 36) != 0;
  const watchers = <usize>load<u32>(job, 40);
  const offsets = <usize>load<u32>(job, 44);
  const markers = <usize>load<u32>(job, 48);
  let next: u32 = 0;
  let rows: u32 = 0;
  let written: u32 = 0;
  let held: u32 = 0;
  for (let watcher: u32 = 0; watcher < slotCount; watcher++) {
    const first = next;
    while (next < crossingCount && load<u32>(crossings + ((<usize>next) << 3), 4) >>> 10 == watcher) next++;
    const w = (<usize>watcher) << 2;
    if (load<u32>(roomOf + w) == 0) continue;
    const row = pool + ((<usize>load<u32>(startOf + w)) << 2);
    let size = load<u32>(sizeOf + w);
    if (next > first) size = takeOutLeft(row, size, crossings, first, next);
    const before = written;
    if (everyoneChanged) {
      // Rows are short, so whole vectors beat a call; the up to three words too many are written over by the next row or
      // lie in the padding that follows every column.
      const to = markers + ((<usize>written) << 2);
      const bytes = (<usize>size) << 2;
      for (let at: usize = 0; at < bytes; at += 16) v128.store(to + at, v128.load(row + at));
      written += size;
    } else {
      for (let i: u32 = 0; i < size; i++) {
        const id = load<u32>(row + ((<usize>i) << 2));
        store<u32>(markers + ((<usize>written) << 2), id);
        written += <u32>((load<u8>(pending + <usize>(id >>> 10)) & REPORTED) != 0);
      }
    }
    if (written > before) {
      store<u32>(watchers + ((<usize>rows) << 2), load<u32>(idOf + w));
      store<u32>(offsets + ((<usize>rows) << 2), before);
      rows++;
    }
    if (next > first) size = putInEntered(row, size, crossings, first, next, idOf);
    store<u32>(sizeOf + w, size);
    held += size;
  }
  store<u32>(offsets + ((<usize>rows) << 2), written);
  store<u32>(job, held, 52);
  return rows;
}

function takeOutLeft(row: usize, size: u32, crossings: usize, first: u32, end: u32): u32 {
  for (let c = first; c < end; c++) {
    if ((load<u32>(crossings + ((<usize>c) << 3)) & RELATED_AFTER) != 0) continue;
    const slot = markerAt(crossings, c);
    let low: u32 = 0;
    let high = size;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const isBelow = load<u32>(row + ((<usize>middle) << 2)) >>> 10 < slot;
      low = isBelow ? middle + 1 : low;
      high = isBelow ? high : middle;
    }
    // A row of a forged snapshot may lack it.
    if (low == size || load<u32>(row + ((<usize>low) << 2)) >>> 10 != slot) continue;
    size--;
    const bytes = (<usize>size) << 2;
    // Whole vectors only while they end inside the row: behind it the next one begins.
    let at = (<usize>low) << 2;
    for (; at + 16 <= bytes; at += 16) v128.store(row + at, v128.load(row + at, 4));
    for (; at < bytes; at += 4) store<u32>(row + at, load<u32>(row + at, 4));
  }
  return size;
}

function putInEntered(row: usize, size: u32, crossings: usize, first: u32, end: u32, idOf: usize): u32 {
  let entered: u32 = 0;
  for (let c = first; c < end; c++) if ((load<u32>(crossings + ((<usize>c) << 3)) & RELATED_BEFORE) == 0) entered++;
  let from = <i32>size - 1;
  let to = <i32>(size + entered) - 1;
  for (let c = <i32>end - 1; c >= <i32>first; c--) {
    if ((load<u32>(crossings + ((<usize>c) << 3)) & RELATED_BEFORE) != 0) continue;
    const id = load<u32>(idOf + (<usize>markerAt(crossings, <u32>c) << 2));
    while (from >= 0 && load<u32>(row + ((<usize>from) << 2)) > id) {
      store<u32>(row + ((<usize>to) << 2), load<u32>(row + ((<usize>from) << 2)));
      to--;
      from--;
    }
    // Or have it already: then it stays where it is, and what was moved too far comes back in the end.
    if (from >= 0 && load<u32>(row + ((<usize>from) << 2)) == id) continue;
    store<u32>(row + ((<usize>to) << 2), id);
    to--;
  }
  const known = <u32>(to - from);
  if (known > 0) {
    const end = size + entered;
    memory.copy(row + ((<usize>(from + 1)) << 2), row + ((<usize>(to + 1)) << 2), (<usize>(end - <u32>(to + 1))) << 2);
  }
  return size + entered - known;
}

// @ts-ignore: decorator
@inline
function markerAt(crossings: usize, i: u32): u32 {
  const at = crossings + ((<usize>i) << 3);
  return ((load<u32>(at, 4) & 1023) << 12) | (load<u32>(at) >>> 20);
}
