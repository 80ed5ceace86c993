/**
 * Slots, by which users index columns of their own: for how long one is answered, and how many there are.
 */
import { describe, expect, test } from 'vitest';
import { Random } from '../../src/conformance/random.ts';
import { detectorNames, type EntityId, World } from '../../src/index.ts';

const STALE = expect.objectContaining({ name: 'UmweltError', code: 'STALE_ID' });

describe.each(detectorNames)('with %s', (detector) => {
  test('a leave listener finds the slot of one that was removed', () => {
    const world = new World({ detector });
    const watcher = world.add({ x: 0, y: 0, range: 10 });
    const marker = world.add({ x: 1, y: 0 });
    const slot = world.slotOf(marker);
    world.tick();
    world.remove(marker);
    const found: number[] = [];
    world.on('leave', (_, left) => found.push(world.slotOf(left)));
    const changes = world.tick();
    expect(found).toEqual([slot]);
    // Also afterwards, for whoever reads views or columns.
    expect([...(changes.of(watcher)?.left ?? [])].map((id) => world.slotOf(id))).toEqual([slot]);
    world.tick();
    expect(() => world.slotOf(marker)).toThrow(STALE);
  });
});

test('whoever is named as removed has its slot until the next tick, whether or not anybody knew it', () => {
  const world = new World();
  const [alone, ghost] = [world.add({ x: 0, y: 0 }), world.add({ x: 500, y: 0 })];
  world.remove(ghost);
  expect(() => world.slotOf(ghost)).toThrow(STALE);
  world.tick();
  world.remove(alone);
  expect([...world.lastChanges.removed]).toEqual([ghost]);
  expect(world.slotOf(ghost)).toBe(ghost >>> 10);
  expect(() => world.slotOf(alone)).toThrow(STALE);
  world.tick();
  expect(world.slotOf(alone)).toBe(alone >>> 10);
  expect(() => world.slotOf(ghost)).toThrow(STALE);
  world.tick();
  expect(() => world.slotOf(alone)).toThrow(STALE);
});

test('one that the report names keeps its slot when a listener removes it', () => {
  const world = new World();
  const [first, second] = world.addMany({ x: [0, 1], y: [0, 0], range: 10 });
  const bystander = world.add({ x: 900, y: 0 });
  const told: [EntityId, number][] = [];
  world.on('enter', (watcher, marker) => {
    if (watcher === first) world.removeMany(Uint32Array.of(second, bystander));
    told.push([marker, world.slotOf(marker)]);
  });
  world.tick();
  expect(told).toEqual([
    [second, second >>> 10],
    [first, first >>> 10],
  ]);
  expect(world.slotOf(second)).toBe(second >>> 10);
  // Nothing was reported of this one.
  expect(() => world.slotOf(bystander)).toThrow(STALE);
});

test('what never was an id has no slot, whatever was reported', () => {
  const world = new World();
  const id = world.add({ x: 0, y: 0 });
  world.remove(id);
  world.tick();
  for (const never of [0, id + 1, id + 0.5, -1, Number.NaN, '1025', null, undefined, Symbol('id'), 1n]) {
    expect(() => world.slotOf(never as number)).toThrow(expect.objectContaining({ code: 'BAD_ID' }));
  }
});

test('every slot is below slotCount, which is bounded by the fullest moment, a thousand and what was just removed', () => {
  const world = new World({ detector: 'nine-grid' });
  const random = new Random(9);
  let peak = 0;
  const removedIn = [0, 0, 0];
  let present: EntityId[] = [];
  let most = 0;
  for (let tick = 0; tick < 300; tick++) {
    const count = random.below(random.chance(0.1) ? 3000 : 300);
    const at = new Float32Array(count);
    present.push(...world.addMany({ x: at, y: at }));
    peak = Math.max(peak, present.length);
    const going = present.filter(() => random.chance(0.4));
    world.removeMany(Uint32Array.from(going));
    removedIn.push(going.length);
    const waiting = removedIn.slice(-3).reduce((sum, each) => sum + each, 0);
    most = Math.max(most, peak + Math.max(1024, waiting));
    expect(world.slotCount).toBeLessThanOrEqual(most);
    present = present.filter((id) => world.has(id));
    const { removed } = world.tick();
    for (const id of [...present, ...removed]) {
      if (world.slotOf(id) >= world.slotCount)
        throw new Error(`slot of ${id} is not below ${world.slotCount}`);
    }
  }
  expect(world.slotCount).toBeGreaterThan(peak);
});

test('slotCount falls when a crowd has gone, and never below a slot that is answered', () => {
  const world = new World();
  const at = new Float32Array(50_000);
  const ids = world.addMany({ x: at, y: at });
  expect(world.slotCount).toBe(50_000);
  world.tick();
  world.removeMany(ids.subarray(10));
  for (let tick = 0; tick < 200; tick++) {
    const { removed } = world.tick();
    if (removed.length > 0) expect(world.slotOf(removed[removed.length - 1])).toBeLessThan(world.slotCount);
  }
  expect(world.slotCount).toBe(10);
  expect(World.restore(world.snapshot()).slotCount).toBe(10);
});
