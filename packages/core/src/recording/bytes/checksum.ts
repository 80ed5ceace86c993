/**
 * A 64-bit checksum that tells whether bytes are those that were written.
 *
 * Each word goes into two lanes of 32 bits by two different steps, so that what one of them takes for the same the other does
 * not; and every fourth word into the same two, so that their multiplications overlap. A step maps lane and word one to
 * one, as does the end: a single altered word always shows; what differs in several is missed once in 2^64. It is no
 * signature: whoever wants to forge bytes can compute it too.
 *
 *   first  = rotate(first ^ word, 13) * 0x9e3779b1 + 0x85ebca6b     words little-endian, the last ones zeros up to four
 *   second = rotate(second + word, 17) * 0x85ebca77                 fmix: the 32-bit finaliser of MurmurHash3
 *   low    = fmix of the first lanes and the length, one after the other; high goes on from there with the second ones
 *
 * Cost: about a nanosecond a word.
 */

/** The low and the high word, unsigned. */
export function checksumOf(bytes: Uint8Array): readonly [low: number, high: number] {
  const words = wordsOf(bytes);
  const first = new Int32Array([0x27d4eb2f, 0x165667b1, 0x7feb352d, 0x2c1b3c6d]);
  const second = new Int32Array([0x4cf5ad43, 0x2745937f, 0x38495ab5, 0x1ce4e5b9]);
  const whole = words.length & ~3;
  mix(words, whole, first, second);
  const rest = new Uint32Array(4);
  rest.set(words.subarray(whole));
  mix(rest, 4, first, second);
  const low = first.reduce((sum, lane) => finish(sum ^ lane), finish(bytes.length));
  const high = second.reduce((sum, lane) => finish((sum + lane) | 0), low);
  return [low >>> 0, high >>> 0];
}

/** Takes the first `count` words into the lanes: a multiple of four. */
function mix(words: Uint32Array, count: number, first: Int32Array, second: Int32Array): void {
  let [a, b, c, d] = first;
  let [e, f, g, h] = second;
  for (let i = 0; i < count; i += 4) {
    a ^= words[i];
    b ^= words[i + 1];
    c ^= words[i + 2];
    d ^= words[i + 3];
    e = (e + words[i]) | 0;
    f = (f + words[i + 1]) | 0;
    g = (g + words[i + 2]) | 0;
    h = (h + words[i + 3]) | 0;
    a = (Math.imul((a << 13) | (a >>> 19), 0x9e3779b1) + 0x85ebca6b) | 0;
    b = (Math.imul((b << 13) | (b >>> 19), 0x9e3779b1) + 0x85ebca6b) | 0;
    c = (Math.imul((c << 13) | (c >>> 19), 0x9e3779b1) + 0x85ebca6b) | 0;
    d = (Math.imul((d << 13) | (d >>> 19), 0x9e3779b1) + 0x85ebca6b) | 0;
    e = Math.imul((e << 17) | (e >>> 15), 0x85ebca77);
    f = Math.imul((f << 17) | (f >>> 15), 0x85ebca77);
    g = Math.imul((g << 17) | (g >>> 15), 0x85ebca77);
    h = Math.imul((h << 17) | (h >>> 15), 0x85ebca77);
  }
  first.set([a, b, c, d]);
  second.set([e, f, g, h]);
}

/** The bytes as little-endian words; a copy where they do not lie on a word's edge or end on one. */
function wordsOf(bytes: Uint8Array): Uint32Array {
  const whole = bytes.length >>> 2;
  const isAligned = (bytes.byteOffset & 3) === 0 && (bytes.length & 3) === 0;
  if (isLittleEndian && isAligned) return new Uint32Array(bytes.buffer, bytes.byteOffset, whole);
  const padded = new Uint8Array((bytes.length + 3) & ~3);
  padded.set(bytes);
  if (!isLittleEndian) reverseElements(padded, 4);
  return new Uint32Array(padded.buffer);
}

function finish(value: number): number {
  let h = value | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}

/** Whether typed arrays lie in memory as they are written: on almost every machine. */
export const isLittleEndian = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

/** Turns round the bytes of each element, in place. */
export function reverseElements(bytes: Uint8Array, elementBytes: number): void {
  if (elementBytes === 1) return;
  for (let at = 0; at < bytes.length; at += elementBytes) bytes.subarray(at, at + elementBytes).reverse();
}
