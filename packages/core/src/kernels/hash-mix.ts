/**
 * Mixes the hashes of reports and of states: the 32-bit finaliser of MurmurHash3 (Appleby, public domain). Each bit of the word
 * affects about half of the bits of the result. Cost: a nanosecond.
 */
export function fmix(value: number): number {
  let h = value | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}

/** 64 bits, given as unsigned words, as 16 lower-case hex digits. */
export function hexOf(high: number, low: number): string {
  return high.toString(16).padStart(8, '0') + low.toString(16).padStart(8, '0');
}
