/**
 * What is the cross list's own: sorted lists and their index nodes, strips swept or walked, those that reach far, cells,
 * and that none of it shows in any report.
 *
 * Larger crowds with few or many changes run beside brute force, with a validation after each tick, since in the small
 * worlds of the conformance suite every strip holds everybody. Costs are counted in coordinates read or definitions
 * asked, never in time.
 */
import { describe, expect, test, vi } from 'vitest';
import { AxisList } from '../../src/detectors/cross-list/axis-list.ts';
import { CoordinateSort } from '../../src/detectors/cross-list/coordinate-sort.ts';
import { createCrossList, crossList } from '../../src/detectors/cross-list.ts';
import { Crossings } from '../../src/detectors/crossings.ts';
import {
  type EntityId,
  type EntityInit,
  type EntityPatch,
  World,
  type WorldOptions,
} from '../../src/index.ts';
import { Heap } from '../../src/kernels/heap.ts';
import { liveMany, randomFrom, SideBySide } from './side-by-side.ts';

describe('the six points of the article on cross-linked lists', () => {
  const POINTS = { a: [1, 5], f: [6, 6], c: [3, 1], b: [2, 2], e: [5, 3], d: [3, 3] } as const;

  test.each([crossList, createCrossList({ indexed: false })])('relate as drawn there', (detector) => {
    const world = new World({ rangeShape: 'box', detector });
    const names = new Map<EntityId, string>();
    const ids = new Map<string, EntityId>();
    for (const [name, [x, y]] of Object.entries(POINTS)) {
      const id = world.add({ x, y, range: 2 });
      names.set(id, name);
      ids.set(name, id);
    }
    const d = ids.get('d') as EntityId;
    const related = () => [...world.visibleTo(d)].map((id) => names.get(id)).sort();
    world.tick();
    expect(related()).toEqual(['a', 'b', 'c', 'e']);
    world.move(d, 4, 4);
    const view = world.tick().of(d);
    expect(related()).toEqual(['b', 'e', 'f']);
    expect([...(view?.entered ?? [])].map((id) => names.get(id))).toEqual(['f']);
    expect([...(view?.left ?? [])].map((id) => names.get(id)).sort()).toEqual(['a', 'c']);
  });
});

test('without index nodes the reports are the same', () => {
  liveMany(createCrossList({ indexed: false }), { granularity: 'exact' }, 2001, 150);
});

