/**
 * Who is watched: when counting begins, what listeners are told and in which order, and what stays true when ticks fail and
 * worlds are stored. What relations do to it is in the conformance suite.
 */
import { describe, expect, test } from 'vitest';
import {
  detectorNames,
  type EntityId,
  type EntityPatch,
  type Interest,
  UmweltError,
  World,
} from '../../src/index.ts';

/** A world in which two watchers perceive one marker, and one of them another; after one tick. */
function settledWorld() {
  const world = new World();
  const [left, right] = world.addMany({ x: [0, 10], y: [0, 0], range: 6, marker: false });
  const [lost, shared] = world.addMany({ x: [-1, 5], y: [0, 0] });
  world.tick();
  return { world, left, right, lost, shared };
}

/** What listeners to both events are told, in order. */
function listening(world: World): { told: [string, EntityId][]; undo: () => void } {
  const told: [string, EntityId][] = [];
  const undoing = (['watched', 'unwatched'] as const).map((event) =>
    world.on(event, (marker) => void told.push([event, marker])),
  );
  return { told, undo: () => undoing.map((undo) => undo()) };
}

test('a read of the first tick names all that is watched, ascending', () => {
  const world = new World();
  world.add({ x: 0, y: 0, range: 5, marker: false });
  const markers = world.addMany({ x: [3, 1, 90, 2], y: [0, 0, 0, 0] });
  const { watched, unwatched } = world.tick();
  expect([...watched]).toEqual([markers[0], markers[1], markers[3]]);
  expect([...unwatched]).toEqual([]);
});

test('the first read may come late: the report of its tick counts, and every one after it', () => {
  const { world, left, right, lost, shared } = settledWorld();
  world.move(lost, 90, 0);
  const changes = world.tick();
  expect([...changes.unwatched]).toEqual([lost]);
  expect([...changes.watched]).toEqual([]);
  world.removeMany(Uint32Array.of(left, right));
  expect([...world.tick().unwatched]).toEqual([shared]);
});

test('a first read after entities of the tick were removed answers as of the tick', () => {
  const { world, left, lost, shared } = settledWorld();
  world.move(lost, 90, 0);
  const changes = world.tick();
  world.removeMany(Uint32Array.of(left, lost));
  expect([...changes.unwatched]).toEqual([lost]);
  const next = world.tick();
  expect([...next.unwatched]).toEqual([]);
  world.move(shared, 90, 0);
  expect([...world.tick().unwatched]).toEqual([shared]);
});

const WATCHERS: readonly [string, EntityPatch, Interest][] = [
  ['plain', {}, {}],
  ['without updates', { updates: false }, {}],
  ['with a margin', { updates: false }, { leaveMargin: 3 }],
  ['with a cap', { updates: false }, { cap: 1 }],
  ['with a cap that is not reached', { updates: false }, { cap: 9 }],
  ['that shows its group', { updates: false, group: 7 }, { showGroup: true }],
  ['with mutual consent', { updates: false }, { mutual: true }],
];

describe.each(detectorNames)('with %s', (detector) => {
  test.each(WATCHERS)(
    'the first read may come in the tick in which a watcher %s was removed',
    (_, patch, interest) => {
      const world = new World({ detector, interests: { default: interest } });
      const watcher = world.add({ x: 0, y: 0, range: 6, marker: false, ...patch });
      world.add({ x: 4, y: 0, range: 3, marker: false, ...patch, group: 8 });
      const [lost, , removed] = world.addMany({ x: [-1, 5, -2], y: [0, 0, 0], group: 7 });
      world.tick();
      world.removeMany(Uint32Array.of(watcher, removed));
      const { watched, unwatched } = world.tick();
      expect([...watched]).toEqual([]);
      expect([...unwatched]).toEqual([lost]);
      world.validate();
    },
  );
});

test('the first read of a tick in which a watcher took the place of a removed one names nothing', () => {
  for (const updates of [true, false]) {
    const world = new World();
    const watcher = world.add({ x: 0, y: 0, range: 6, marker: false, updates });
    const marker = world.add({ x: 1, y: 0 });
    world.tick();
    world.remove(watcher);
    world.add({ x: 2, y: 0, range: 6, marker: false, updates });
    world.move(marker, 3, 0);
    const { watched, unwatched } = world.tick();
    expect([[...watched], [...unwatched]]).toEqual([[], []]);
    world.validate();
  }
});

