/**
 * `rank` and `admit` are functions of the user: `tick` passes on what they throw, and then nothing has
 * changed.
 *
 * The world whose tick failed and was repeated is compared with a reference world without the error.
 */
import { describe, expect, test } from 'vitest';
import { type EntityId, type Interest, World } from '../../src/index.ts';

const RULES = ['rank', 'admit'] as const;

/** A busy world with everything that a tick may touch, and a switch that makes a rule throw. */
function stage(rule: (typeof RULES)[number]) {
  const trouble = { error: undefined as unknown, calls: 0, onCall: (_world: World): void => {} };
  const meddle = () => {
    trouble.calls++;
    trouble.onCall(world);
    if (trouble.error !== undefined && trouble.calls % 7 === 0) throw trouble.error;
  };
  const interest: Interest = {
    cap: 3,
    minDwellTicks: 2,
    memoryTicks: 3,
    leaveMargin: 2,
    showGroup: true,
    updateRates: [[1, 2]],
    ...(rule === 'rank'
      ? {
          rank: (_watcher: EntityId, _marker: EntityId, distance: number) => {
            meddle();
            return -distance;
          },
        }
      : {
          admit: (watcher: EntityId, marker: EntityId) => {
            meddle();
            return (watcher + marker) % 3 !== 0;
          },
        }),
  };
  const world = new World({ interests: { default: interest, plain: {} }, groups: ['party'] });
  const ids = [
    ...world.addMany({ x: Array.from({ length: 24 }, (_, i) => i), y: new Float32Array(24), range: 6 }),
  ];
  const change = (tick: number) => {
    for (const [i, id] of ids.entries()) world.move(id, i + ((i * tick) % 5), 0);
    world.touch(ids[tick]);
    if (tick === 2) world.pin(ids[0], ids[20]);
    if (tick === 3) world.block(ids[5], ids[6]);
    if (tick === 3) world.update(ids[7], { group: 1 });
    if (tick === 3) world.update(ids[19], { group: 1, interest: 'plain' });
    if (tick === 4) world.remove(ids.pop() as EntityId);
    if (tick === 4) world.setInterest('plain', { cap: 2 });
    world.add({ x: tick, y: 1, range: 3 });
  };
  return { world, trouble, change };
}

describe.each(RULES)('%s', (rule) => {
  test('an error passes through tick, nothing has changed, and the tick can be repeated', () => {
    const [one, twin] = [stage(rule), stage(rule)];
    for (let tick = 1; tick <= 8; tick++) {
      one.change(tick);
      twin.change(tick);
      const before = one.world.lastChanges.hash();
      const seenBefore = [...one.world.ids()].map((id) => [...one.world.visibleTo(id)]);
      one.trouble.error = new Error('a mistake in a rule');
      one.trouble.calls = 0;
      expect(() => one.world.tick()).toThrow(one.trouble.error as Error);
      expect(one.world.tickCount).toBe(tick - 1);
      expect(one.world.lastChanges.hash()).toBe(before);
      expect([...one.world.ids()].map((id) => [...one.world.visibleTo(id)])).toEqual(seenBefore);
      one.trouble.error = undefined;
      expect(one.world.tick().hash()).toBe(twin.world.tick().hash());
      expect(one.world.lastChanges.removed).toEqual(twin.world.lastChanges.removed);
      one.world.validate();
    }
  });

  test('it may call has, position and slotOf', () => {
    const { world, trouble, change } = stage(rule);
    const answers: unknown[] = [];
    trouble.onCall = () => answers.push([world.has(1025), world.slotOf(1025), [...world.position(1025)]]);
    change(1);
    world.tick();
    expect(answers.length).toBeGreaterThan(0);
    expect(answers[0]).toEqual([true, 1, expect.any(Array)]);
  });

  test.each<[string, (world: World) => unknown]>([
    ['tick', (world) => world.tick()],
    ['add', (world) => world.add({ x: 0, y: 0 })],
    ['move', (world) => world.move(1025, 5, 5)],
    ['update', (world) => world.update(1025, { range: 9 })],
    ['touch', (world) => world.touch(1025)],
    ['remove', (world) => world.remove(1025)],
    ['pin', (world) => world.pin(1025, 2049)],
    ['setInterest', (world) => world.setInterest('default', {})],
    ['visibleTo', (world) => world.visibleTo(1025)],
    ['query', (world) => world.query({ kind: 'circle', x: 0, y: 0, radius: 5 })],
    ['snapshot', (world) => world.snapshot()],
    ['dispose', (world) => world.dispose()],
  ])('any other call on the world, as %s, throws REENTRANT_TICK and changes nothing', (_name, call) => {
    const [one, twin] = [stage(rule), stage(rule)];
    one.change(1);
    twin.change(1);
    one.trouble.onCall = call;
    expect(() => one.world.tick()).toThrow(expect.objectContaining({ code: 'REENTRANT_TICK' }));
    one.trouble.onCall = () => {};
    expect(one.world.tick().hash()).toBe(twin.world.tick().hash());
  });
});
