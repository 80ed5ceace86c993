/** Seats of crowded watchers: the same as if everybody in reach had been looked at. */
import { describe, expect, test } from 'vitest';
import { detectorNames, World } from '../../src/index.ts';
import { storeOf } from '../../src/world.ts';
import { differenceIn } from './crowd-lives.ts';

const LIVES = 12;

describe.each(detectorNames)('beside a world in which nobody is crowded, with %s', (detector) => {
  test.each([
    ['who is always crowded, under simple rules,', { enter: 0, leave: 0 }, true],
    ['who is always crowded, under any rules,', { enter: 0, leave: 0 }, false],
    ['who is crowded now and then', { enter: 4, leave: 3 }, true],
    ['who is crowded now and then, under any rules,', { enter: 3, leave: 3 }, false],
  ])('one %s is told the same', (_, factors, isSimple) => {
    for (let life = 0; life < LIVES; life++) {
      const seed = detector.length * 1000 + (isSimple ? 0 : 500) + life;
      expect(differenceIn({ seed, detector, factors, isSimple })).toBeUndefined();
    }
  });
});

test('TypeScript kernels tell crowded watchers the same', () => {
  for (let seed = 0; seed < LIVES; seed++) {
    const factors = { enter: 0, leave: 0 };
    expect(
      differenceIn({ seed, detector: 'sweep', factors, isSimple: true, kernels: 'typescript' }),
    ).toBeUndefined();
  }
});

/** A world of so many on one point, who seat five each. */
function pileOf(count: number): { world: World; ids: Uint32Array } {
  const world = new World({ interests: { default: { cap: 5 } } });
  const ids = world.addMany({ x: new Float32Array(count), y: new Float32Array(count), range: 10 });
  return { world, ids };
}

test('a pile on one point seats the lowest ids, and never reaches the detector', () => {
  const { world, ids } = pileOf(300);
  world.tick();
  expect([...world.visibleTo(ids[200] as number)]).toEqual([...ids.subarray(0, 5)]);
  expect([...world.visibleTo(ids[2] as number)]).toEqual([...ids.subarray(0, 6)].filter((_, i) => i !== 2));
  const { last } = storeOf(world);
  expect(ids.every((id) => !last.isWatcher(id >>> 10) && last.perceives(id >>> 10))).toBe(true);
});

test('a seat that falls free in a pile goes to the next in the same tick', () => {
  const { world, ids } = pileOf(300);
  world.tick();
  world.remove(ids[3] as number);
  const view = world.tick().of(ids[100] as number);
  expect([...(view?.left ?? [])]).toEqual([ids[3]]);
  expect([...(view?.entered ?? [])]).toEqual([ids[5]]);
});

test('a crowd that disperses is found by the detector again', () => {
  const { world, ids } = pileOf(300);
  world.tick();
  ids.forEach((id, i) => {
    world.move(id, 6 * i, 0);
  });
  world.tick();
  expect(storeOf(world).last.isWatcher((ids[100] as number) >>> 10)).toBe(true);
  expect([...world.visibleTo(ids[100] as number)]).toEqual([ids[99], ids[101]]);
});

test('that a watcher becomes crowded, or ceases to be, is no change of anybody', () => {
  const { world, ids } = pileOf(300);
  world.tick();
  ids.forEach((id, i) => {
    world.move(id, 6 * i, 0);
  });
  world.update(ids[3] as number, { range: 11 });
  world.tick();
  expect(world.stats()).toMatchObject({ changedCount: 1, movedCount: 299 });
  for (const id of ids) world.move(id, 0, 0);
  world.tick();
  expect(world.stats()).toMatchObject({ changedCount: 0, movedCount: 299 });
});

test('the range of a crowded watcher can be changed', () => {
  const { world, ids } = pileOf(300);
  world.tick();
  world.update(ids[7] as number, { range: 0 });
  const view = world.tick().of(ids[7] as number);
  expect(view?.left.length).toBe(5);
  world.update(ids[7] as number, { range: 3 });
  expect(world.tick().of(ids[7] as number)?.entered.length).toBe(5);
});

test('a place cut by the cap in a crowd is explained with its rank among all', () => {
  const { world, ids } = pileOf(300);
  world.tick();
  const { rule, place, seats } = world.explain(ids[9] as number, ids[99] as number);
  expect({ rule, place, seats }).toEqual({ rule: 'cap', place: 99, seats: 5 });
});
