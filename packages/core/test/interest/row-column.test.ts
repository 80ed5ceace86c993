/**
 * Rows in one column, edited in place by each kind of kernels and compared with sorted sets: words that
 * arrive, leave or do both, empty rows and rows of hundreds, dropped rows; and cases that no world produces,
 * only a forged snapshot.
 */
import { describe, expect, test } from 'vitest';
import { Random } from '../../src/conformance/random.ts';
import { RowColumn } from '../../src/interest/table/row-column.ts';
import { Heap } from '../../src/kernels/heap.ts';
import '../../src/kernels/javascript.ts';
import { ReportRows } from '../../src/reports/report-rows.ts';

type Rows = ReadonlyMap<number, ReadonlySet<number>>;

/**
 * Enough words that the stretch of a change is longer than what is copied at once, and that there are several
 * batches of changes.
 */
const SLOTS = 900;
const MOST_IDS = 5000;

/** A column of rows, and what it must contain. */
class Pair {
  readonly #random: Random;
  readonly #column: RowColumn;
  readonly #left: ReportRows;
  readonly #arrived: ReportRows;
  readonly #expected = new Map<number, Set<number>>();

  constructor(kernels: 'wasm' | 'typescript', seed: number, sizeOf: (random: Random) => number) {
    this.#random = new Random(seed);
    const heap = new Heap(kernels);
    this.#column = new RowColumn(heap);
    this.#left = new ReportRows(heap, false);
    this.#arrived = new ReportRows(heap, false);
    for (let slot = 0; slot < SLOTS; slot++) {
      const row = new Set<number>();
      for (let size = sizeOf(this.#random); size > 0; size--) row.add(this.#anyId());
      this.#expected.set(slot, row);
    }
    const words = [...this.#expected.values()].flatMap(ascending);
    const offsets = [0];
    for (const row of this.#expected.values()) offsets.push((offsets.at(-1) as number) + row.size);
    this.#column.growSlots(SLOTS);
    this.#column.reserve(words.length, SLOTS);
    const watchers = Uint32Array.from(this.#expected.keys(), idOf);
    this.#column.fill(SLOTS, watchers, Uint32Array.from(offsets), Uint32Array.from(words), () => true);
    this.check();
  }

  /**
   * Edits the rows. Per thousand pairs of a slot and an id: how many leave, and how many arrive beside them.
   */
  edit(leaving: number, arriving: number): void {
    const left = this.#noPairs();
    const arrived = this.#noPairs();
    for (const [slot, row] of this.#expected) {
      for (const id of [...row]) {
        if (this.#random.below(1000) < leaving) {
          left.get(slot)?.add(id);
          row.delete(id);
        } else if (this.#random.below(1000) < arriving) this.#arrive(slot, arrived, left.get(slot));
      }
      if (this.#random.below(1000) < arriving) this.#arrive(slot, arrived, left.get(slot));
      if (this.#random.below(1000) >= Math.min(leaving, arriving)) continue;
      // It arrived at the last tick and leaves with this one, so the row never contains it.
      const id = this.#anyId();
      if (row.has(id) || left.get(slot)?.has(id)) continue;
      left.get(slot)?.add(id);
      arrived.get(slot)?.add(id);
    }
    this.#apply(left, arrived);
  }

  /** Drops rows; with `refilled`, some get new words with the next edit. */
  drop(count: number, refilled = true): void {
    const arrived = this.#noPairs();
    for (let i = 0; i < count; i++) {
      const slot = this.#random.below(SLOTS);
      this.#column.drop(slot);
      const row = this.#expected.get(slot) as Set<number>;
      row.clear();
      arrived.get(slot)?.clear();
      const size = refilled ? this.#random.below(3) * 20 : 0;
      for (let i = 0; i < size; i++) this.#arrive(slot, arrived);
    }
    this.#column.validate();
    for (const [slot, row] of this.#expected) {
      const stays = ascending(row).filter((id) => !arrived.get(slot)?.has(id));
      this.#expectRow(slot, stays);
    }
    this.#apply(this.#noPairs(), arrived);
  }

  /** Edits in which many ids leave rows that do not contain them, and many arrive in rows that already do. */
  forge(): void {
    const left = this.#noPairs();
    const arrived = this.#noPairs();
    for (const [slot, row] of this.#expected) {
      for (const id of row) if (this.#random.chance(0.3)) arrived.get(slot)?.add(id);
      for (let i = 0; i < 20; i++) {
        const id = this.#anyId();
        if (!row.has(id)) left.get(slot)?.add(id);
      }
      // Behind all others, so that the leaving ids do not make room for these.
      if (slot > SLOTS / 2) for (let i = 0; i < 20; i++) this.#arrive(slot, arrived, left.get(slot));
    }
    this.#apply(left, arrived);
  }

  shrink(): void {
    this.#column.shrink(SLOTS);
    this.check();
  }

  /** Where the first row begins. */
  get first(): number {
    return this.#column.first;
  }

  get words(): number {
    return this.#column.words.length;
  }

  check(): void {
    this.#column.validate();
    for (const [slot, row] of this.#expected) this.#expectRow(slot, ascending(row));
  }

  /**
   * An `expect` costs more than an edit, and there are 900 rows: it is only called to describe a difference.
   */
  #expectRow(slot: number, expected: readonly number[]): void {
    const row = this.#column.rowOf(slot);
    if (row.length === expected.length && expected.every((id, i) => id === row[i])) return;
    expect([...row], `row ${slot}`).toEqual(expected);
  }

  #arrive(slot: number, arrived: Map<number, Set<number>>, leaving?: ReadonlySet<number>): void {
    const row = this.#expected.get(slot) as Set<number>;
    const id = this.#anyId();
    if (row.has(id) || leaving?.has(id)) return;
    row.add(id);
    arrived.get(slot)?.add(id);
  }

  #apply(left: Rows, arrived: Rows): void {
    write(this.#left, left);
    write(this.#arrived, arrived);
    this.#column.reserve(this.#arrived.count, SLOTS);
    this.#column.edit(this.#left, this.#arrived, 0);
    this.check();
  }

  #noPairs(): Map<number, Set<number>> {
    return new Map(Array.from({ length: SLOTS }, (_, slot) => [slot, new Set<number>()]));
  }

  #anyId(): number {
    return idOf(this.#random.below(MOST_IDS));
  }
}

function idOf(slot: number): number {
  return slot * 1024 + 1;
}

function ascending(ids: ReadonlySet<number>): number[] {
  return [...ids].sort((a, b) => a - b);
}

/** Rows as in a report: no row is empty. */
function write(into: ReportRows, rows: Rows): void {
  const all = [...rows]
    .filter(([, ids]) => ids.size > 0)
    .map(([slot, ids]) => [idOf(slot), ...ascending(ids)]);
  into.clear();
  into.reserve(all.length, all.flat().length);
  for (const [watcher, ...ids] of all) {
    into.watchers[into.rowCount++] = watcher;
    into.markers.set(ids, into.count);
    into.count += ids.length;
    into.offsets[into.rowCount] = into.count;
  }
}

describe.each(['wasm', 'typescript'] as const)('rows in one column, with %s kernels', (kernels) => {
  const usual = (random: Random) => random.below(40);

  test.each([
    ['few', 2, 2],
    ['many', 60, 60],
    ['more arrive than leave', 5, 90],
    ['more leave than arrive', 90, 5],
    ['only arrivals', 0, 30],
    ['only departures', 30, 0],
  ])('are edited correctly tick after tick: %s', (_, leaving, arriving) => {
    const pair = new Pair(kernels, 7, usual);
    for (let tick = 0; tick < 25; tick++) pair.edit(leaving, arriving);
  });

  test('have hundreds in some rows and none in others', () => {
    const pair = new Pair(kernels, 8, (random) => (random.below(9) === 0 ? random.below(700) : 0));
    for (let tick = 0; tick < 12; tick++) pair.edit(30, 30);
  });

  test('are few, or none at all', () => {
    const pair = new Pair(kernels, 9, (random) => (random.below(300) === 0 ? 2 : 0));
    for (let tick = 0; tick < 30; tick++) pair.edit(tick % 3 === 0 ? 1000 : 20, 20);
  });

  test('close up where some were dropped, and take new words in their place', () => {
    const pair = new Pair(kernels, 10, usual);
    for (let tick = 0; tick < 12; tick++) {
      pair.drop(tick % 4 === 3 ? SLOTS : 30);
      pair.edit(20, 40);
    }
  });

  test('close up where many were dropped at once, before they were ever edited', () => {
    const pair = new Pair(kernels, 13, (random) => random.below(4));
    pair.drop(200, false);
    pair.edit(20, 40);
  });

  test('find room for all arriving words if hardly any leave that should', () => {
    const pair = new Pair(kernels, 11, usual);
    for (let tick = 0; tick < 6; tick++) {
      pair.forge();
      pair.edit(200, 10);
    }
  });

  test('go to the end of their column only when the gap in front of them is used up', () => {
    const pair = new Pair(kernels, 14, usual);
    const firsts = Array.from({ length: 40 }, () => {
      pair.edit(10, 10);
      return pair.first;
    });
    const returns = firsts.filter((first, i) => first > (firsts[i - 1] ?? 0));
    expect(returns.length).toBeGreaterThan(1);
    expect(returns.length).toBeLessThan(firsts.length / 4);
  });

  test('free the memory of rows that are gone, and grow again', () => {
    const pair = new Pair(kernels, 12, usual);
    const before = pair.words;
    pair.edit(900, 0);
    pair.shrink();
    expect(pair.words).toBeLessThan(before / 3);
    for (let tick = 0; tick < 10; tick++) pair.edit(10, 300);
    expect(pair.words).toBeGreaterThan(before / 2);
  });
});
