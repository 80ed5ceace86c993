// Twin of ../sort-crossings.ts: the same passes, on 64-bit words.

const BUCKETS: usize = 2048;

export function sortCrossings(words: usize, scratch: usize, count: u32, histogram: usize): u32 {
  memory.fill(histogram, 0, 4 * BUCKETS * 4);
  let from = words;
  let to = scratch;
  for (let i: u32 = 0; i < count; i++) {
    const word = load<u64>(from + ((<usize>i) << 3));
    for (let pass: u32 = 0; pass < 4; pass++) {
      const at = histogram + ((<usize>pass) << 13) + (<usize>digitOf(word, pass) << 2);
      store<u32>(at, load<u32>(at) + 1);
    }
  }
  let swaps: u32 = 0;
  for (let pass: u32 = 0; pass < 4; pass++) {
    const base = histogram + ((<usize>pass) << 13);
    if (count == 0 || load<u32>(base + (<usize>digitOf(load<u64>(from), pass) << 2)) == count) continue;
    let start: u32 = 0;
    for (let bucket: usize = 0; bucket < BUCKETS; bucket++) {
      const at = base + (bucket << 2);
      const size = load<u32>(at);
      store<u32>(at, start);
      start += size;
    }
    for (let i: u32 = 0; i < count; i++) {
      const word = load<u64>(from + ((<usize>i) << 3));
      const at = base + (<usize>digitOf(word, pass) << 2);
      const position = load<u32>(at);
      store<u32>(at, position + 1);
      store<u64>(to + ((<usize>position) << 3), word);
    }
    const swapped = from;
    from = to;
    to = swapped;
    swaps++;
  }
  return (swaps & 1) ^ 1;
}

// @ts-ignore: decorator
@inline
function digitOf(word: u64, pass: u32): u32 {
  return <u32>((word >> (20 + <u64>pass * 11)) & 2047);
}
