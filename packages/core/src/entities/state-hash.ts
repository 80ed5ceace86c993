/**
 * A hash of a world's entities: which are present, where, and their properties. Worlds with the same entities have
 * the same hash, whatever their detectors, kernels, seats and rows, and whichever entities have `watches: false`.
 *
 * Each entity is mixed to 64 bits, and the results are added modulo 2^64. `fmix` is the 32-bit finaliser of
 * MurmurHash3; all arithmetic is 32-bit unsigned:
 *
 *   a = fmix(id * 0x9e3779b1)    b = fmix(id * 0x85ebca77 + 1)
 *   for each word, by ascending code:
 *     a = fmix((a ^ word * 0x9e3779b1) + code)    b = fmix((b + word * 0xc2b2ae3d) ^ a)
 *   the entity's 64 bits are b (upper) and a
 *
 *   code      word, left out where it is the default
 *   1 2 3     x y z, bits of float32; never left out; z in 3-D only
 *   4         1: no marker, 2: no updates, 4: always, 8: volatile; default 0
 *   16 + s    range in sense s, 24 + s gain, 32 + s minReach; bits of float32, as given, also with `watches: false`
 *   40 41 42  layers, sees, channel
 *   43 44     weight, bits of float32; cap: 0xffffffff for Infinity, 0xfffffffe (default) for no own cap
 *   45        interest: 0 for 'default', else from h = 0 by h = fmix(h + c + 1) for each UTF-16 code unit c of its name
 *   48 + k    group of kind k
 *   56 + s    maxReach in sense s, bits of float32
 *   64 65 66  needs, only, onlyGroup: bit k for kind k
 *   67        id of its parent
 *   68 69 70  offset from its parent on each axis, bits of float32
 *
 * So a property that was never set does not affect the hash, whether it has a column or not. Cost: some 50 ns an
 * entity, and 6 a property in use.
 */
import type { ColumnArray } from '../bytes/byte-writer.ts';
import { fmix, hexOf } from '../kernels/hash-mix.ts';
import type { WorldSettings } from '../settings.ts';
import type { EntityIds } from './entity-ids.ts';
import {
  ALWAYS,
  CARRIED,
  type EntityState,
  MARKER,
  PRESENT,
  type Property,
  UPDATES,
  VOLATILE,
} from './entity-state.ts';

/** Number of slots hashed at once, column by column: each loop reads one array sequentially. */
const BLOCK = 1024;
const present = new Uint32Array(BLOCK);
const lows = new Uint32Array(BLOCK);
const highs = new Uint32Array(BLOCK);
/** No word has this value: nothing is left out. */
const NEVER = -1;

type Words = Uint32Array | Uint16Array | Uint8Array;

/** A column whose words are mixed in, under one code. */
interface Source {
  readonly code: number;
  readonly column: Words;
  /** Combined with `column` by OR: at most one of the two has a word other than 0. */
  readonly beside?: Words | undefined;
  /** Replaces each value of the column. */
  readonly table?: Uint32Array;
  /** The word that is left out. */
  readonly leftOut: number;
}

/** Hash of the first `slotCount` slots of a state: 16 lower-case hex digits, all zeros if there is no entity. */
export function stateHash(
  state: EntityState,
  ids: EntityIds,
  slotCount: number,
  settings: WorldSettings,
): string {
  const { flags } = state;
  const { idOf } = ids;
  const sources = sourcesOf(state, settings);
  let low = 0;
  let high = 0;
  for (let from = 0; from < slotCount; from += BLOCK) {
    const end = Math.min(from + BLOCK, slotCount);
    let count = 0;
    for (let slot = from; slot < end; slot++) if ((flags[slot] & PRESENT) !== 0) present[count++] = slot;
    for (let i = 0; i < count; i++) {
      const id = idOf[present[i]];
      lows[i] = fmix(Math.imul(id, 0x9e3779b1));
      highs[i] = fmix(Math.imul(id, 0x85ebca77) + 1);
    }
    for (const source of sources) mix(source, count);
    for (let i = 0; i < count; i++) {
      low += lows[i];
      high = (high + highs[i] + (low > 0xffff_ffff ? 1 : 0)) >>> 0;
      low >>>= 0;
    }
  }
  return hexOf(high, low);
}

