/** What callers may say of attachments, and what a world with some holds besides relations. */
import { describe, expect, test } from 'vitest';
import { detectorNames, type Interest, RecordedWorld, Replay, UmweltError, World } from '../../src/index.ts';

function faultOf(run: () => void): [code: string, field: string | undefined] {
  try {
    run();
  } catch (error) {
    if (!(error instanceof UmweltError)) throw error;
    return [error.code, error.details.field];
  }
  return ['none', undefined];
}

describe('attach refuses, and changes nothing', () => {
  const cases: readonly [string, (world: World, child: number, parent: number) => void, string, string?][] = [
    [
      'an offset that is no number',
      (world, a, b) => world.attach(a, b, { x: Number.NaN }),
      'BAD_POSITION',
      'offset.x',
    ],
    ['one beyond the limit', (world, a, b) => world.attach(a, b, { y: -2e12 }), 'BAD_POSITION', 'offset.y'],
    ['text', (world, a, b) => world.attach(a, b, { x: '1' as never }), 'BAD_POSITION', 'offset.x'],
    ['an unknown key', (world, a, b) => world.attach(a, b, { w: 1 } as never), 'BAD_OPTION', 'w'],
    ['null', (world, a, b) => world.attach(a, b, null as never), 'BAD_OPTION', 'offset'],
    ['what never was an id', (world, a) => world.attach(a, 77), 'BAD_ID'],
    ['an entity and itself', (world, a) => world.attach(a, a), 'BAD_ID'],
  ];
  test.each(cases)('%s', (_, run, code, field) => {
    const world = new World();
    const [child, parent] = [world.add({ x: 0, y: 0 }), world.add({ x: 5, y: 5 })];
    expect(faultOf(() => run(world, child, parent))).toEqual([code, field]);
    expect([world.parentOf(child), world.attachedCount]).toEqual([undefined, 0]);
    expect([...world.position(child)]).toEqual([0, 0]);
  });

  test('a ring, and says between which two', () => {
    const world = new World();
    const [horse, rider, sword] = world.addMany({ x: [0, 1, 2], y: [0, 0, 0] }) as unknown as [
      number,
      number,
      number,
    ];
    world.attach(rider, horse);
    world.attach(sword, rider);
    expect([horse, sword]).toEqual([1, 2049]);
    expect(() => world.attach(horse, sword)).toThrow(
      '1 cannot be attached to 2049, which is attached to it, directly or through others: expected no ring',
    );
    expect(world.parentOf(horse)).toBeUndefined();
  });

  test('one that is gone, on either side', () => {
    const world = new World();
    const [one, gone] = [world.add({ x: 0, y: 0 }), world.add({ x: 5, y: 5 })];
    world.remove(gone);
    expect(faultOf(() => world.attach(one, gone))[0]).toBe('STALE_ID');
    expect(faultOf(() => world.attach(gone, one))[0]).toBe('STALE_ID');
    expect(faultOf(() => world.detach(gone))[0]).toBe('STALE_ID');
    expect(faultOf(() => world.parentOf(gone))[0]).toBe('STALE_ID');
  });
});

test('children are listed ascending, as many as fit', () => {
  const world = new World();
  const ids = Array.from({ length: 5 }, () => world.add({ x: 0, y: 0 }));
  for (const child of [ids[4], ids[1], ids[3]]) world.attach(child as number, ids[0] as number);
  expect([...world.childrenOf(ids[0] as number)]).toEqual([ids[1], ids[3], ids[4]]);
  const out = new Uint32Array(2);
  expect(world.childrenOfInto(ids[0] as number, out)).toBe(3);
  expect([...out]).toEqual([ids[1], ids[3]]);
  expect([world.attachedCount, world.stats().attachedCount]).toEqual([3, 3]);
  world.remove(ids[0] as number);
  expect(world.attachedCount).toBe(0);
});

test('a chain of the largest offsets ends at the limit of positions, and can be stored', () => {
  const world = new World();
  const chain = Array.from({ length: 9 }, () => world.add({ x: 1e12, y: 0, range: 5 }));
  for (let i = 1; i < 9; i++) world.attach(chain[i] as number, chain[i - 1] as number, { x: 1e12, y: -1e12 });
  world.tick();
  const limit = Math.fround(1e12);
  expect([...world.position(chain[8] as number)]).toEqual([limit, -limit]);
  expect(World.restore(world.snapshot()).tick().viewCount).toBe(0);
});

test('children are found where they are now by questions of this moment, and where they were by the others', () => {
  const world = new World();
  const [cart, load] = [world.add({ x: 0, y: 0 }), world.add({ x: 0, y: 0 })];
  world.attach(load, cart, { y: 3 });
  world.tick();
  world.move(cart, 100, 0);
  const around = (x: number, y: number, now: boolean) => [
    ...world.query({ kind: 'circle', x, y, radius: 1 }, { now }),
  ];
  expect([around(100, 3, true), around(0, 3, true)]).toEqual([[load], []]);
  expect([around(100, 3, false), around(0, 3, false)]).toEqual([[], [load]]);
  world.moveMany(Uint32Array.of(cart), [200], [0]);
  expect(around(200, 3, true)).toEqual([load]);
});

