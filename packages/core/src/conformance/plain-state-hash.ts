/**
 * The result of `World.stateHash`, computed step by step as documented.
 *
 * Problem: a hash that leaves something out looks as good as one that does not. Method: a second implementation, from
 * plain figures, with BigInt for the sum; no code shared with the engine. Cost: some microseconds an entity.
 */
import type { EntityId } from '../index.ts';
import type { Figure, ModelOptions } from './perception.ts';

const NO_CAP = 0xffff_ffff;
const CAP_UNSET = 0xffff_fffe;

/** Hash of entities as they were at the last tick. */
export function plainStateHash(
  figures: Iterable<readonly [EntityId, Readonly<Figure>]>,
  options: ModelOptions,
): string {
  let sum = 0n;
  for (const [id, figure] of figures) sum += hashOfOne(id, figure, options);
  return BigInt.asUintN(64, sum).toString(16).padStart(16, '0');
}

function hashOfOne(id: EntityId, figure: Readonly<Figure>, options: ModelOptions): bigint {
  let a = fmix(Math.imul(id, 0x9e3779b1));
  let b = fmix(Math.imul(id, 0x85ebca77) + 1);
  eachWord(figure, options, (code, word) => {
    a = fmix((a ^ Math.imul(word, 0x9e3779b1)) + code);
    b = fmix((b + Math.imul(word, 0xc2b2ae3d)) ^ a);
  });
  return (BigInt(b >>> 0) << 32n) | BigInt(a >>> 0);
}

/** Visits words by ascending code, without those that are the default. */
function eachWord(
  figure: Readonly<Figure>,
  { dimensions, groups: groupKinds }: ModelOptions,
  visit: (code: number, word: number) => void,
): void {
  const { layers, sees = layers, cap, interest } = figure;
  const add = (code: number, word: number, fallback: number): void => {
    if (word !== fallback) visit(code, word);
  };
  const addAll = (code: number, values: readonly number[], fallback: number): void => {
    for (let i = 0; i < values.length; i++) add(code + i, bitsOf(values[i]), bitsOf(fallback));
  };
  visit(1, bitsOf(figure.x));
  visit(2, bitsOf(figure.y));
  if (dimensions === 3) visit(3, bitsOf(figure.z));
  add(
    4,
    (figure.marker ? 0 : 1) | (figure.updates ? 0 : 2) | (figure.always ? 4 : 0) | (figure.volatile ? 8 : 0),
    0,
  );
  addAll(16, figure.ranges, 0);
  addAll(24, figure.gains, 1);
  addAll(32, figure.minReaches, 0);
  add(40, layers >>> 0, 1);
  add(41, sees >>> 0, 1);
  add(42, figure.channel, 0);
  addAll(43, [figure.weight], 1);
  add(44, cap === undefined ? CAP_UNSET : Math.min(cap, NO_CAP), CAP_UNSET);
  add(45, interest === 'default' ? 0 : nameWord(interest), 0);
  for (const [kind, group] of figure.groups.entries()) add(48 + kind, group, 0);
  addAll(56, figure.maxReaches, Number.POSITIVE_INFINITY);
  add(64, figure.needs >>> 0, 0);
  add(65, figure.only, 0);
  add(
    66,
    figure.onlyKinds.reduce((bits, kind) => bits | (1 << groupKinds.indexOf(kind)), 0),
    0,
  );
  add(67, figure.parent, 0);
  if (figure.parent !== 0) addAll(68, figure.offset, 0);
}

function nameWord(name: string): number {
  let word = 0;
  for (let i = 0; i < name.length; i++) word = fmix(word + name.charCodeAt(i) + 1);
  return word >>> 0;
}

const asFloat = new Float32Array(1);
const asBits = new Uint32Array(asFloat.buffer);

function bitsOf(value: number): number {
  asFloat[0] = value;
  return asBits[0];
}

/** The finaliser of MurmurHash3. */
function fmix(value: number): number {
  let h = value | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}
