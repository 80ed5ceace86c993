/**
 * What `World.stateHash` answers, word by word as its documentation has it.
 *
 * Problem: a hash that leaves something out looks as good as one that does not. Method: a second writing of it, from plain
 * figures, with BigInt for the sum; no code shared with the engine. Cost: some microseconds an entity.
 */
import type { EntityId } from '../index.ts';
import type { Figure, ModelOptions } from './perception.ts';

const NO_CAP = 0xffff_ffff;
const CAP_UNSET = 0xffff_fffe;

/** Of entities as they were at the last tick. */
export function plainStateHash(
  figures: Iterable<readonly [EntityId, Readonly<Figure>]>,
  options: ModelOptions,
): string {
  let sum = 0n;
  for (const [id, figure] of figures) sum += hashOfOne(id, wordsOf(figure, options));
  return BigInt.asUintN(64, sum).toString(16).padStart(16, '0');
}

type Word = readonly [code: number, word: number];

function hashOfOne(id: EntityId, words: readonly Word[]): bigint {
  let a = fmix(Math.imul(id, 0x9e3779b1));
  let b = fmix(Math.imul(id, 0x85ebca77) + 1);
  for (const [code, word] of words) {
    a = fmix((a ^ Math.imul(word, 0x9e3779b1)) + code);
    b = fmix((b + Math.imul(word, 0xc2b2ae3d)) ^ a);
  }
  return (BigInt(b >>> 0) << 32n) | BigInt(a >>> 0);
}

/** By ascending code, without those that are the default. */
function wordsOf(figure: Readonly<Figure>, { dimensions, groups: groupKinds }: ModelOptions): Word[] {
  const {
    x,
    y,
    z,
    ranges,
    gains,
    minReaches,
    maxReaches,
    layers,
    sees = layers,
    groups,
    interest,
    cap,
  } = figure;
  const position = dimensions === 3 ? [x, y, z] : [x, y];
  const flags =
    (figure.marker ? 0 : 1) | (figure.updates ? 0 : 2) | (figure.always ? 4 : 0) | (figure.volatile ? 8 : 0);
  const given: readonly (readonly [code: number, word: number, fallback: number])[] = [
    [4, flags, 0],
    ...ranges.map((range, s) => [16 + s, bitsOf(range), 0] as const),
    ...gains.map((gain, s) => [24 + s, bitsOf(gain), bitsOf(1)] as const),
    ...minReaches.map((minReach, s) => [32 + s, bitsOf(minReach), 0] as const),
    [40, layers >>> 0, 1],
    [41, sees >>> 0, 1],
    [42, figure.channel, 0],
    [43, bitsOf(figure.weight), bitsOf(1)],
    [44, cap === undefined ? CAP_UNSET : Math.min(cap, NO_CAP), CAP_UNSET],
    [45, interest === 'default' ? 0 : nameWord(interest), 0],
    ...groups.map((group, kind) => [48 + kind, group, 0] as const),
    ...maxReaches.map((maxReach, s) => [56 + s, bitsOf(maxReach), bitsOf(Number.POSITIVE_INFINITY)] as const),
    [64, figure.needs >>> 0, 0],
    [65, figure.only, 0],
    [66, figure.onlyKinds.reduce((bits, kind) => bits | (1 << groupKinds.indexOf(kind)), 0), 0],
    [67, figure.parent, 0],
    ...(figure.parent === 0
      ? []
      : figure.offset.map((offset, axis) => [68 + axis, bitsOf(offset), 0] as const)),
  ];
  return [
    ...position.map((coordinate, axis): Word => [1 + axis, bitsOf(coordinate)]),
    ...given.filter(([, word, fallback]) => word !== fallback).map(([code, word]): Word => [code, word]),
  ];
}

function nameWord(name: string): number {
  let word = 0;
  for (let i = 0; i < name.length; i++) word = fmix(word + name.charCodeAt(i) + 1);
  return word >>> 0;
}

function bitsOf(value: number): number {
  return new Uint32Array(Float32Array.of(value).buffer)[0];
}

/** The finaliser of MurmurHash3. */
function fmix(value: number): number {
  let h = value | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}