test('a first read after a tick that failed answers as of the tick before', () => {
  let isFatal = false;
  const rank = () => {
    if (isFatal) throw new Error('a mistake in rank');
    return 0;
  };
  const world = new World({ interests: { ranked: { cap: 1, rank } } });
  world.add({ x: 90, y: 0, range: 9, marker: false, interest: 'ranked' });
  world.addMany({ x: [91, 92], y: [0, 0] });
  const [first, second] = world.addMany({ x: [0, 20], y: [0, 0], range: 5, marker: false });
  const [lost] = world.addMany({ x: [1, 21], y: [0, 0] });
  world.tick();
  world.remove(first);
  const changes = world.tick();
  world.remove(second);
  world.add({ x: 93, y: 0 });
  isFatal = true;
  expect(() => world.tick()).toThrow('a mistake in rank');
  expect([...changes.unwatched]).toEqual([lost]);
});

test('who begins to listen is not told what is watched already, but all that follows', () => {
  const { world, left, lost } = settledWorld();
  const { told } = listening(world);
  world.tick();
  expect(told).toEqual([]);
  world.remove(left);
  world.tick();
  expect(told).toEqual([['unwatched', lost]]);
});

test('listeners hear it when all pairs were told, unwatched first, ids ascending, in order of registration', () => {
  const { world, left, lost, shared } = settledWorld();
  const [fresh, other] = world.addMany({ x: [300, 301], y: [0, 0] });
  world.tick();
  const told: (string | number)[][] = [];
  for (const name of ['first', 'second']) {
    world.on('watched', (marker) => void told.push([name, 'watched', marker]));
    world.on('unwatched', (marker) => void told.push([name, 'unwatched', marker]));
  }
  world.on('enter', (_, marker) => void told.push(['enter', marker]));
  world.move(left, 300, 0);
  world.tick();
  expect(told).toEqual([
    ['enter', fresh],
    ['enter', other],
    ['first', 'unwatched', lost],
    ['second', 'unwatched', lost],
    ...[fresh, other].flatMap((id) => ['first', 'second'].map((name) => [name, 'watched', id])),
  ]);
  expect(world.watcherCount(shared)).toBe(1);
});

test('a listener that throws keeps nobody from hearing, and the first error is thrown', () => {
  const { world, left, right, lost, shared } = settledWorld();
  const told: EntityId[] = [];
  world.on('leave', () => {
    throw new Error('first');
  });
  world.on('unwatched', () => {
    throw new Error('second');
  });
  world.on('unwatched', (marker) => void told.push(marker));
  for (const id of [left, right]) world.move(id, 500, 500);
  expect(() => world.tick()).toThrow('first');
  expect(told).toEqual([lost, shared]);
});

test('undoing one listener takes back that one', () => {
  const { world, lost } = settledWorld();
  const [first, second] = [listening(world), listening(world)];
  first.undo();
  world.move(lost, 90, 0);
  world.tick();
  expect(first.told).toEqual([]);
  expect(second.told).toEqual([['unwatched', lost]]);
});

test('a listener that begins to listen hears of the next tick', () => {
  const { world, left, lost } = settledWorld();
  let heard: ReturnType<typeof listening> | undefined;
  world.on('leave', () => {
    heard ??= listening(world);
  });
  world.move(lost, 90, 0);
  world.tick();
  expect(heard?.told).toEqual([]);
  world.move(lost, -1, 0);
  world.tick();
  expect(heard?.told).toEqual([['watched', lost]]);
  world.remove(left);
  world.tick();
  expect(heard?.told.at(-1)).toEqual(['unwatched', lost]);
});

