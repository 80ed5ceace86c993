/**
 * Listeners: their order, what they may do, and what happens when they fail.
 */
import { expect, test } from 'vitest';
import { World } from '../../src/index.ts';

const EVENTS = ['enter', 'leave', 'update', 'sense'] as const;

/** A world where one tick brings all four events to two watchers, and who is who. */
function busyWorld() {
  const world = new World({ senses: ['sight', 'hearing'] });
  const range = { sight: 10, hearing: 5 };
  const watchers = world.addMany({ x: [0, 0], y: [0, 0.5], range, gain: 0 });
  const [leaver, mover, enterer, other] = world.addMany({ x: [1, 2, 100, 3], y: [0, 0, 0, 0] });
  world.tick();
  world.move(leaver, 200, 0);
  world.move(mover, 8, 0);
  world.move(enterer, 4, 0);
  world.touch(other);
  return { world, watchers, leaver, mover, enterer, other };
}

test('a tick tells by watcher, then left, entered, sensed, updated, then by marker', () => {
  const { world, watchers, leaver, mover, enterer, other } = busyWorld();
  const told: (string | number)[][] = [];
  for (const event of EVENTS) {
    world.on(event, (watcher, marker, senses) => void told.push([event, watcher, marker, senses]));
  }
  world.tick();
  const expected = [...watchers].flatMap((watcher) => [
    ['leave', watcher, leaver, 0],
    ['enter', watcher, enterer, 3],
    ['sense', watcher, mover, 1],
    ...[mover, other]
      .sort((one, two) => one - two)
      .map((id) => ['update', watcher, id, id === mover ? 1 : 3]),
  ]);
  expect(told).toEqual(expected);
});

test('listeners to one event run in order of registration, each for every pair', () => {
  const { world, watchers } = busyWorld();
  const told: string[] = [];
  for (const name of ['first', 'second', 'third']) {
    world.on('enter', (watcher) => void told.push(`${name} ${watcher}`));
  }
  world.tick();
  expect(told).toEqual([...watchers].flatMap((id) => [`first ${id}`, `second ${id}`, `third ${id}`]));
});

test('one function registered twice runs twice, and each undoing takes back one', () => {
  const world = new World();
  let count = 0;
  const listener = () => void count++;
  const [undoFirst, undoSecond] = [world.on('enter', listener), world.on('enter', listener)];
  const enter = () => {
    world.add({ x: 0, y: 0, range: 1, gain: 0 });
    world.tick();
  };
  world.add({ x: 0, y: 0 });
  enter();
  expect(count).toBe(2);
  undoFirst();
  undoFirst();
  enter();
  expect(count).toBe(3);
  undoSecond();
  enter();
  expect(count).toBe(3);
});

test('when listeners run the tick is complete: relations answer as of it', () => {
  const { world, watchers, enterer, leaver } = busyWorld();
  let asked = 0;
  world.on('leave', (watcher, marker) => {
    asked++;
    expect(world.related(watcher, marker)).toBe(false);
    expect(world.related(watcher, enterer)).toBe(true);
    expect(world.watchersOf(leaver).length).toBe(0);
    expect(world.tickCount).toBe(2);
    expect(world.lastChanges.tick).toBe(2);
    expect(world.lastChanges.of(watchers[1])?.left.length).toBe(1);
  });
  world.tick();
  expect(asked).toBe(2);
});

test('what listeners change is taken up by the next tick, and the rest of this one is told unchanged', () => {
  const world = new World();
  const watchers = world.addMany({ x: [0, 0, 0], y: [0, 0, 0], range: 5, gain: 0 });
  const marker = world.add({ x: 1, y: 0 });
  const told: number[] = [];
  let child = 0;
  const undo = world.on('enter', (watcher) => {
    told.push(watcher);
    if (told.length > 1) return;
    world.remove(marker);
    world.remove(watchers[2]);
    world.move(watchers[1], 500, 0);
    child = world.add({ x: 2, y: 0 });
  });
  const changes = world.tick();
  undo();
  expect(told).toEqual([...watchers]);
  expect(changes.enteredCount).toBe(3);
  expect(world.visibleTo(watchers[0]).length).toBe(0);
  const next = world.tick();
  expect([...next].map(({ watcher }) => watcher)).toEqual([watchers[0], watchers[1]]);
  expect([...(next.of(watchers[0])?.entered ?? [])]).toEqual([child]);
  expect([...(next.of(watchers[0])?.left ?? [])]).toEqual([marker]);
  expect([...(next.of(watchers[1])?.left ?? [])]).toEqual([marker]);
  expect([...next.removed]).toEqual([watchers[2], marker]);
});

