/**
 * What becomes of crossings, however many there are and however uneven: sorted, joined and dropped, and told as rows, by each
 * kind of kernel and on any number of threads, as a few plain lines say.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Crossings } from '../../src/detectors/crossings.ts';
import { type EntityPatch, emptyValues, readProperties } from '../../src/entities/entity-init.ts';
import { EntityStore } from '../../src/entities/entity-store.ts';
import { Heap } from '../../src/kernels/heap.ts';
import '../../src/kernels/javascript.ts';
import { Report } from '../../src/reports/report.ts';
import { shareAsUsual, shareEverything } from '../threads/threaded-worlds.ts';
import { PLAIN, randomFrom } from './side-by-side.ts';

/** Watcher's slot, marker's slot, senses before, senses after. */
type Part = readonly [watcher: number, marker: number, before: number, after: number];

interface Case {
  readonly slots: number;
  readonly count: number;
  /** Above 1 most crossings are of the first few watchers. */
  readonly skew: number;
  /** Of a thousand, how many are only candidates. */
  readonly candidates: number;
}

const CASES: readonly Case[] = [
  { slots: 1, count: 0, skew: 1, candidates: 0 },
  { slots: 2, count: 1, skew: 1, candidates: 0 },
  { slots: 3, count: 40, skew: 1, candidates: 300 },
  { slots: 700, count: 300, skew: 1, candidates: 0 },
  { slots: 5000, count: 20_000, skew: 1, candidates: 20 },
  { slots: 70_000, count: 90_000, skew: 1, candidates: 0 },
  { slots: 70_000, count: 60_000, skew: 12, candidates: 0 },
];
const KINDS = [
  ['typescript', 1],
  ['wasm', 1],
  ['auto', 2],
  ['auto', 3],
] as const;

beforeAll(shareEverything);
afterAll(shareAsUsual);

describe.each(KINDS)('%s kernels, %i threads', (kernels, threads) => {
  test.each(CASES)(
    '$count crossings among $slots, skewed $skew times',
    async ({ slots, count, skew, candidates }) => {
      const heap = new Heap(kernels, threads);
      const store = populated(heap, slots);
      const all = randomParts(slots, count, skew);
      const crossings = new Crossings(heap);
      const report = new Report(heap);
      // Few after many, which find what those have left behind.
      for (const parts of [all, all.slice(0, 4), all]) {
        crossings.clear();
        for (const [i, [watcher, marker, before, after]] of parts.entries()) {
          if (i % 1000 < candidates) crossings.candidate(watcher, marker);
          else crossings.crossing(watcher, marker, before, after);
        }
        crossings.resolve(store);
        report.reserve(crossings);
        report.fill(store, crossings);
        const { pairs, lost, flags } = expectedOf(parts, store, candidates);
        expect(crossings.lostWithWatcher).toBe(lost);
        expectSame(heldBy(crossings), pairs);
        expect(crossings.watcherFlags).toBe(flags);
        expectSame(told(report), expectedRows(pairs, store));
      }
      await heap.crew.dispose();
    },
  );
});

/** Of plain lists of numbers. An `expect` takes a second for ninety thousand pairs: it only words the difference. */
function expectSame<T extends Rows | Part[] | Record<string, Rows>>(got: T, expected: T): void {
  if (JSON.stringify(got) !== JSON.stringify(expected)) expect(got).toEqual(expected);
}

/** What few have beside the flags that all have: whether one of them is among the watchers shows in flags. */
const RARE: readonly EntityPatch[] = [{ updates: true }, { always: true }, { sees: 1 }, {}];

/** Every seventh is gone; nobody moved, so that what is only a candidate is no change. */
function populated(heap: Heap, slots: number): EntityStore {
  const store = new EntityStore(heap, PLAIN, slots);
  store.reserve(slots);
  const kinds = RARE.map((rare) =>
    readProperties(
      PLAIN,
      { range: 1, updates: false, ...rare },
      'EntityPatch',
      emptyValues(PLAIN),
      store.ids,
    ),
  );
  const ids = Array.from({ length: slots }, (_, i) => store.add(3 * i, 0, 0, kinds[Math.min(i % 97, 3)]!));
  store.settle();
  store.endTick();
  for (const [i, id] of ids.entries()) if (i % 7 === 6) store.remove(id >>> 10);
  store.settle();
  return store;
}

