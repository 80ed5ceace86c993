/**
 * What a tick returns: views, `of`, columns; that they agree, and that they hold until the next tick whatever is called
 * in between.
 */
import { describe, expect, test } from 'vitest';
import { Random } from '../../src/conformance/random.ts';
import { type Changes, detectorNames, World } from '../../src/index.ts';

const KINDS = ['entered', 'left', 'updated', 'sensed'] as const;

/** A crowd of two senses that walks, with comings and goings; returns the report of the last of some ticks. */
function livelyWorld(detector: (typeof detectorNames)[number] = 'sweep'): { world: World; changes: Changes } {
  const world = new World({ senses: ['sight', 'hearing'], detector });
  const random = new Random(2);
  const add = () =>
    world.add({
      x: random.between(-50, 50),
      y: random.between(-20, 20),
      range: { sight: random.below(12), hearing: random.below(9) },
      updates: random.chance(0.7),
    });
  for (let i = 0; i < 150; i++) add();
  for (let tick = 0; tick < 4; tick++) {
    world.tick();
    for (const id of world.ids()) {
      const [x, y] = world.position(id);
      if (random.chance(0.8)) world.move(id, x + random.between(-3, 3), y + random.between(-3, 3));
      else if (random.chance(0.1)) world.remove(id);
      else if (random.chance(0.2)) world.touch(id);
    }
    for (let i = 0; i < 5; i++) add();
  }
  return { world, changes: world.tick() };
}

/** A report copied out, by every way of reading it. */
function copyOf(changes: Changes) {
  return {
    tick: changes.tick,
    counts: [changes.viewCount, ...KINDS.map((kind) => changes[`${kind}Count`])],
    removed: [...changes.removed],
    views: [...changes].map((view) => [view.watcher, ...KINDS.map((kind) => [...view[kind]])]),
    columns: KINDS.map((kind) => rowsOf(changes, kind)),
    hash: changes.hash(),
  };
}

function rowsOf(changes: Changes, kind: (typeof KINDS)[number]): [number, number[]][] {
  const { count, watchers, offsets, markers } = changes.columns(kind);
  return Array.from({ length: count }, (_, row) => [
    watchers[row],
    [...markers.subarray(offsets[row], offsets[row + 1])],
  ]);
}

function isAscending(ids: readonly number[]): boolean {
  return ids.every((id, i) => i === 0 || ids[i - 1] < id);
}

describe.each(detectorNames)('with %s', (detector) => {
  test('only watchers with something to report have a view, by ascending id, with ascending lists', () => {
    const { changes } = livelyWorld(detector);
    const views = [...changes];
    expect(views.length).toBe(changes.viewCount);
    expect(views.length).toBeGreaterThan(50);
    expect(isAscending(views.map(({ watcher }) => watcher))).toBe(true);
    for (const view of views) {
      expect(KINDS.some((kind) => view[kind].length > 0)).toBe(true);
      for (const kind of KINDS) expect(isAscending([...view[kind]])).toBe(true);
    }
    for (const kind of KINDS) {
      expect(changes[`${kind}Count`]).toBe(views.reduce((sum, view) => sum + view[kind].length, 0));
      expect(changes[`${kind}Count`]).toBeGreaterThan(0);
    }
    expect(isAscending([...changes.removed])).toBe(true);
  });

  test('columns hold the same rows as the views, ascending', () => {
    const { changes } = livelyWorld(detector);
    for (const kind of KINDS) {
      const rows = rowsOf(changes, kind).filter(([, markers]) => markers.length > 0);
      const views = [...changes].filter((view) => view[kind].length > 0);
      expect(rows).toEqual(views.map((view) => [view.watcher, [...view[kind]]]));
    }
  });
});

