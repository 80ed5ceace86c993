/**
 * Watchers with caps that all come to one place in one tick, by a leap or through a change of channel: no row says yet how many
 * markers they perceive, so they are searched at once, and the pairs beyond their caps are never listed. And watchers without a row
 * that all reach their caps in one tick.
 */
import { describe, expect, test } from 'vitest';
import { type EntityPatch, type Interest, World } from '../../src/index.ts';
import { searchShares } from '../../src/interest/seats/searched-watchers.ts';
import { storeOf } from '../../src/world.ts';
import { NEVER_SEARCHED, numbersFrom, oneOf, withShares } from './searched-lives.ts';

const isHidden = (world: World, id: number) =>
  !storeOf(world).last.isWatcher(id >>> 10) && storeOf(world).last.perceives(id >>> 10);

/** `count` watchers of range 10, cap 5, each 100 units from the next. */
function apart(count: number, dimensions: 2 | 3 = 2): { world: World; ids: Uint32Array } {
  const world = new World({ dimensions, interests: { default: { cap: 5 } } });
  const x = Float32Array.from({ length: count }, (_, i) => 100 * i);
  const z = dimensions === 3 ? { z: new Float32Array(count) } : {};
  const ids = world.addMany({ x, y: new Float32Array(count), ...z, range: 10 });
  world.tick();
  return { world, ids };
}

test('those who leap to one place never reach the detector', () => {
  const { world, ids } = apart(300);
  for (const id of ids) world.move(id, 50_000, 7);
  world.tick();
  expect(ids.every((id) => isHidden(world, id))).toBe(true);
  expect([...world.visibleTo(ids[200] as number)]).toEqual([...ids.subarray(0, 5)]);
});

test('those who leap to one floor of a tower never reach the detector', () => {
  const { world, ids } = apart(300, 3);
  ids.forEach((id, i) => {
    world.move(id, 0, 0, 100 * i);
  });
  world.tick();
  for (const id of ids) world.move(id, 0, 0, -500);
  world.tick();
  // The one at floor 0 was perceived by nobody, like all others.
  expect(ids.every((id) => isHidden(world, id))).toBe(true);
});

test('those who went home again are no longer searched, though in each tick some reach their caps', () => {
  const { world, ids } = apart(320);
  for (const id of ids) world.move(id, 50_000, 7);
  world.tick();
  expect(ids.every((id) => isHidden(world, id))).toBe(true);
  // Eight at each place perceive seven each. In each tick those of one place leave it, and those who left come back.
  const places = ids.length / 8;
  for (let tick = 0; tick < 100; tick++) {
    ids.forEach((id, i) => {
      const place = i % places;
      const isAway = (place + tick) % 4 === 0;
      world.move(id, 100 * place, isAway ? 1000 * Math.floor(i / places) : 0);
    });
    world.tick();
  }
  expect(ids.some((id) => isHidden(world, id))).toBe(false);
});

test.each<[string, (reach: number) => EntityPatch]>([
  ['bells', (reach) => ({ minReach: reach })],
  ['horns', (reach) => ({ gain: reach / 10 })],
])('those who reach their caps together lose the %s that they perceived from afar', (_, loudAt) => {
  const world = new World({ interests: { default: { cap: 3 } } });
  const indices = Array.from({ length: 40 }, (_, i) => i);
  const placed = (x: number, y: number, init: EntityPatch) =>
    indices.map((i) => world.add({ x: 1000 * i + x, y, ...init }));
  const ids = placed(0, 0, { range: 10, marker: false, updates: false });
  // More than are listed as loud. Each is heard by one watcher, and none as far as the next one.
  const loud = indices.map((i) => world.add({ x: 1000 * i, y: 300 + 10 * i, ...loudAt(305 + 10 * i) }));
  const others = Array.from({ length: 5 }, (_, i) => placed(i, 1, { marker: false }));
  world.tick();
  expect(ids.map((id) => Array.from(world.visibleTo(id)))).toEqual(loud.map((marker) => [marker]));
  for (const id of others.flat()) world.update(id, { marker: true });
  const changes = world.tick();
  expect(ids.map((id) => Array.from(changes.of(id)!.left))).toEqual(loud.map((marker) => [marker]));
  world.validate();
});

interface Change {
  readonly channel?: number;
  readonly sees?: number;
  readonly range?: number;
}