test('a recording attaches and detaches again', () => {
  const world = new RecordedWorld();
  const pieces: Uint8Array[] = [];
  world.record((bytes) => pieces.push(bytes));
  const [watcher, horse, rider] = [0, 3, 50].map((x) => world.add({ x, y: 0, range: 10 })) as [
    number,
    number,
    number,
  ];
  world.attach(rider, horse, { x: 0.1 });
  world.tick();
  world.detach(rider);
  world.move(horse, 40, 0);
  world.tick();
  expect([...world.visibleTo(watcher)]).toEqual([rider]);
  world.stopRecording();
  const replay = new Replay(Buffer.concat(pieces));
  while (replay.step() !== undefined);
  expect(replay.difference).toBeUndefined();
  expect([...replay.world.position(rider)]).toEqual([Math.fround(3 + Math.fround(0.1)), 0]);
});

describe('attached in the tick in which the rules of its watchers change', () => {
  const rules: readonly [string, Interest, number][] = [
    ['a group, and a cap', { showGroup: true, cap: 2 }, 50],
    ['a group, and lingering', { showGroup: true, lingerTicks: 3 }, 50],
    ['a group, and quotas', { showGroup: true, quotas: [{ layers: 1, cap: 1 }] }, 50],
    ['a group', { showGroup: true }, 50],
    ['the margin', { leaveMargin: 30 }, 40],
    ['the margin, and a row', { leaveMargin: 30, cap: 40, memoryTicks: 5 }, 40],
  ];

  test.each(rules)('one related by %s is told as left, on every detector', (_, interest, x) => {
    for (const detector of detectorNames) {
      if (detector === 'nine-grid') continue;
      const world = new World({ detector, interests: { few: interest } });
      const watcher = world.add({ x: 0, y: 0, range: 20, interest: 'few', group: 2 });
      const rider = world.add({ x: 15, y: 0, group: 2 });
      const horse = world.add({ x: 200, y: 0 });
      for (let i = 0; i < 30; i++) world.add({ x: 16 + i / 10, y: 0, range: 20 });
      world.tick();
      world.move(rider, x, 0);
      world.tick();
      expect(world.related(watcher, rider), detector).toBe(true);
      world.setInterest('few', { cap: 1 });
      world.attach(rider, horse, { x: 1 });
      const view = [...world.tick()].find((each) => each.watcher === watcher);
      expect([...(view?.left ?? [])], detector).toContain(rider);
      expect([...(view?.updated ?? [])], detector).not.toContain(rider);
      expect(world.related(watcher, rider), detector).toBe(false);
      world.validate();
    }
  });
});

test('thousands of markers attached to one in a tick are not visited each for all others', () => {
  const world = new World();
  const count = 8000;
  const ids = world.addMany({
    x: Float32Array.from({ length: count }, (_, i) => 3 * i),
    y: new Float32Array(count),
  });
  const watcher = world.add({ x: 0, y: 5, range: 10 });
  world.tick();
  expect(world.visibleTo(watcher).length).toBe(3);
  for (const id of ids.subarray(1)) world.attach(id, ids[0]!);
  const startMs = performance.now();
  world.tick();
  // Some 0.1 s; by pairs it took 9 s.
  expect(performance.now() - startMs).toBeLessThan(3000);
  expect(world.visibleTo(watcher).length).toBe(count);
});

test('a ferry that casts off hides riders from a passenger that related to them only as members of its own ship', () => {
  const world = new World();
  const [ship, ferry] = [world.add({ x: 0, y: 0 }), world.add({ x: 0, y: 0 })];
  const mount = world.add({ x: 0, y: 0, layers: 2 });
  const rider = world.add({ x: 0, y: 0 });
  const passenger = world.add({ x: 0, y: 0, range: 10, sees: 1 });
  world.attach(ferry, ship);
  world.attach(mount, ferry);
  world.attach(rider, mount);
  world.attach(passenger, ship);
  world.tick();
  expect([...world.visibleTo(passenger)]).toEqual([ship, ferry, rider]);
  world.detach(ferry);
  const changes = world.tick();
  expect([...(changes.of(passenger)?.left ?? [])]).toEqual([rider]);
  expect([...world.visibleTo(passenger)]).toEqual([ship, ferry]);
  world.validate();
});

test('one that ceases to watch while it boards loses what it carries', () => {
  const world = new World();
  const item = world.add({ x: 0, y: 0 });
  const bearer = world.add({ x: 100, y: 0, range: 5 });
  const ship = world.add({ x: 0, y: 300 });
  world.attach(item, bearer);
  world.tick();
  expect([...world.visibleTo(bearer)]).toEqual([item]);
  world.attach(bearer, ship);
  world.update(bearer, { watches: false });
  expect([...(world.tick().of(bearer)?.left ?? [])]).toEqual([item]);
  world.validate();
});

test('thousands at one place are attached to thousands of others in one tick without a look at each pair', () => {
  const count = 8000;
  const world = new World();
  const zeros = new Float32Array(count);
  const ids = world.addMany({ x: zeros, y: zeros, range: 10, watches: false });
  const watcher = world.add({ x: 0, y: 5, range: 10 });
  world.tick();
  for (let i = 0; i < count; i += 2) world.attach(ids[i + 1]!, ids[i]!);
  const startMs = performance.now();
  const changes = world.tick();
  // Some 0.1 s; by a search for each of them it took 5 s.
  expect(performance.now() - startMs).toBeLessThan(3000);
  expect(changes.leftCount + changes.enteredCount).toBe(0);
  expect(world.visibleTo(watcher).length).toBe(count);
});