test('of() gives the view of a watcher, and undefined to whom there is nothing to report', () => {
  const { world, changes } = livelyWorld();
  const concerned = new Set([...changes].map(({ watcher }) => watcher));
  let idle = 0;
  for (const id of world.ids()) {
    const view = changes.of(id);
    expect(view?.watcher).toBe(concerned.has(id) ? id : undefined);
    if (view === undefined) idle++;
  }
  expect(idle).toBeGreaterThan(0);
  for (const view of changes) {
    const same = changes.of(view.watcher);
    for (const kind of KINDS) expect(same?.[kind]).toEqual(view[kind]);
  }
  const [one] = concerned;
  const never = [Symbol('id'), String(one), [one], null, undefined, Object.create(null)] as never[];
  for (const nobody of [0, 999 * 1024 + 1, -1, Number.NaN, ...never])
    expect(changes.of(nobody)).toBeUndefined();
});

test('a report can be read again and again, in part and from the middle', () => {
  const { changes } = livelyWorld();
  const copy = copyOf(changes);
  for (const view of changes) {
    expect(view.entered).toBe(view.entered);
    break;
  }
  const [one, other] = [changes[Symbol.iterator](), changes[Symbol.iterator]()];
  const first = one.next().value;
  one.next();
  expect(other.next().value?.watcher).toBe(first?.watcher);
  expect(copyOf(changes)).toEqual(copy);
});

test('a report stays valid until the next tick, whatever is called in between', () => {
  const { world, changes } = livelyWorld();
  const copy = copyOf(changes);
  const early = [...changes].map((view) => ({ view, entered: view.entered }));
  const ids = [...world.ids()];
  // Enough to make every column of the world grow several times over.
  world.addMany({ x: new Float32Array(100_000), y: new Float32Array(100_000), range: 3, gain: 2 });
  expect(copyOf(changes)).toEqual(copy);
  for (const id of ids) world.move(id, -1, -1);
  world.update(ids[0], { range: { hearing: 400 }, minReach: 7, layers: 5, sees: -1, channel: 3 });
  world.touch(ids[1]);
  expect(copyOf(changes)).toEqual(copy);
  world.removeMany(Uint32Array.from(ids));
  world.query({ kind: 'circle', x: 0, y: 0, radius: 1000 });
  world.nearest(0, 0, 50);
  world.ids();
  world.on('enter', () => {});
  expect(copyOf(changes)).toEqual(copy);
  for (const { view, entered } of early) expect([...entered]).toEqual([...view.entered]);
});

test('lists first read after the world has grown are the right ones', () => {
  const [read, unread] = [livelyWorld(), livelyWorld()];
  const copy = copyOf(read.changes);
  unread.world.addMany({ x: new Float32Array(50_000), y: new Float32Array(50_000) });
  expect(copyOf(unread.changes)).toEqual(copy);
});

test('a list first read when its tick is past and its row gone is empty', () => {
  const world = new World();
  world.addMany({ x: new Float32Array(20), y: new Float32Array(20), range: 1 });
  const views = [...world.tick()];
  world.tick();
  expect(views).toHaveLength(20);
  for (const { entered, updated } of views) expect([...entered, ...updated]).toEqual([]);
});

test('visibleTo and watchersOf are the sum of all that was entered and left', () => {
  const { world } = livelyWorld();
  const visible = new Map([...world.ids()].map((id) => [id, new Set(world.visibleTo(id))]));
  for (let tick = 0; tick < 6; tick++) {
    for (const id of world.ids()) world.move(id, (id % 89) + tick * 3, (id % 31) - tick);
    for (const { watcher, entered, left } of world.tick()) {
      for (const id of left) expect(visible.get(watcher)?.delete(id)).toBe(true);
      for (const id of entered) visible.get(watcher)?.add(id);
    }
    for (const [watcher, markers] of visible) {
      expect([...world.visibleTo(watcher)]).toEqual([...markers].sort((one, other) => one - other));
      for (const marker of markers) expect(world.watchersOf(marker)).toContain(watcher);
    }
  }
});

