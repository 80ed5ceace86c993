/**
 * Sorts crossings (see detectors/crossings.ts) by watcher, then marker: a radix sort over the upper 44 bits of 64-bit
 * words, 11 bits a pass, least significant first. A pass in which all words share the digit is left out.
 *
 * Twin: wasm/sort-crossings.ts. Cost: up to four reads and writes of each word.
 */

const BUCKETS = 2048;

/**
 * `words` and `scratch`: byte offsets of two areas of 2 * count words; `histogram`: of 4 * 2048 words.
 * Answers 1 when the sorted words lie in `words`, 0 when in `scratch`.
 */
export function sortCrossings(
  heap: Uint32Array,
  words: number,
  scratch: number,
  count: number,
  histogram: number,
): number {
  const h = histogram >> 2;
  heap.fill(0, h, h + 4 * BUCKETS);
  let from = words >> 2;
  let to = scratch >> 2;
  for (let i = 0; i < count; i++) {
    const low = heap[from + 2 * i];
    const high = heap[from + 2 * i + 1];
    heap[h + digitOf(low, high, 0)]++;
    heap[h + BUCKETS + digitOf(low, high, 1)]++;
    heap[h + 2 * BUCKETS + digitOf(low, high, 2)]++;
    heap[h + 3 * BUCKETS + digitOf(low, high, 3)]++;
  }
  let swaps = 0;
  for (let pass = 0; pass < 4; pass++) {
    const base = h + pass * BUCKETS;
    if (count === 0 || heap[base + digitOf(heap[from], heap[from + 1], pass)] === count) continue;
    let start = 0;
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      const size = heap[base + bucket];
      heap[base + bucket] = start;
      start += size;
    }
    for (let i = 0; i < count; i++) {
      const low = heap[from + 2 * i];
      const high = heap[from + 2 * i + 1];
      const position = heap[base + digitOf(low, high, pass)]++;
      heap[to + 2 * position] = low;
      heap[to + 2 * position + 1] = high;
    }
    const swapped = from;
    from = to;
    to = swapped;
    swaps++;
  }
  return (swaps & 1) ^ 1;
}

/** Bits 20 to 30 of the 64-bit word for pass 0, 31 to 41 for pass 1, 42 to 52 for pass 2, 53 to 63 for pass 3. */
function digitOf(low: number, high: number, pass: number): number {
  if (pass === 0) return (low >>> 20) & 2047;
  if (pass === 1) return (low >>> 31) | ((high & 1023) << 1);
  if (pass === 2) return (high >>> 10) & 2047;
  return high >>> 21;
}
