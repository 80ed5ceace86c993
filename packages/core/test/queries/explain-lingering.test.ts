/** Explanations of pairs that lingered and lost their seats: the rule that took it, in that tick. */
import { describe, expect, test } from 'vitest';
import { type Interest, World } from '../../src/index.ts';

describe('one that lost its relation while it lingered', () => {
  const away = { range: 10, interest: 'lasting' };

  test.each<[string, Interest]>([
    ['by the distance', { cap: 2 }],
    ['by a function', { cap: 2, rank: (_watcher, _marker, distance) => distance }],
    ['where admit allows all', { cap: 2, admit: () => true }],
  ])('was cut by the cap, ranked %s, and is outranked in that tick alone', (_, interest) => {
    const interests = { lasting: { lingerTicks: 3, incumbentBonus: 0, ...interest } };
    const world = new World({ interests });
    const watcher = world.add({ x: 0, y: 0, ...away });
    const [, lingers = 0, comes = 0] = world.addMany({ x: [8, 9, 60], y: [0, 0, 0] });
    world.tick();
    world.move(lingers, 12, 0);
    world.tick();
    expect(world.explain(watcher, lingers).rule).toBe('linger');
    world.move(comes, 5, 0);
    expect([...(world.tick().of(watcher)?.left ?? [])]).toEqual([lingers]);
    for (const each of [world, World.restore(world.snapshot(), { interests })]) {
      expect(each.explain(watcher, lingers)).toMatchObject({
        rule: 'cap',
        place: 3,
        seats: 2,
        rank: 12,
        senses: [],
      });
      expect(each.outranked(watcher)).toMatchObject({
        total: 1,
        ids: Uint32Array.of(lingers),
        places: Uint32Array.of(3),
      });
    }
    world.tick();
    expect(world.explain(watcher, lingers).rule).toBe('range');
    expect(world.outranked(watcher).total).toBe(0);
  });

  test('was cut by the cap as soon as no sense perceived it', () => {
    const world = new World({ interests: { lasting: { lingerTicks: 3, cap: 1 } } });
    const watcher = world.add({ x: 0, y: 0, ...away });
    const [near = 0, far = 0] = world.addMany({ x: [9, 60], y: [0, 0] });
    world.tick();
    world.move(near, 12, 0);
    world.move(far, 5, 0);
    world.tick();
    expect(world.explain(watcher, near)).toMatchObject({ rule: 'cap', place: 2, seats: 1, senses: [] });
  });

  test('was not admitted', () => {
    const refused = new Set<number>();
    const world = new World({
      interests: { lasting: { lingerTicks: 3, admit: (_, marker) => !refused.has(marker) } },
    });
    const watcher = world.add({ x: 0, y: 0, ...away });
    const marker = world.add({ x: 9, y: 0 });
    world.tick();
    world.move(marker, 12, 0);
    world.tick();
    refused.add(marker);
    world.touch(marker);
    world.tick();
    expect(world.explain(watcher, marker)).toMatchObject({ related: false, rule: 'admit', senses: [] });
    world.tick();
    expect(world.explain(watcher, marker).rule).toBe('range');
  });
});