test('visibleTo and watchersOf fill `out`, and their Into forms answer the whole count', () => {
  const world = new World();
  const [watcher, ...markers] = world.addMany({ x: [0, 1, 2, 3], y: [0, 0, 0, 0], range: 10 });
  world.tick();
  const out = new Uint32Array(5).fill(7);
  const visible = world.visibleTo(watcher, out);
  expect([...visible]).toEqual(markers);
  expect(visible.buffer).toBe(out.buffer);
  expect([...out]).toEqual([...markers, 7, 7]);
  const tight = new Uint32Array(2);
  expect([...world.visibleTo(watcher, tight)]).toEqual(markers);
  expect(world.visibleToInto(watcher, tight)).toBe(3);
  expect([...tight]).toEqual(markers.slice(0, 2));
  expect(world.watchersOfInto(watcher, tight)).toBe(3);
  expect([...tight]).toEqual(markers.slice(0, 2));
  expect([...world.watchersOf(watcher, out)]).toEqual(markers);
});

test('fresh lists stay as they were when the world goes on', () => {
  const { world } = livelyWorld();
  const lists = [...world.ids()].map((id) => world.visibleTo(id));
  const copies = lists.map((list) => [...list]);
  for (const id of world.ids()) world.remove(id);
  world.addMany({ x: new Float32Array(20_000), y: new Float32Array(20_000) });
  world.tick();
  world.tick();
  expect(lists.map((list) => [...list])).toEqual(copies);
});

test('position() is float32, now, into `out` when given', () => {
  for (const dimensions of [2, 3] as const) {
    const world = new World({ dimensions });
    const id = world.add({ x: 0.1, y: -0.2, z: 0.3 });
    const expected = [0.1, -0.2, 0.3].slice(0, dimensions).map(Math.fround);
    expect([...world.position(id)].slice(0, dimensions)).toEqual(expected);
    world.move(id, 5, 6, 7);
    expect([...world.position(id)].slice(0, dimensions)).toEqual([5, 6, 7].slice(0, dimensions));
    const out = new Float32Array(3);
    expect(world.position(id, out).buffer).toBe(out.buffer);
    expect([...out].slice(0, dimensions)).toEqual([5, 6, 7].slice(0, dimensions));
    const fresh = world.position(id);
    world.move(id, 0, 0, 0);
    expect([...fresh].slice(0, dimensions)).toEqual([5, 6, 7].slice(0, dimensions));
  }
});

test('the position at the tick is that of its report, whatever was moved since', () => {
  for (const dimensions of [2, 3] as const) {
    const world = new World({ dimensions });
    const id = world.add({ x: 1, y: 2, z: 3 });
    const child = world.add({ x: 0, y: 0, z: 0 });
    world.attach(child, id, { x: 10 });
    const placesAtTick = (one: number) => [...world.positionAtTick(one)];
    const expected = (x: number) => [x, 2, 3].slice(0, dimensions);
    world.tick();
    world.move(id, 5, 2, 3);
    const newcomer = world.add({ x: 7, y: 2, z: 3 });
    expect([id, child, newcomer].map(placesAtTick)).toEqual([1, 11, 7].map(expected));
    world.tick();
    expect([id, child, newcomer].map(placesAtTick)).toEqual([5, 15, 7].map(expected));
    const out = new Float32Array(3);
    expect(world.positionAtTick(id, out).buffer).toBe(out.buffer);
    // A listener is within the tick that it hears of.
    const heard: number[][] = [];
    world.update(newcomer, { range: 3 });
    world.on('enter', (_, marker) => {
      if (marker !== id) return;
      world.move(id, 50, 50, 50);
      heard.push(placesAtTick(id));
    });
    world.tick();
    expect(heard).toEqual([expected(5)]);
  }
});

test('stats count what the last tick did and who is present', () => {
  const { world, changes } = livelyWorld();
  const stats = world.stats() as unknown as Record<string, unknown>;
  expect(stats.tick ?? world.tickCount).toBe(changes.tick);
  expect(Object.values(stats)).toContain(world.size);
});
