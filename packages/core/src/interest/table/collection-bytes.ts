/**
 * Estimated memory of JavaScript's maps, sets and arrays. There is no way to query it, so it is computed from
 * how engines build them.
 *
 * A hash table with links in insertion order (Tyler Close's deterministic hash tables, as in V8, SpiderMonkey
 * and JSC): room for a power of two of entries, at least four, each with its key, its value and a link; and
 * half as many buckets. Numbers up to 31 bits are stored in the entries themselves. Cost: O(1).
 */

const WORD_BYTES = 8;
/** The object, its table's header, and counts of entries, of deleted ones and of buckets. */
const HEADER_BYTES = 32 + 16 + 3 * WORD_BYTES;

/** Bytes of a Map of `size` entries, without keys and values that are not stored in the entries. */
export function mapBytes(size: number): number {
  return tableBytes(size, 3);
}

/** Bytes of a Set of `size` elements. */
export function setBytes(size: number): number {
  return tableBytes(size, 2);
}

/** Bytes of an array of `length` numbers that was filled by `push`: it grows by half and some. */
export function arrayBytes(length: number): number {
  return 32 + 16 + WORD_BYTES * Math.ceil(length * 1.25);
}

function tableBytes(size: number, wordsAnEntry: number): number {
  let room = 4;
  while (room < size) room *= 2;
  return HEADER_BYTES + room * wordsAnEntry * WORD_BYTES + (room / 2) * WORD_BYTES;
}