test('a tick that fails changes nothing of it, though a watcher was removed for it', () => {
  let isFatal = false;
  const rank = () => {
    if (isFatal) throw new Error('a mistake in rank');
    return 0;
  };
  const world = new World({ interests: { ranked: { cap: 1, rank } } });
  world.add({ x: 0, y: 0, range: 9, marker: false, interest: 'ranked' });
  world.addMany({ x: [1, 2], y: [0, 0] });
  const gone = world.add({ x: 100, y: 0, range: 9, marker: false });
  const lost = world.add({ x: 101, y: 0 });
  const { told } = listening(world);
  world.tick();
  told.length = 0;
  world.remove(gone);
  world.add({ x: 3, y: 0 });
  isFatal = true;
  expect(() => world.tick()).toThrow('a mistake in rank');
  expect(told).toEqual([]);
  world.validate();
  isFatal = false;
  world.tick();
  expect(told).toEqual([['unwatched', lost]]);
  world.validate();
});

test('a stored world counts on where it counted, with a removal pending', () => {
  const { world, left, lost } = settledWorld();
  void world.lastChanges.watched;
  world.remove(left);
  const restored = World.restore(world.snapshot());
  expect([...restored.lastChanges.unwatched]).toEqual([]);
  expect([...restored.tick().unwatched]).toEqual([lost]);
  expect([...world.tick().unwatched]).toEqual([lost]);
});

test('nothing is held for it before somebody asks, and in a stored world neither', () => {
  const { world } = settledWorld();
  const before = world.stats().memoryBytes;
  world.tick();
  expect(world.stats().memoryBytes).toBe(before);
  const slots = 12 * World.restore(world.snapshot()).slotCount;
  void world.lastChanges.watched;
  expect(world.stats().memoryBytes).toBeGreaterThanOrEqual(before + slots);
});

test('with debug, what is kept of it is spoilt, and what is read late throws', () => {
  const world = new World({ debug: true });
  const [, marker] = [world.add({ x: 0, y: 0, range: 5, marker: false }), world.add({ x: 1, y: 0 })];
  const first = world.tick();
  const { watched } = first;
  expect([...watched]).toEqual([marker]);
  world.tick();
  expect(() => world.position(watched[0])).toThrow(expect.objectContaining({ code: 'BAD_ID' }));
  expect(() => first.watched).toThrow(expect.objectContaining({ code: 'STALE_REPORT' }));
});

test('the first read while a tick computes is refused', () => {
  const errors: unknown[] = [];
  const rank = () => {
    try {
      void world.lastChanges.watched;
    } catch (error) {
      errors.push(error);
    }
    return 0;
  };
  const world = new World({ interests: { default: { cap: 1, rank } } });
  world.add({ x: 0, y: 0, range: 9, marker: false });
  world.addMany({ x: [1, 2], y: [0, 0] });
  world.tick();
  expect(errors.length).toBeGreaterThan(0);
  for (const error of errors) {
    expect(error).toBeInstanceOf(UmweltError);
    expect(error).toMatchObject({ code: 'REENTRANT_TICK' });
  }
});

test('mistakes are told', async () => {
  const world = new World({ interests: { some: {} } });
  const bad = (details: object) => expect.objectContaining({ code: 'BAD_OPTION', details });
  expect(() => world.on('watched', 5 as never)).toThrow(bad({ field: 'listener', value: 5 }));
  expect(() => world.on('watched' as 'enter', () => {}, { interest: 'some' })).toThrow(
    bad({ field: 'interest', value: 'some' }),
  );
  expect(() => world.on('watch' as 'watched', () => {})).toThrow("'watched' or 'unwatched'");
  const { lastChanges } = world;
  await world.dispose();
  expect(() => lastChanges.watched).toThrow(expect.objectContaining({ code: 'DISPOSED' }));
  expect(() => world.on('watched', () => {})).toThrow(expect.objectContaining({ code: 'DISPOSED' }));
});

test('once relations are counted, the number of watchers is known without a search, also between ticks', () => {
  const { world, left, right, lost, shared } = settledWorld();
  void world.lastChanges.watched;
  const counts = () => [lost, shared].map((marker) => world.watcherCount(marker));
  expect(counts()).toEqual([1, 2]);
  world.remove(left);
  expect(counts()).toEqual([0, 1]);
  world.remove(right);
  expect(counts()).toEqual([0, 0]);
  const third = world.add({ x: 4, y: 0, range: 6, marker: false });
  expect(counts()).toEqual([0, 0]);
  world.tick();
  expect(counts()).toEqual([1, 1]);
  world.remove(third);
  expect(counts()).toEqual([0, 0]);
  world.tick();
  expect(counts()).toEqual([0, 0]);
});