test('listeners may add so many that the world grows, and still hear the rest of the tick', () => {
  const world = new World();
  const watchers = world.addMany({ x: new Float32Array(50), y: new Float32Array(50), range: 1, gain: 0 });
  const marker = world.add({ x: 0, y: 0 });
  const told: [number, number][] = [];
  world.on('enter', (watcher, entered) => {
    told.push([watcher, entered]);
    world.addMany({ x: new Float32Array(5000).fill(1e6), y: new Float32Array(5000) });
  });
  world.tick();
  expect(told).toEqual([...watchers].map((watcher) => [watcher, marker]));
});

test('tick() in a listener throws REENTRANT_TICK, there and out of the outer tick', () => {
  const { world } = busyWorld();
  let inner: unknown;
  world.on('enter', () => {
    try {
      world.tick();
    } catch (error) {
      inner ??= error;
      throw error;
    }
  });
  expect(() => world.tick()).toThrow(expect.objectContaining({ code: 'REENTRANT_TICK' }));
  expect(inner).toMatchObject({ code: 'REENTRANT_TICK' });
  expect(world.tickCount).toBe(2);
  expect(world.tick().tick).toBe(3);
});

test('all listeners run though some throw, the first error is rethrown, and the tick stands', () => {
  const { world, watchers, enterer } = busyWorld();
  const [first, second] = [new Error('first'), new Error('second')];
  let [before, after] = [0, 0];
  world.on('enter', () => void before++);
  world.on('leave', () => {
    throw first;
  });
  world.on('enter', () => {
    throw second;
  });
  world.on('enter', () => void after++);
  expect(() => world.tick()).toThrow(first);
  expect([before, after]).toEqual([2, 2]);
  expect(world.tickCount).toBe(2);
  expect([...(world.lastChanges.of(watchers[0])?.entered ?? [])]).toEqual([enterer]);
  expect(world.related(watchers[0], enterer)).toBe(true);
  expect(world.tick().viewCount).toBe(0);
});

test('a listener may throw anything at all, undefined included', () => {
  const { world } = busyWorld();
  world.on('enter', () => {
    throw undefined;
  });
  let caught = false;
  try {
    world.tick();
  } catch (error) {
    caught = error === undefined;
  }
  expect(caught).toBe(true);
});

test('on and its undoing during dispatch take effect with the next tick', () => {
  const { world, watchers, enterer } = busyWorld();
  const told: string[] = [];
  let undoLast = () => {};
  const undoFirst = world.on('enter', () => {
    told.push('first');
    undoLast();
    undoFirst();
    world.on('enter', () => void told.push('late'));
  });
  undoLast = world.on('enter', () => void told.push('last'));
  world.tick();
  expect(told).toEqual(watchers.length === 2 ? ['first', 'last', 'first', 'last'] : []);
  told.length = 0;
  world.move(enterer, 500, 0);
  world.tick();
  world.move(enterer, 4, 0);
  world.tick();
  // Registered once for each of the two calls of the first listener.
  expect(told).toEqual(['late', 'late', 'late', 'late']);
});

test('ticks with nothing to tell call nobody', () => {
  const { world } = busyWorld();
  world.tick();
  let count = 0;
  for (const event of EVENTS) world.on(event, () => void count++);
  world.tick();
  expect(count).toBe(0);
});

test('a listener that disposes of the world ends the telling without harm', async () => {
  const { world } = busyWorld();
  const done: Promise<void>[] = [];
  world.on('leave', () => void done.push(world.dispose()));
  try {
    world.tick();
  } catch (error) {
    expect(error).toMatchObject({ code: 'DISPOSED' });
  }
  await Promise.all(done);
  expect(() => world.tick()).toThrow(expect.objectContaining({ code: 'DISPOSED' }));
});
