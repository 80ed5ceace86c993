/** The small parts that frames are put together with. */
import fc from 'fast-check';
import { World } from 'umwelt';
import { describe, expect, it } from 'vitest';
import { AppearanceColumns } from '../src/appearance/appearance-columns.ts';
import { RecordCache } from '../src/appearance/record-cache.ts';
import { readSchema } from '../src/appearance/schema.ts';
import { ByteBudget } from '../src/views/byte-budget.ts';
import { ClientRows, OWN, RELATED, SENT } from '../src/views/client-rows.ts';
import { ClientView } from '../src/views/client-view.ts';
import { Departures } from '../src/views/departures.ts';
import { FrameWriter } from '../src/views/frame-writer.ts';
import { PriorityHeap } from '../src/views/priority-heap.ts';
import { ViewIntake } from '../src/views/view-intake.ts';

describe('a priority heap', () => {
  it('gives rows by score, the lower of two alike first', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 20 }), { maxLength: 300 }), (scores) => {
        const heap = new PriorityHeap();
        for (const [row, score] of scores.entries()) heap.add(row, score);
        heap.order();
        const taken = scores.map(() => heap.take());
        const sorted = [...scores.keys()].sort((one, other) => scores[other]! - scores[one]! || one - other);
        expect(taken).toEqual(sorted);
        expect(heap.take()).toBe(-1);
      }),
    );
  });

  it('of two, the one that is ahead gives the rows of both by score', () => {
    const rowScores = fc.array(fc.tuple(fc.nat({ max: 20 }), fc.boolean()), { maxLength: 100 });
    fc.assert(
      fc.property(rowScores, (scores) => {
        const heaps = [new PriorityHeap(), new PriorityHeap()] as const;
        for (const [row, [score, isFirst]] of scores.entries()) heaps[isFirst ? 0 : 1].add(row, score);
        for (const heap of heaps) heap.order();
        const taken = scores.map(() => heaps[heaps[0].isAheadOf(heaps[1]) ? 0 : 1].take());
        const sorted = [...scores.keys()].sort(
          (one, other) => scores[other]![0] - scores[one]![0] || one - other,
        );
        expect(taken).toEqual(sorted);
        expect([heaps[0].isAheadOf(heaps[1]), heaps[1].isAheadOf(heaps[0])]).toEqual([false, false]);
      }),
    );
  });

  it('gives what nobody took in any order, each row once', () => {
    const heap = new PriorityHeap();
    for (let row = 0; row < 9; row++) heap.add(row, (row * 4) % 9);
    heap.order();
    expect([heap.take(), heap.take()]).toEqual([2, 4]);
    const rest = Array.from({ length: 7 }, () => heap.takeAny());
    expect(rest.sort((one, other) => one - other)).toEqual([0, 1, 3, 5, 6, 7, 8]);
    expect(heap.takeAny()).toBe(-1);
  });
});