function mix({ code, column, beside, table, leftOut }: Source, count: number): void {
  for (let i = 0; i < count; i++) {
    const slot = present[i];
    let word = column[slot];
    if (beside !== undefined) word = (word | beside[slot]) >>> 0;
    if (table !== undefined) word = table[word];
    if (word === leftOut) continue;
    lows[i] = fmix((lows[i] ^ Math.imul(word, 0x9e3779b1)) + code);
    highs[i] = fmix((highs[i] + Math.imul(word, 0xc2b2ae3d)) ^ lows[i]);
  }
}

/** Columns in use, by ascending code. */
function sourcesOf(state: EntityState, settings: WorldSettings): Source[] {
  const axes = settings.dimensions === 3 ? [state.x, state.y, state.z] : [state.x, state.y];
  const sources: Source[] = axes.map((axis, i) => ({ code: 1 + i, column: wordsOf(axis), leftOut: NEVER }));
  sources.push({ code: 4, column: state.flags, table: FLAG_WORDS, leftOut: 0 });
  state.ownRanges.forEach((own, s) => {
    const [column, beside] = [own, state.restRanges[s]].flatMap((property) =>
      property.column === undefined ? [] : [wordsOf(property.column.array)],
    );
    if (column !== undefined) sources.push({ code: 16 + s, column, beside, leftOut: 0 });
  });
  /** Adds those of these properties that are in use, under codes from `first` on. */
  const add = (first: number, properties: readonly Property[], table?: Uint32Array): void => {
    for (let i = 0; i < properties.length; i++) {
      const { column, fallback, kind } = properties[i];
      if (column === undefined) continue;
      const leftOut = kind === 'f32' ? wordsOf(Float32Array.of(fallback))[0] : fallback;
      sources.push({ code: first + i, column: wordsOf(column.array), leftOut, ...(table && { table }) });
    }
  };
  add(24, state.gains as readonly Property[]);
  add(32, state.minReaches as readonly Property[]);
  add(40, [state.layers, state.sees, state.channels, state.weights, state.caps] as Property[]);
  if (state.interests.column !== undefined) add(45, [state.interests as Property], nameWords(settings));
  add(48, state.groups as readonly Property[]);
  add(56, state.maxReaches as readonly Property[]);
  add(64, [state.needs, state.only, state.onlyGroups, state.parents] as Property[]);
  add(68, state.parentOffsets as readonly Property[]);
  return sources;
}

/** The bits of a column. */
function wordsOf(column: ColumnArray): Words {
  if (!(column instanceof Float32Array)) return column as Words;
  return new Uint32Array(column.buffer, column.byteOffset, column.length);
}

/** By value of the flags column. */
const FLAG_WORDS = Uint32Array.from({ length: 256 }, (_, flags) => {
  const [isMarker, isTold] = [(flags & (MARKER | CARRIED)) !== 0, (flags & UPDATES) !== 0];
  const shown = ((flags & ALWAYS) === 0 ? 0 : 4) | ((flags & VOLATILE) === 0 ? 0 : 8);
  return (isMarker ? 0 : 1) | (isTold ? 0 : 2) | shown;
});

/** By number of the interest. */
function nameWords({ interestNames }: WorldSettings): Uint32Array {
  const words = new Uint32Array(interestNames.size);
  for (const [name, number] of interestNames) {
    let word = 0;
    for (let i = 0; number !== 0 && i < name.length; i++) word = fmix(word + name.charCodeAt(i) + 1);
    words[number] = word;
  }
  return words;
}