describe('a crowd beside brute force', () => {
  interface Crowd {
    readonly random: () => number;
    readonly worlds: readonly World[];
    readonly ids: EntityId[];
    readonly options: WorldOptions;
    readonly place: () => { x: number; y: number; z: number };
    readonly traits: () => EntityPatch;
  }

  /** Worlds of every shape, long and wide, on lattices and off them, with and without those that reach far. */
  function gather(seed: number): Crowd {
    const random = randomFrom(seed);
    const pick = <T>(...choices: T[]): T => choices[Math.floor(random() * choices.length)] as T;
    const dimensions = pick<2 | 3>(2, 2, 3);
    const options: WorldOptions = {
      dimensions,
      senses: pick(['sight'], ['sight'], ['sight', 'hearing', 'smell']),
      rangeShape: pick('circle', 'circle', 'box', dimensions === 3 ? 'cylinder' : 'box'),
      rangeRatio: [pick(1, 0.5), pick(1, 2), pick(1, 0.7)],
      ...pick<WorldOptions>({}, {}, { cellSize: 7 }, { cellSize: [0.5, 300, 20] }),
    };
    const extent = [pick(20, 200, 600), pick(20, 200, 600), pick(20, 100)] as const;
    const step = pick(0, 0, 5);
    const along = (length: number) => {
      const at = (random() - pick(0, 0.5, 0.5)) * length;
      return step === 0 ? at : Math.round(at / step) * step;
    };
    const farShare = pick(0, 0.02);
    const usual = pick(5, 20, 20);
    return {
      random,
      options,
      worlds: [
        new World({ ...options, detector: 'brute-force' }),
        new World({ ...options, detector: crossList }),
      ],
      ids: [],
      place: () => {
        const place = { x: along(extent[0]), y: along(extent[1]), z: along(extent[2]) };
        if (random() < 0.003) place.x = pick(1e9, -1e12, 1e12);
        return place;
      },
      traits: () => {
        const traits: EntityPatch = { range: random() < 0.3 ? 0 : usual };
        if (farShare > 0 && random() < 0.1) traits.range = usual * random() * 3;
        if (random() < farShare) traits.range = pick(1e12, usual * 15);
        if (random() < farShare) traits.minReach = pick(1e12, usual * 15);
        if (random() < farShare) traits.gain = pick(0, 0.5, 2, 1e6);
        if (random() < 0.05) traits.marker = random() < 0.5;
        if (random() < 0.05) traits.layers = pick(0, 1, 2, 3);
        return traits;
      },
    };
  }

  function add({ worlds, ids, place, traits }: Crowd): void {
    const init: EntityInit = { ...place(), ...traits() };
    const given = worlds.map((world) => world.add(init));
    ids.push(given[0] as EntityId);
  }

  function change(crowd: Crowd): void {
    const { random, worlds, ids, place, traits } = crowd;
    const index = Math.floor(random() * ids.length);
    const id = ids[index] as EntityId;
    const what = random();
    if (what < 0.65) {
      const [x, y, z = 0] = (worlds[0] as World).position(id);
      const stride = random() < 0.2 ? 60 : random() < 0.3 ? 5 : 1;
      const off = () => (random() - 0.5) * stride;
      const to = [x + off(), y + off(), z + off()] as const;
      for (const world of worlds) world.move(id, ...to);
    } else if (what < 0.75) {
      const { x, y, z } = place();
      for (const world of worlds) world.move(id, x, y, z);
    } else if (what < 0.85) {
      const patch = traits();
      for (const world of worlds) world.update(id, patch);
    } else if (what < 0.92 && ids.length > 50) {
      for (const world of worlds) world.remove(id);
      ids.splice(index, 1);
    } else {
      add(crowd);
    }
  }

  function expectAlike({ worlds, ids, random, options }: Crowd, when: string): void {
    const probe = ids[Math.floor(random() * ids.length)] as EntityId;
    const answers = worlds.map((world) => {
      const changes = world.tick();
      world.validate();
      const [x, y, z] = options.dimensions === 3 ? [1, 2, 3] : [1, 2, undefined];
      return {
        hash: changes.hash(),
        views: Array.from(changes, ({ watcher }) => watcher),
        visible: [...world.visibleTo(probe)],
        watchers: [...world.watchersOf(probe)],
        nearest: [...world.nearest(x, y, 7, z === undefined ? {} : { z })],
      };
    });
    expect(answers[1], when).toEqual(answers[0]);
  }

  test.each([
    ['few change', 160, 12],
    ['many change', 80, 400],
  ])('reports the same when %s', (_, seeds, most) => {
    for (let seed = 1; seed <= seeds; seed++) {
      const crowd = gather(seed * 7919 + most);
      for (let i = 0; i < 150; i++) add(crowd);
      for (let tick = 1; tick <= 8; tick++) {
        const count = tick === 1 ? 0 : Math.floor(crowd.random() * most);
        for (let i = 0; i < count; i++) change(crowd);
        expectAlike(crowd, `seed ${seed * 7919 + most}, tick ${tick}`);
      }
    }
  });

  test('reports the same when it is replaced in mid-life and when ticks fail', () => {
    liveMany(crossList, { granularity: 'exact' }, 1, 250);
  });
});

describe('cells', () => {
  test('decide who is perceived, whatever moves, comes, goes and changes', () => {
    liveMany(crossList, { granularity: 'cell' }, 1, 250);
    liveMany(createCrossList({ indexed: false }), { granularity: 'cell' }, 1001, 50);
  });

  test('ask for no relation when everyone moves inside an interval', () => {
    const pair = new SideBySide(crossList, { granularity: 'cell', cellSize: [10, 10, 10] });
    const random = randomFrom(5);
    for (let i = 0; i < 200; i++) pair.add([i * 10 + 5, 5], { range: 25 });
    pair.tick();
    // Whoever is compared is asked for what it sees.
    const asked = vi.spyOn(pair.store.now.sees, 'at');
    const detectOnly = () => {
      pair.store.settle();
      asked.mockClear();
      pair.detector.detect(pair.store, new Crossings(new Heap('typescript')));
      const count = asked.mock.calls.length;
      pair.store.endTick();
      pair.detector.validate(pair.store);
      return count;
    };
    for (let slot = 0; slot < 200; slot++) pair.store.move(slot, slot * 10 + random() * 9, random() * 9, 0);
    expect(detectOnly()).toBe(0);
    pair.store.move(0, 15, 5, 0);
    expect(detectOnly()).toBeGreaterThan(0);
  });
});

