/**
 * Decompresses DEFLATE (RFC 1951). The embedded kernels are compressed, which makes them less than half as large in every bundle.
 *
 * Platforms have decompressors, too, but either asynchronous (`DecompressionStream`) or not everywhere (`node:zlib`), and worlds
 * are created synchronously. Method: for each Huffman code a table from the next bits of the input to the symbol that they begin
 * with. Cost: some milliseconds for the kernels, once a process. The input is embedded in this package, so damaged input is a
 * broken invariant.
 */
import { assert } from '../errors.ts';

const END_OF_BLOCK = 256;
/** Order in which DEFLATE writes the code lengths of the code for code lengths. */
const CODE_LENGTH_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
/** Copy lengths, from symbol 257 on: the base value, and the number of extra bits. */
const LENGTHS = steps(3, [8, 4, 4, 4, 4, 4]);
/** Copy distances, in the same form. */
const DISTANCES = steps(1, [4, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2]);
const LONGEST_COPY_SYMBOL = 285 - 257;
const LONGEST_COPY = 258;

interface Steps {
  readonly least: readonly number[];
  readonly bits: readonly number[];
}

/**
 * A Huffman code. `table`: by the value of the next `peekBits` bits, the symbol that they begin with, times 16, plus the length
 * of its code.
 */
interface Code {
  readonly table: Uint16Array;
  readonly peekBits: number;
}

/** The decompressed data, `length` bytes. */
export function inflate(deflated: Uint8Array, length: number): Uint8Array {
  const reader = new BitReader(deflated);
  const out = new Uint8Array(length);
  let size = 0;
  for (let isLast = false; !isLast; ) {
    isLast = reader.bits(1) === 1;
    const kind = reader.bits(2);
    assert(kind < 3, 'a block of DEFLATE is stored, fixed or dynamic');
    if (kind === 0) {
      size = reader.stored(out, size);
      continue;
    }
    const [literals, distances] = kind === 1 ? fixedCodes() : dynamicCodes(reader);
    size = copyBlock(reader, literals, distances, out, size);
  }
  assert(size === length, 'what is inflated is as long as it was');
  return out;
}

function copyBlock(
  reader: BitReader,
  literals: Code,
  distances: Code,
  out: Uint8Array,
  from: number,
): number {
  let size = from;
  for (;;) {
    const symbol = reader.symbol(literals);
    if (symbol === END_OF_BLOCK) return size;
    if (symbol < END_OF_BLOCK) {
      out[size++] = symbol;
      continue;
    }
    const row = symbol - 257;
    const count =
      row === LONGEST_COPY_SYMBOL ? LONGEST_COPY : LENGTHS.least[row] + reader.bits(LENGTHS.bits[row]);
    const far = reader.symbol(distances);
    const distance = DISTANCES.least[far] + reader.bits(DISTANCES.bits[far]);
    for (let i = 0; i < count; i++, size++) out[size] = out[size - distance];
  }
}

function fixedCodes(): [Code, Code] {
  const lengths = Uint8Array.from({ length: 288 }, (_, i) => (i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8));
  return [codeOf(lengths), codeOf(new Uint8Array(30).fill(5))];
}

function dynamicCodes(reader: BitReader): [Code, Code] {
  const literalCount = reader.bits(5) + 257;
  const distanceCount = reader.bits(5) + 1;
  const codeLengthCount = reader.bits(4) + 4;
  const codeLengths = new Uint8Array(19);
  for (let i = 0; i < codeLengthCount; i++) codeLengths[CODE_LENGTH_ORDER[i]] = reader.bits(3);
  const code = codeOf(codeLengths);
  const lengths = new Uint8Array(literalCount + distanceCount);
  for (let i = 0; i < lengths.length; ) {
    const symbol = reader.symbol(code);
    if (symbol < 16) {
      lengths[i++] = symbol;
      continue;
    }
    const repeated = symbol === 16 ? lengths[i - 1] : 0;
    const times =
      symbol === 16 ? reader.bits(2) + 3 : symbol === 17 ? reader.bits(3) + 3 : reader.bits(7) + 11;
    lengths.fill(repeated, i, i + times);
    i += times;
  }
  return [codeOf(lengths.subarray(0, literalCount)), codeOf(lengths.subarray(literalCount))];
}

/** The canonical code in which symbol i has `lengths[i]` bits, 0 for none. */
function codeOf(lengths: Uint8Array): Code {
  const peekBits = Math.max(1, ...lengths);
  const table = new Uint16Array(1 << peekBits);
  let code = 0;
  for (let length = 1; length <= peekBits; length++, code <<= 1) {
    for (let symbol = 0; symbol < lengths.length; symbol++) {
      if (lengths[symbol] !== length) continue;
      // Codes are sent highest bit first, while the peeked value has the first bit in its lowest place.
      let first = 0;
      for (let bit = 0; bit < length; bit++) first |= ((code >> bit) & 1) << (length - 1 - bit);
      for (let i = first; i < table.length; i += 1 << length) table[i] = (symbol << 4) | length;
      code++;
    }
  }
  return { table, peekBits };
}

/** Steps with `counts[k]` values of k extra bits each; the first base value is `first`. */
function steps(first: number, counts: readonly number[]): Steps {
  const least: number[] = [];
  const bits: number[] = [];
  let at = first;
  for (const [added, count] of counts.entries()) {
    for (let i = 0; i < count; i++) {
      least.push(at);
      bits.push(added);
      at += 1 << added;
    }
  }
  return { least, bits };
}

/** Reads bits, lowest bit of each byte first. */
class BitReader {
  readonly #bytes: Uint8Array;
  #at = 0;
  #held = 0;
  #heldCount = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** The next bits as a number, at most 16. */
  bits(count: number): number {
    this.#hold(count);
    assert(this.#heldCount >= count, 'DEFLATE ends with its last block');
    return this.#take(count);
  }

  /** The next symbol of a code. */
  symbol({ table, peekBits }: Code): number {
    this.#hold(peekBits);
    const entry = table[this.#held & (table.length - 1)];
    const length = entry & 15;
    assert(length > 0 && length <= this.#heldCount, 'every code of DEFLATE stands for a symbol');
    this.#take(length);
    return entry >> 4;
  }

  /** Copies a stored block to `out` from `size` on. Returns where the block ends in `out`. */
  stored(out: Uint8Array, size: number): number {
    // Gives back whole bytes that were already read.
    this.#at -= this.#heldCount >> 3;
    this.#held = 0;
    this.#heldCount = 0;
    const count = this.bits(16);
    this.bits(16);
    out.set(this.#bytes.subarray(this.#at, this.#at + count), size);
    this.#at += count;
    return size + count;
  }

  /** Reads until at least `count` bits are held, or all that are left. */
  #hold(count: number): void {
    while (this.#heldCount < count && this.#at < this.#bytes.length) {
      this.#held |= this.#bytes[this.#at++] << this.#heldCount;
      this.#heldCount += 8;
    }
  }

  #take(count: number): number {
    const value = this.#held & ((1 << count) - 1);
    this.#held >>>= count;
    this.#heldCount -= count;
    return value;
  }
}