test.each<[string, Change, Change]>([
  ['come into one channel', { channel: 7 }, { channel: 1 }],
  ['begin to see', { sees: 0 }, { sees: 1 }],
  ['see farther', { range: 0.5 }, { range: 10 }],
])('those who %s together never reach the detector', (_, before, after) => {
  const world = new World({ interests: { default: { cap: 5 } } });
  const ids = Array.from({ length: 300 }, (_, i) => {
    const channel = before.channel === undefined ? 0 : before.channel + i;
    return world.add({ x: i % 20, y: Math.floor(i / 20), range: 10, ...before, channel });
  });
  world.tick();
  // Those who see nothing may have been taken for a crowd at first.
  for (const id of ids) world.touch(id);
  world.tick();
  for (const id of ids) world.touch(id);
  world.tick();
  expect(ids.some((id) => isHidden(world, id))).toBe(false);
  for (const id of ids) world.update(id, after);
  world.tick();
  expect(ids.every((id) => isHidden(world, id))).toBe(true);
});

test('a few thousand who gather among very many others are known to be many', () => {
  const world = new World({ interests: { default: { cap: 5 } } });
  const count = 100_000;
  const x = Float32Array.from({ length: count }, (_, i) => 10 * (i % 1000));
  const y = Float32Array.from({ length: count }, (_, i) => 10 * Math.floor(i / 1000));
  const ids = world.addMany({ x, y });
  for (const id of ids.subarray(0, 1000)) world.update(id, { range: 4 });
  world.tick();
  for (const id of ids.subarray(0, 1000)) world.move(id, 5005, 505);
  world.tick();
  expect(ids.subarray(0, 1000).every((id) => isHidden(world, id))).toBe(true);
});

describe('compared with a world in which each watcher has a row', () => {
  const interestOf = (random: () => number): Interest => ({
    cap: oneOf(random, [4, 8, 15]),
    ...(random() < 0.4 ? { leaveMargin: oneOf(random, [1, 8]) } : {}),
    ...(random() < 0.4 ? { minDwellTicks: oneOf(random, [2, 6]) } : {}),
    ...(random() < 0.4 ? { memoryTicks: 3 } : {}),
    ...(random() < 0.4 ? { incumbentBonus: 0.5 } : {}),
    ...(random() < 0.2 ? { mutual: true } : {}),
    ...(random() < 0.2 ? { showGroup: true } : {}),
    ...(random() < 0.2 ? { updateRates: [[1, 2]] as [number, number][] } : {}),
  });

  test.each(Array.from({ length: 20 }, (_, seed) => [seed]))('life %i reports the same', (seed) => {
    const random = numbersFrom(seed);
    const interests = { default: interestOf(random), other: interestOf(random) };
    const worlds = [new World({ interests }), new World({ interests })] as const;
    const both = (act: (world: World) => void) => worlds.forEach(act);
    const anywhere = () => random() * 400;
    const ids = Array.from({ length: 120 }, () => {
      const at = { x: anywhere(), y: anywhere(), range: 30, channel: random() < 0.2 ? 1 : 0 };
      const rest = { interest: random() < 0.7 ? 'default' : 'other', updates: random() < 0.7 };
      const group = random() < 0.1 ? { group: 1 } : {};
      return worlds.map((world) => world.add({ ...at, ...rest, ...group }))[0] as number;
    });
    let gathered = 0;
    for (let tick = 0; tick < 24; tick++) {
      const isGathering = tick > 2 && random() < 0.3;
      const share = random();
      const spot = { x: anywhere(), y: anywhere(), wide: oneOf(random, [0, 5, 30]) };
      for (const id of ids) {
        const [x, y] = worlds[0].position(id) as unknown as [number, number];
        const to =
          isGathering && random() < share
            ? { x: spot.x + random() * spot.wide, y: spot.y + random() * spot.wide }
            : { x: x + random() - 0.5, y: y + random() - 0.5 };
        both((world) => world.move(id, to.x, to.y));
      }
      if (random() < 0.15) for (const id of ids) both((world) => world.update(id, { channel: tick % 3 }));
      if (random() < 0.15) for (const id of ids) both((world) => world.update(id, { range: 15 + tick }));
      // Then those without a row reach their caps together.
      if (random() < 0.3) for (const id of ids) both((world) => world.update(id, { gain: tick % 2 }));
      const [one, other] = [oneOf(random, ids), oneOf(random, ids)];
      const isPin = random() < 0.5;
      if (one !== other) both((world) => (isPin ? world.pin(one, other) : world.block(one, other)));
      const got = withShares({ ...searchShares, ofAll: 0 }, () => worlds[0].tick());
      const expected = withShares(NEVER_SEARCHED, () => worlds[1].tick());
      expect([tick, got.hash()]).toEqual([tick, expected.hash()]);
      worlds[0].validate();
      for (const id of ids.slice(0, 5)) expect(worlds[0].visibleTo(id)).toEqual(worlds[1].visibleTo(id));
      gathered += ids.filter((id) => isHidden(worlds[0], id)).length;
    }
    // Otherwise nothing was compared.
    expect(gathered).toBeGreaterThan(20);
  });
});