describe('those that reach far', () => {
  /** How often the definition was asked while everyone moved, and whether it all was right. */
  function asked(far: readonly EntityPatch[]): number {
    const pair = new SideBySide(crossList);
    const random = randomFrom(11);
    for (let i = 0; i < 400; i++) pair.add([random() * 1000, random() * 1000], { range: 20 });
    pair.tick();
    far.forEach((patch, slot) => {
      pair.update(slot, patch);
    });
    pair.tick();
    for (let slot = 0; slot < 400; slot++) {
      const { x, y } = pair.store.now;
      pair.store.move(slot, (x[slot] as number) + random(), (y[slot] as number) + random(), 0);
    }
    pair.store.settle();
    const at = vi.spyOn(pair.store.now.sees, 'at');
    pair.detector.detect(pair.store, new Crossings(new Heap('typescript')));
    const count = at.mock.calls.length;
    at.mockRestore();
    pair.store.endTick();
    pair.detector.validate(pair.store);
    for (let slot = 0; slot < 400; slot++) pair.move(slot, [random() * 1000, random() * 1000]);
    pair.tick();
    return count;
  }

  test('cost the others a look each, not a world each', () => {
    const without = asked([]);
    expect(asked([{ minReach: 1e12 }])).toBeLessThan(without * 2 + 50);
    expect(asked([{ range: 1e12 }])).toBeLessThan(without * 2 + 50);
    expect(asked([{ gain: 1e6 }, { range: 900 }, { minReach: 800 }])).toBeLessThan(without * 2 + 100);
  });

  test('are listed apart, and the ordinary reach stays what it was', () => {
    const pair = new SideBySide(crossList);
    for (let i = 0; i < 300; i++) pair.add([i * 10, 0], { range: 20 });
    pair.tick();
    pair.add([0, 5], { minReach: 1e12 });
    const watcher = pair.add([9, 5], { range: 1e12 });
    expect(pair.tick().length).toBeGreaterThan(600);
    expect(pair.detector.describe()).toContain('ordinary reach 20, 2 far-reaching');
    pair.store.remove(watcher);
    pair.tick();
    expect(pair.detector.describe()).toContain('ordinary reach 20, 1 far-reaching');
  });
});

/** Coordinates that count how often they are read. */
function counted(values: Float32Array): { coordinates: Float32Array; reads: () => number } {
  let reads = 0;
  const coordinates = new Proxy(values, {
    get(target, key) {
      reads++;
      return Reflect.get(target, key) as unknown;
    },
  });
  return { coordinates, reads: () => reads };
}

function sortedOrder(values: Float32Array, count: number): Int32Array {
  const sort = new CoordinateSort();
  sort.grow(values.length);
  const order = Int32Array.from({ length: values.length }, (_, i) => i);
  sort.sort(order, count, values);
  return order;
}

