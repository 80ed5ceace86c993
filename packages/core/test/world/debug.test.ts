/**
 * `debug: true`: what is kept of a tick beyond its time is noticed, whichever way it is read; and nothing else differs.
 */
import { describe, expect, test } from 'vitest';
import { createScript, runScript } from '../../src/conformance/index.ts';
import { detectorNames, type EntityId, RecordedWorld, UmweltError, World } from '../../src/index.ts';

const KINDS = ['entered', 'left', 'updated', 'sensed'] as const;
const BAD = expect.objectContaining({ code: 'BAD_ID', message: expect.stringContaining('slice()') });
const STALE = expect.objectContaining({ code: 'STALE_REPORT', message: expect.stringContaining('slice()') });

/** A world whose last tick has something in every list. */
function busyWorld(world = new World({ debug: true, senses: ['sight', 'hearing'] })) {
  const range = { sight: 10, hearing: 5 };
  const watcher = world.add({ x: 0, y: 0, range });
  const [leaver, mover, dead] = world.addMany({ x: [1, 2, 3], y: [0, 0, 0] });
  world.tick();
  world.move(leaver, 200, 0);
  world.move(mover, 8, 0);
  world.remove(dead);
  const enterer = world.add({ x: 4, y: 0 });
  const changes = world.tick();
  return { world, watcher, leaver, mover, dead, enterer, changes };
}

/** All that hands out ids of a tick. */
function listsOf(changes: ReturnType<World['tick']>): Uint32Array[] {
  const lists = [...changes].flatMap((view) => KINDS.map((kind) => view[kind]));
  const columns = KINDS.flatMap((kind) => {
    const { watchers, markers } = changes.columns(kind);
    return [watchers, markers];
  });
  return [...lists, ...columns, changes.removed].filter((list) => list.length > 0);
}

test('a kept list holds no id after the next tick, and every call says why', () => {
  const { world, changes } = busyWorld();
  const lists = listsOf(changes);
  expect(lists.length).toBe(4 + 8 + 1);
  for (const list of lists) for (const id of list) expect(world.slotOf(id)).toBe(id >>> 10);
  const lengths = lists.map(({ length }) => length);
  world.tick();
  expect(lists.map(({ length }) => length)).toEqual(lengths);
  const calls: ((id: EntityId) => unknown)[] = [
    (id) => world.position(id),
    (id) => world.slotOf(id),
    (id) => world.touch(id),
    (id) => world.visibleTo(id),
    (id) => world.removeMany(Uint32Array.of(id)),
  ];
  for (const list of lists) {
    for (const id of list) {
      expect(world.has(id)).toBe(false);
      for (const call of calls) expect(() => call(id)).toThrow(BAD);
    }
  }
});

test('rows of kept columns are as long as they were', () => {
  const { world, changes, watcher } = busyWorld();
  const { count, watchers, offsets, markers } = changes.columns('left');
  expect([count, watchers[0]]).toEqual([1, watcher]);
  expect(offsets[1] - offsets[0]).toBe(2);
  world.tick();
  expect(offsets[1] - offsets[0]).toBe(2);
  expect(() => world.position(markers[offsets[0]])).toThrow(BAD);
});

test('a copy by slice() is kept', () => {
  const { world, changes, watcher, dead, leaver } = busyWorld();
  const left = changes.of(watcher)?.left.slice();
  world.tick();
  world.tick();
  expect([...(left ?? [])]).toEqual([leaver, dead]);
});

test('what is read late of changes and views throws', () => {
  const { world, changes, watcher } = busyWorld();
  const view = changes.of(watcher);
  world.tick();
  for (const kind of KINDS) {
    expect(() => view?.[kind]).toThrow(STALE);
    expect(() => changes.columns(kind)).toThrow(STALE);
  }
  expect(() => changes.of(watcher)).toThrow(STALE);
  expect(() => [...changes]).toThrow(STALE);
  expect(() => changes.viewCount).toThrow(STALE);
  expect(() => changes.hash()).toThrow(UmweltError);
  expect(changes.enteredCount).toBe(1);
});

test('a loop over a tick in which the next one is made is noticed', () => {
  const { world, changes, watcher } = busyWorld();
  const seen: EntityId[] = [];
  const loop = () => {
    for (const view of changes) {
      world.tick();
      seen.push(...view.left);
    }
  };
  expect(loop).toThrow(STALE);
  expect(seen).toEqual([]);
  expect(world.has(watcher)).toBe(true);
});

test('lists stay while a tick fails, since nothing has changed', () => {
  let isFatal = false;
  const rank = () => {
    if (isFatal) throw new Error('a mistake in rank');
    return 0;
  };
  const world = new World({ debug: true, interests: { default: { cap: 1, rank } } });
  const [watcher, ...markers] = world.addMany({ x: [0, 1, 2], y: [0, 0, 0], range: 9 });
  const changes = world.tick();
  const entered = changes.of(watcher)?.entered ?? new Uint32Array(0);
  isFatal = true;
  world.move(markers[1], 0.5, 0);
  expect(() => world.tick()).toThrow('a mistake in rank');
  expect([...entered]).toEqual([markers[0]]);
  expect([...(world.lastChanges.of(watcher)?.entered ?? [])]).toEqual([markers[0]]);
  isFatal = false;
  world.tick();
  expect(() => world.position(entered[0])).toThrow(BAD);
});

test.each([World, RecordedWorld])('a restored %o takes it, and does not store it', (Made) => {
  const { world } = busyWorld();
  const bytes = world.snapshot();
  const kept = (restored: World) => {
    const { removed } = busyWorld(restored).changes;
    restored.tick();
    return () => restored.position(removed[0]);
  };
  expect(kept(Made.restore(bytes, { debug: true }))).toThrow(BAD);
  expect(kept(Made.restore(bytes))).toThrow(expect.objectContaining({ code: 'STALE_ID' }));
});

test.each(['yes', 1, null])('debug: %j is a BAD_OPTION', (debug) => {
  const fault = expect.objectContaining({ code: 'BAD_OPTION', details: { field: 'debug', value: debug } });
  expect(() => new World({ debug: debug as never })).toThrow(fault);
  expect(() => World.restore(new World().snapshot(), { debug: debug as never })).toThrow(fault);
});

describe.each(detectorNames)('with %s', (detector) => {
  test('a world with debug reports what the model reports', () => {
    for (let seed = 1; seed <= 20; seed++) {
      const script = createScript(seed, { operations: 150, entities: 12, interests: true });
      expect(runScript(script, { detector, options: { debug: true } }), `seed ${seed}`).toBeUndefined();
    }
  });
});