describe('the rows of a client', () => {
  it('get those back that left unnoticed, and each row is moved at most once for all of them', () => {
    const departures = new Departures();
    const rows = new ClientRows(departures);
    const ids = Uint32Array.from({ length: 3000 }, (_, i) => 1024 * i + 1);
    rows.enter(ids, 0, ids.length, 1, () => 1);
    rows.flags.fill(SENT | RELATED, 0, rows.count);
    rows.enteredTick.fill(1, 0, rows.count);
    for (let row = 0; row < rows.count; row += 2) {
      departures.add(ids[row]!, 1, 3, false);
      rows.flags[row] = 0;
    }
    rows.compact();
    expect([rows.count, rows.goneCount]).toEqual([1500, 0]);
    let moves = 0;
    rows.ids = new Proxy(rows.ids, {
      get: (target, key) => Reflect.get(target, key, target),
      set: (target, key, value) => {
        moves++;
        return Reflect.set(target, key, value, target);
      },
    });
    rows.rollBack(2, 4);
    expect(moves).toBeLessThanOrEqual(3000);
    expect(Array.from({ length: rows.count }, (_, row) => rows.ids[row])).toEqual([...ids]);
    expect(rows.goneCount).toBe(1500);
    rows.validate();
  });

  it('are those that entered and did not leave, in blocks of any length, each with its own values', () => {
    const spans = fc.array(fc.tuple(fc.nat({ max: 599 }), fc.integer({ min: 1, max: 90 }), fc.boolean()), {
      maxLength: 40,
    });
    const steps = fc.array(spans, { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(steps, (each) => {
        const rows = new ClientRows(new Departures());
        const related = new Set<number>();
        for (const [step, crossings] of each.entries()) {
          const [entering, leaving] = [new Set<number>(), new Set<number>()];
          for (const [from, count, enters] of crossings)
            for (let slot = from; slot < from + count; slot++) {
              const id = slot * 1024 + 1;
              if (enters && !related.has(id)) entering.add(id);
              if (!enters && related.has(id)) leaving.add(id);
            }
          const [entered, left] = [entering, leaving].map((ids) => Uint32Array.from(ids).sort());
          rows.leave(left!, 0, left!.length, () => false);
          rows.enter(entered!, 0, entered!.length, step, (id) => (id >>> 10) % 200);
          for (const id of left!) related.delete(id);
          for (const id of entered!) related.add(id);
          rows.validate();
          for (let row = 0; row < rows.count; row++) {
            if ((rows.flags[row]! & RELATED) === 0) rows.flags[row] = 0;
            else rows.flags[row] = (rows.ids[row]! >>> 10) % 7 === 0 ? SENT | RELATED | OWN : SENT | RELATED;
            rows.sentTick[row] = rows.ids[row]! + 5;
          }
          rows.compact();
          rows.validate();
          const ids = [...related].sort((one, other) => one - other);
          expect([...rows.ids.subarray(0, rows.count)]).toEqual(ids);
          expect([...rows.sentTick.subarray(0, rows.count)]).toEqual(ids.map((id) => id + 5));
          expect([...rows.senses.subarray(0, rows.count)]).toEqual(ids.map((id) => (id >>> 10) % 200));
          const odd: number[] = [];
          for (let row = rows.oddFrom(0); row < rows.count; row = rows.oddFrom(row + 1)) odd.push(row);
          expect(odd.map((row) => ids[row])).toEqual(ids.filter((id) => (id >>> 10) % 7 === 0));
        }
      }),
    );
  });

  it('free their room once most have left', () => {
    const rows = new ClientRows(new Departures());
    const ids = Uint32Array.from({ length: 5000 }, (_, i) => 1024 * i + 1);
    rows.enter(ids, 0, ids.length, 1, () => 1);
    rows.leave(ids, 10, ids.length, () => false);
    rows.compact();
    expect([rows.count, rows.ids.length, rows.flags.length]).toEqual([10, 32, 32]);
    expect([...rows.ids.subarray(0, 10)]).toEqual([...ids.subarray(0, 10)]);
  });
});

describe('a frame', () => {
  it('reads few rows of a client that has thousands at rest', () => {
    const world = new World();
    const markers = world.addMany({ x: new Float32Array(5000), y: new Float32Array(5000) });
    const watcher = world.add({ x: 0, y: 0, range: 10 });
    world.attach(markers[7]!, markers[8]!);
    world.tick();
    const columns = new AppearanceColumns(world, readSchema({ positionStep: 0.5 }, ['sight'], 2));
    const writer = new FrameWriter(columns, new RecordCache(columns));
    const intake = new ViewIntake(world);
    const view = new ClientView();
    intake.attach(view, watcher);
    view.setOwn(watcher, world.tickCount);
    const write = () => {
      intake.take(world.tick());
      writer.beginTick(world.tickCount);
      const { entered, updated } = writer.write(view, 0, Number.POSITIVE_INFINITY);
      return { entered, updated };
    };
    expect(write()).toEqual({ entered: 5001, updated: 0 });
    const reads = { ids: 0, flags: 0 };
    const counted = <C extends object>(column: C, name: keyof typeof reads): C =>
      new Proxy(column, {
        get: (target, key) => {
          reads[name]++;
          return Reflect.get(target, key, target);
        },
      });
    view.rows.ids = counted(view.rows.ids, 'ids');
    view.rows.flags = counted(view.rows.flags, 'flags');
    for (const marker of [3, 2000, 4999]) world.move(markers[marker]!, 1, 0);
    expect(write()).toEqual({ entered: 0, updated: 3 });
    expect(reads.ids).toBeLessThan(200);
    // Those of four rows are compared at once, and all of them once only, however many rows have changed.
    for (let marker = 0; marker < 5000; marker += 50) world.move(markers[marker]!, 2, 0);
    reads.flags = 0;
    expect(write()).toEqual({ entered: 0, updated: 100 });
    expect(reads.flags).toBeLessThan(5000);
  });
});

describe('a byte budget', () => {
  it('saves up for a second, and no longer', () => {
    const budget = new ByteBudget(100, 0);
    expect(budget.available(0)).toBe(100);
    budget.spend(80);
    expect(budget.available(300)).toBe(50);
    expect(budget.available(60_000)).toBe(100);
  });

  it('works off a debt, of a second at most', () => {
    const budget = new ByteBudget(100, 0);
    budget.spend(10_000);
    expect(budget.available(900)).toBe(0);
    expect(budget.available(1500)).toBeCloseTo(50);
  });

  it('does not grow where a clock goes back', () => {
    const budget = new ByteBudget(100, 1000);
    budget.spend(100);
    expect(budget.available(500)).toBe(0);
    expect(budget.available(1000)).toBe(0);
  });
});

describe('departures', () => {
  it('are those that a client still had at a tick', () => {
    const departures = new Departures();
    departures.add(1, 5, 10, false);
    departures.add(2, 8, 12, false);
    departures.add(3, 11, 12, false);
    const hadAt = (tick: number): number[] => [...departures.hadAt(tick).keys()];
    expect([hadAt(4), hadAt(5), hadAt(9), hadAt(10), hadAt(11), hadAt(12)]).toEqual([
      [],
      [1],
      [1, 2],
      [2],
      [2, 3],
      [],
    ]);
  });

  it('know nothing of before what was acknowledged', () => {
    const departures = new Departures();
    departures.add(1, 5, 10, false);
    departures.add(2, 8, 12, false);
    departures.acknowledge(11);
    expect(departures.count).toBe(1);
    expect([departures.knows(9), departures.knows(10)]).toEqual([false, true]);
  });

  it('are bounded, and say from when on they are whole', () => {
    const departures = new Departures();
    for (let tick = 1; tick <= 100_000; tick++) departures.add(tick, tick - 1, tick, false);
    expect(departures.count).toBeLessThanOrEqual(4096);
    expect(departures.knows(90_000)).toBe(false);
    expect(departures.knows(99_999)).toBe(true);
  });
});