describe('an axis list', () => {
  const listOf = (values: Float32Array, count: number, isIndexed = true, intervalSize = 0) => {
    const list = new AxisList(isIndexed, intervalSize);
    list.grow(values.length);
    list.linkInOrder(sortedOrder(values, count), count, values);
    return list;
  };

  test('keeps its order and its pointers through any linking and unlinking', () => {
    for (let seed = 1; seed <= 60; seed++) {
      const random = randomFrom(seed * 31337);
      const values = new Float32Array(200);
      const list = new AxisList(true, seed % 3 === 0 ? 0.7 : 0);
      list.grow(values.length);
      const scratch = new Int32Array(values.length);
      const present = new Set<number>();
      for (let step = 0; step < 400; step++) {
        const slot = Math.floor(random() * values.length);
        if (present.delete(slot)) {
          list.unlink(slot, values);
        } else {
          values[slot] =
            random() < 0.5 ? Math.floor(random() * 6) - 3 : (random() - 0.5) * 10 ** (random() * 12);
          list.link(slot, values);
          present.add(slot);
        }
        if (random() < 0.1) list.tend(scratch, values);
        list.validate(scratch, values);
        expect(list.count).toBe(present.size);
      }
      // Over empty stretches, too: all but a few go.
      for (const slot of [...present].slice(3)) list.unlink(slot, values);
      list.validate(scratch, values);
    }
  });

  test('finds a place among 100,000 with a twentieth of what walking from the head reads, and less', () => {
    const count = 100_000;
    const random = randomFrom(3);
    const values = Float32Array.from({ length: count + 100 }, () => random() * 5000);
    const indexed = listOf(values, count);
    const classic = listOf(values, count, false);
    const { coordinates, reads } = counted(values);
    for (let slot = count; slot < count + 100; slot++) indexed.link(slot, coordinates);
    const readsIndexed = reads();
    for (let slot = count; slot < count + 100; slot++) classic.link(slot, coordinates);
    expect(readsIndexed).toBeLessThan(100 * 40);
    expect(reads() - readsIndexed).toBeGreaterThan(readsIndexed * 20);
  });

  test('never walks a run of 100,000 equal coordinates to link at it, before it or behind it', () => {
    const count = 100_000;
    const values = new Float32Array(count + 8).fill(5);
    values.set([1, 2, 3, 7, 8, 9], 0);
    const list = listOf(values, count);
    values.set([5, 4.5, 5.5, 5, 6, 0, 10, 5], count);
    const { coordinates, reads } = counted(values);
    for (let slot = count; slot < count + 8; slot++) list.link(slot, coordinates);
    for (let slot = 10; slot < 1000; slot++) list.unlink(slot, coordinates);
    for (let slot = 10; slot < 1000; slot++) list.link(slot, coordinates);
    expect(reads()).toBeLessThan(2000 * 12);
    list.validate(new Int32Array(count + 8), values);
  });

  test('has no more nodes than links, however far one of them is and however small the intervals', () => {
    const values = Float32Array.from({ length: 1000 }, (_, i) => (i === 0 ? 1e12 : i === 1 ? -1e12 : i / 7));
    for (const intervalSize of [0, 1e-3, 3, 1e9]) {
      const list = listOf(values, values.length, true, intervalSize);
      const nodes = Number(/(\d+) index nodes/.exec(list.describe(3))?.[1]);
      expect(nodes).toBeGreaterThan(50);
      expect(nodes).toBeLessThanOrEqual(1000);
      list.validate(new Int32Array(1000), values);
    }
  });

  test('marks the near edge of every interval that somebody is in', () => {
    const values = Float32Array.from([0.5, 3, 12, 14, 47, -8]);
    const list = listOf(values, values.length, true, 10);
    const places: number[] = [];
    list.eachNode(-100, 100, (place) => places.push(place));
    expect(places).toEqual([-10, 0, 10, 40]);
  });

  test('gives the first of several equal links at a coordinate', () => {
    const values = new Float32Array(500).fill(2);
    values.fill(1, 0, 100);
    const list = listOf(values, values.length);
    const first = list.firstFrom(2, values);
    expect(values[first]).toBe(2);
    expect(values[list.previous[first] as number]).toBe(1);
    expect(list.firstFrom(2.5, values)).toBe(-1);
    expect(list.firstFrom(Number.NEGATIVE_INFINITY, values)).toBe(list.head);
  });

  test('is found broken when a link or a pointer is', () => {
    const values = Float32Array.from({ length: 100 }, (_, i) => i);
    const scratch = new Int32Array(100);
    const swapped = listOf(values, 100);
    values[50] = 90;
    expect(() => swapped.validate(scratch, values)).toThrow('in order');
    values[50] = 50;
    swapped.next[40] = 42;
    expect(() => swapped.validate(scratch, values)).toThrow('points back');
    const astray = listOf(values, 100);
    values[16] = 15.5;
    expect(() => astray.validate(scratch, values)).toThrow('first link at or after');
  });
});

test('coordinates are sorted with their signs and from the smallest to the largest float32', () => {
  const random = randomFrom(17);
  const values = Float32Array.from({ length: 3000 }, (_, i) =>
    i < 8
      ? ([0, -0, 1e12, -1e12, 1e-40, -1e-40, 5, 5][i] as number)
      : (random() - 0.5) * 10 ** (random() * 24 - 12),
  );
  const sorted = [...sortedOrder(values, values.length)];
  expect(new Set(sorted).size).toBe(values.length);
  for (let i = 1; i < sorted.length; i++) {
    expect(values[sorted[i - 1] as number]).toBeLessThanOrEqual(values[sorted[i] as number] as number);
  }
  // Stable: of equals the one that came first stays first.
  expect(sorted.indexOf(6)).toBeLessThan(sorted.indexOf(7));
});

