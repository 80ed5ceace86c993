/** The 32-bit finaliser of MurmurHash3 (Appleby, public domain): each input bit affects each output bit. */
export function mixed(value: number): number {
  let h = value | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}