function randomParts(slots: number, count: number, skew: number): Part[] {
  const random = randomFrom(slots + count);
  return Array.from({ length: count }, () => {
    const watcher = Math.floor(random() ** skew * slots);
    // Some of them themselves, some of them twice.
    const marker = random() < 0.05 ? watcher : Math.floor(random() * slots);
    const senses = Math.floor(random() * 16);
    return [watcher, marker, senses & 3, senses >> 2] as const;
  });
}

function expectedOf(
  parts: readonly Part[],
  store: EntityStore,
  candidates: number,
): { pairs: Part[]; lost: number; flags: number } {
  const joined = new Map<string, [number, number, number, number]>();
  const doubtful = new Set<string>();
  for (const [i, [watcher, marker, before, after]] of parts.entries()) {
    const key = `${watcher} ${marker}`;
    const pair = joined.get(key) ?? [watcher, marker, 0, 0];
    joined.set(key, pair);
    if (i % 1000 < candidates) doubtful.add(key);
    pair[2] |= before;
    pair[3] |= after;
  }
  const changed = [...joined].filter(
    ([key, [watcher, marker, before, after]]) => watcher !== marker && before !== after && !doubtful.has(key),
  );
  const pairs = changed.map(([, pair]) => pair).filter(([watcher]) => store.now.isPresent(watcher));
  pairs.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  // Whoever was only a candidate is decided one by one, and nobody keeps count.
  const isAnyDoubtful = [...doubtful].some((key) => key.split(' ')[0] !== key.split(' ')[1]);
  return { pairs, lost: changed.length - pairs.length, flags: isAnyDoubtful ? 255 : flagsOf(pairs, store) };
}

function heldBy(crossings: Crossings): Part[] {
  return Array.from({ length: crossings.count }, (_, i) => [
    crossings.watcherAt(i),
    crossings.markerAt(i),
    crossings.beforeAt(i),
    crossings.afterAt(i),
  ]);
}

function flagsOf(pairs: readonly Part[], store: EntityStore): number {
  return pairs.reduce((flags, [watcher]) => flags | store.now.flags[watcher]!, 0);
}

type Rows = [watcher: number, markers: number[], senses: number[]][];

function expectedRows(pairs: readonly Part[], store: EntityStore): Record<string, Rows> {
  const { idOf } = store.ids;
  const rows: Record<string, Rows> = { entered: [], left: [], sensed: [] };
  for (const [watcher, marker, before, after] of pairs) {
    const kind = before === 0 ? 'entered' : after === 0 ? 'left' : 'sensed';
    const own = rows[kind]!;
    if (own.at(-1)?.[0] !== idOf[watcher]) own.push([idOf[watcher]!, [], []]);
    own.at(-1)![1].push(idOf[marker]!);
    if (kind !== 'left') own.at(-1)![2].push(after);
  }
  return rows;
}

function told(report: Report): Record<string, Rows> {
  const rows: Record<string, Rows> = {};
  for (const kind of ['entered', 'left', 'sensed'] as const) {
    const { watchers, offsets, markers, senses, rowCount, count } = report[kind];
    expect(offsets[rowCount]).toBe(count);
    rows[kind] = Array.from({ length: rowCount }, (_, row) => {
      const [from, to] = [offsets[row]!, offsets[row + 1]!];
      return [watchers[row]!, [...markers.subarray(from, to)], [...(senses?.subarray(from, to) ?? [])]];
    });
  }
  return rows;
}

test('memory for resolving is taken by the first crossing', () => {
  const heap = new Heap('typescript');
  const store = populated(heap, 3);
  const before = heap.byteLength;
  const crossings = new Crossings(heap);
  crossings.resolve(store);
  expect(heap.byteLength - before).toBeLessThan(5000);
  crossings.crossing(0, 1, 0, 1);
  crossings.resolve(store);
  expect(crossings.count).toBe(1);
  expect(heap.byteLength - before).toBeGreaterThan(32_000);
});