describe('in a running world', () => {
  const populate = (pair: SideBySide, count: number) => {
    const random = randomFrom(23);
    for (let i = 0; i < count; i++)
      pair.add([random() * 300, random() * 300], { range: i % 9 === 0 ? 200 : 15 });
    return random;
  };
  const bounds = {
    minX: 50,
    maxX: 150,
    minY: 100,
    maxY: 250,
    minZ: Number.NEGATIVE_INFINITY,
    maxZ: Number.POSITIVE_INFINITY,
  };

  test('a cross list takes over from what is there, with changes pending', () => {
    const pair = new SideBySide(crossList);
    const random = populate(pair, 300);
    pair.tick();
    for (let slot = 0; slot < 300; slot += 3) pair.move(slot, [random() * 300, random() * 300]);
    pair.add([10, 10], { range: 1e12 });
    pair.store.remove(7);
    pair.swap();
    pair.detector.validate(pair.store);
    pair.expectCollected(bounds);
    expect(pair.tick().length).toBeGreaterThan(50);
  });

  test('a tick that fails after detection leaves no trace', () => {
    const pair = new SideBySide(crossList);
    const random = populate(pair, 300);
    pair.tick();
    for (let round = 0; round < 4; round++) {
      for (let slot = round; slot < 300; slot += round === 1 ? 100 : 2) {
        pair.move(slot, [random() * 300, random() * 300]);
      }
      pair.add([10, 10], { range: round === 2 ? 1e12 : 5 });
      pair.fail();
      pair.expectCollected(bounds);
      pair.detector.validate(pair.store);
    }
    expect(pair.tick().length).toBeGreaterThan(100);
    pair.expectCollected(bounds);
  });

  test('a tick in which nothing changed asks nothing and finds nothing', () => {
    const pair = new SideBySide(crossList);
    populate(pair, 300);
    pair.tick();
    pair.store.note(3, 16);
    pair.store.move(4, pair.store.now.x[4] as number, pair.store.now.y[4] as number, 0);
    pair.store.settle();
    const asked = vi.spyOn(pair.store.now.sees, 'at');
    const out = new Crossings(new Heap('typescript'));
    pair.detector.detect(pair.store, out);
    expect(out.count).toBe(0);
    expect(asked).not.toHaveBeenCalled();
  });

  test('it describes itself in a few lines and draws its nodes, however many there are', () => {
    const world = new World({ detector: crossList, dimensions: 3, cellSize: 1 });
    const random = randomFrom(29);
    for (let i = 0; i < 5000; i++)
      world.add({ x: random() * 900, y: random() * 900, z: random() * 900, range: 5 });
    world.tick();
    const text = world.describe();
    expect(text.split('\n').length).toBeLessThanOrEqual(40);
    expect(text).toMatch(/x: 5000 links.*\n.*index nodes/);
    const sketch = world.sketch({ minX: 100, minY: 100, maxX: 110, maxY: 120 });
    expect(sketch.lines.length / 4).toBeGreaterThan(20);
    expect(sketch.lines.length / 4).toBeLessThan(40);
  });

  test('the bytes it states are the bytes it holds', async () => {
    const pair = new SideBySide(crossList, { dimensions: 3 });
    const random = randomFrom(31);
    for (let i = 0; i < 60_000; i++) {
      pair.add([random() * 1e4, random() * 1e4, random() * 1e4], { range: 5 });
    }
    pair.store.settle();
    pair.store.endTick();
    const before = await bufferBytesAtRest();
    const detector = crossList(pair.store);
    const held = (await bufferBytesAtRest()) - before;
    expect(Math.abs(detector.memoryBytes / held - 1)).toBeLessThan(0.05);
  });
});

/** Bytes in array buffers once nothing is left to collect: buffers are given back some time after their owners. */
async function bufferBytesAtRest(): Promise<number> {
  const collect = globalThis.gc as () => void;
  let bytes = 0;
  for (let same = 0; same < 3; ) {
    collect();
    await new Promise((resolve) => setTimeout(resolve, 20));
    const { arrayBuffers } = process.memoryUsage();
    same = arrayBuffers === bytes ? same + 1 : 0;
    bytes = arrayBuffers;
  }
  return bytes;
}
