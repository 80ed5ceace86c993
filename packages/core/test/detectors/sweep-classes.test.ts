/**
 * The sweep's classes: worlds in which some are of the crowd, some are things and some are odd, in all shapes, against brute
 * force, with many and with few that change.
 */
import { expect, test } from 'vitest';
import { type EntityInit, type EntityPatch, type Shape, World, type WorldOptions } from '../../src/index.ts';
import { expectAlike, threeWorlds } from './three-worlds.ts';

/** A small generator of its own (a linear congruence): the scripts must not depend on the engine. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const SHAPES: readonly WorldOptions[] = [
  {},
  { senses: ['sight', 'hearing'] },
  { senses: ['a', 'b', 'c', 'd', 'e'] },
  { rangeShape: 'box', rangeRatio: [1, 0.5] },
  { dimensions: 3 },
  { dimensions: 3, senses: ['sight', 'hearing'] },
  { dimensions: 3, rangeShape: 'box', rangeRatio: [1, 1, 0.5] },
  { dimensions: 3, rangeShape: 'cylinder', rangeRatio: [1, 1, 0.3] },
];
const SIDE = 100;

type Random = () => number;

/** Most of the crowd or things, by the share of watchers; the others of every class. */
function someone(random: Random, share: number, odd: number, senses: number): EntityInit {
  const place = { x: random() * SIDE, y: random() * SIDE, z: random() * SIDE * 0.3, updates: random() < 0.2 };
  const ranges = (range: number) =>
    senses === 1
      ? { range }
      : { range: { [senses > 2 ? 'b' : 'sight']: range, [senses > 2 ? 'd' : 'hearing']: range / 2 } };
  const usual = random() < share ? ranges(8) : {};
  if (random() >= odd) return { ...place, ...usual };
  const kinds: (() => EntityInit)[] = [
    () => ({ ...place, ...ranges(5 + random() * 12) }),
    () => ({ ...place, ...ranges(60) }),
    () => ({ ...place, ...usual, gain: random() < 0.3 ? 0 : random() }),
    () => ({ ...place, ...usual, gain: 1 + random() * 8 }),
    () => ({ ...place, ...usual, minReach: random() * 60 }),
    () => ({ ...place, ...usual, maxReach: random() * 8 }),
    () => ({ ...place, ...usual, maxReach: random() * 8, gain: 3 }),
    () => ({ ...place, ...ranges(70), minReach: 20 }),
    () => ({ ...place, ...usual, marker: false }),
    () => ({ ...place, ...usual, layers: 2, sees: 3 }),
  ];
  return kinds[Math.floor(random() * kinds.length)]!();
}

/** Moves an entity by at most half of `length` along each axis. */
function step(worlds: readonly World[], id: number, random: Random, length: number): void {
  const [x, y, z] = worlds[0]!.position(id);
  const by = () => (random() - 0.5) * length;
  const [toX, toY, toZ] = [x + by(), y + by(), (z ?? 0) + by()];
  for (const world of worlds) world.move(id, toX, toY, toZ);
}

/** Gives an entity all properties of another one but its place. */
function becomeAnother(worlds: readonly World[], id: number, init: EntityInit): void {
  const { x: _x, y: _y, z: _z, ...patch } = init;
  const whole = { gain: 1, minReach: 0, maxReach: Number.POSITIVE_INFINITY, range: 0, ...patch };
  for (const world of worlds) world.update(id, whole);
}

/** Asks all worlds what lies in a shape. */
function expectSameFound(worlds: readonly World[], shape: Shape): void {
  const found = worlds.map((world) => [...world.query(shape)]);
  expect(found).toEqual(Array(3).fill(found[0]));
}

for (const shape of SHAPES) {
  test(`the crowd, things and odd ones are reported as by brute force, with ${JSON.stringify(shape)}`, () => {
    const classes = new Set<string>();
    let stays = 0;
    for (let seed = 1; seed <= 6; seed++) {
      const random = randomFrom(seed * 31);
      const senses = shape.senses?.length ?? 1;
      // Where few watch among many odd ones, watchers look for those; else those look for watchers.
      const share = seed > 4 ? 0.03 : random();
      const odd = seed % 3 === 0 || seed > 4 ? 0.9 : random() * 0.2;
      const worlds = threeWorlds(shape);
      const ids: number[] = [];
      const add = () => {
        const init = someone(random, share, odd, senses);
        ids.push(worlds.map((world) => world.add(init))[0]!);
      };
      for (let i = 0; i < 300; i++) add();
      for (let tick = 0; tick < 16; tick++) {
        const isBusy = tick % 8 > 5;
        for (let i = 0; i < (isBusy ? 200 : 10); i++) {
          const at = Math.floor(random() * ids.length);
          const [id, what] = [ids[at]!, random()];
          if (what < 0.8) {
            step(worlds, id, random, random() < 0.1 ? 40 : 2);
          } else if (what < 0.9) {
            becomeAnother(worlds, id, someone(random, share, 0.5, senses));
          } else if (what < 0.95) {
            for (const world of worlds) world.remove(id);
            ids.splice(at, 1);
          } else add();
        }
        expectAlike(worlds, `seed ${seed}, tick ${tick}`);
        const description = worlds[2]!.describe();
        if (description.includes('staying')) stays++;
        for (const [name] of description.matchAll(/class \d+/g)) classes.add(name);
      }
    }
    expect(stays).toBeGreaterThan(24);
    // Odd ones come in steps, of which not all are met.
    expect(classes.size).toBeGreaterThanOrEqual(11);
  }, 60_000);
}

for (const shape of SHAPES) {
  test(`pairs are searched around the watchers where far fewer watch than move, with ${JSON.stringify(shape)}`, () => {
    let around = 0;
    let stale = 0;
    for (let seed = 1; seed <= 6; seed++) {
      const random = randomFrom(seed * 57);
      const senses = shape.senses?.length ?? 1;
      const worlds = threeWorlds(shape);
      const ids: number[] = [];
      const add = (share: number) => {
        const init = someone(random, share, seed % 2 === 0 ? 0.5 : 0, senses);
        ids.push(worlds.map((world) => world.add(init))[0]!);
      };
      // With one watcher, nearly all move where it does not see them.
      const [watchers, entities] = seed === 3 || seed === 5 ? [1, 800] : [6, 400];
      for (let i = 0; i < entities; i++) add(i < watchers ? 1 : 0);
      for (let tick = 0; tick < 24; tick++) {
        // Now and then the watchers move, too, or somebody else begins to watch or ceases to; or so few or so many move that pairs
        // are searched around those, or all are sorted, out of entries that no watcher was near.
        const from = tick % 4 === 0 ? 0 : watchers;
        const changes =
          tick % 8 === 4 ? 3 : tick % 12 === 7 ? 300 : entities / 10 + (watchers === 1 ? 60 : 0);
        for (let i = 0; i < changes; i++) {
          const at = from + Math.floor(random() * (ids.length - from));
          const [id, what] = [ids[at]!, random()];
          if (what < 0.9) {
            step(worlds, id, random, random() < 0.1 ? 60 : 3);
          } else if (what < 0.94) {
            becomeAnother(worlds, id, someone(random, watchers === 1 ? 0 : 0.02, 0.1, senses));
          } else if (what < 0.97) {
            for (const world of worlds) world.remove(id);
            ids.splice(at, 1);
          } else add(watchers === 1 ? 0 : 0.02);
        }
        expectAlike(worlds, `seed ${seed}, tick ${tick}`);
        const circle = { x: random() * SIDE, y: random() * SIDE, radius: SIDE / 4 };
        const sphere = { kind: 'sphere', ...circle, z: random() * SIDE * 0.3 } as const;
        expectSameFound(worlds, shape.dimensions === 3 ? sphere : { kind: 'circle', ...circle });
        const description = worlds[2]!.describe();
        if (/around \d+ watchers/.test(description)) around++;
        if (/only near them/.test(description)) stale++;
      }
    }
    expect(around).toBeGreaterThan(40);
    expect(stale).toBeGreaterThan(8);
  }, 60_000);
}

test('those who watch alike are of the crowd, and are again when they return to it', () => {
  const world = new World();
  const random = randomFrom(9);
  const ids = Array.from({ length: 500 }, () =>
    world.add({ x: random() * 300, y: random() * 300, range: 10 }),
  );
  world.tick();
  expect(world.describe()).not.toContain('class 3');
  world.update(ids[3]!, { range: 12 });
  world.tick();
  expect(world.describe()).toContain('class 3');
  world.update(ids[3]!, { range: 10 });
  world.tick();
  world.move(ids[4]!, 1, 1);
  world.tick();
  expect(world.describe()).not.toContain('class 3');
});

test('when most take up another range, those are the crowd before long', () => {
  const worlds = [new World({ detector: 'brute-force' }), new World()];
  const random = randomFrom(10);
  const ids = Array.from({ length: 300 }, () => {
    const init = { x: random() * 200, y: random() * 200, range: 10 };
    return worlds.map((world) => world.add(init))[0]!;
  });
  for (let tick = 0; tick < 12; tick++) {
    for (const id of ids) {
      const [x, y] = [random() * 200, random() * 200];
      for (const world of worlds) world.move(id, x, y);
    }
    if (tick === 5) for (const world of worlds) for (const id of ids) world.update(id, { range: 14 });
    // A crowd that grows is looked at anew.
    if (tick === 8)
      for (let i = 0; i < 150; i++) for (const world of worlds) world.add({ x: i, y: i, range: 14 });
    const hashes = worlds.map((world) => world.tick().hash());
    expect(hashes[1]).toBe(hashes[0]);
  }
  expect(worlds[1]!.describe()).toContain('class 0');
  expect(worlds[1]!.describe()).not.toContain('class 2');
  worlds[1]!.validate();
});

for (const shape of [
  {},
  { senses: ['sight', 'hearing'] },
  { rangeShape: 'box' },
  { dimensions: 3 },
] as const) {
  for (const few of ['watchers', 'things'] as const) {
    // Each watcher is one more to be tried by brute force: one shape will do.
    if (few === 'things' && Object.keys(shape).length > 0) continue;
    test(`few ${few}, while most stay and now and then all move, with ${JSON.stringify(shape)}`, () => {
      const worlds = threeWorlds(shape);
      const random = randomFrom(few === 'things' ? 4 : 3);
      const types: EntityPatch[] = [
        {},
        {},
        {},
        { gain: 0.6 },
        { gain: 1.4 },
        { maxReach: 3 },
        { maxReach: 7 },
      ];
      const someWhere = () => ({ x: random() * 400, y: random() * 250, z: random() * 20, updates: false });
      const ids = Array.from({ length: 700 }, (_, i) => {
        const isFew = i < 20;
        const type = few === 'watchers' && !isFew ? types[Math.floor(random() * types.length)] : {};
        const init = { ...someWhere(), ...(isFew === (few === 'watchers') ? { range: 8 } : type) };
        return worlds.map((world) => world.add(init))[0]!;
      });
      const stays: boolean[] = [];
      for (let tick = 0; tick < 24; tick++) {
        const areAllMoving = tick % 12 < 2;
        for (let i = 0; i < ids.length; i++) {
          if (!areAllMoving && i >= 20 && random() > 0.01) continue;
          step(worlds, ids[i]!, random, random() < 0.05 ? 60 : 3);
        }
        const leaving = 20 + Math.floor(random() * 680);
        const init = someWhere();
        for (const world of worlds) world.remove(ids[leaving]!);
        ids[leaving] = worlds.map((world) => world.add(init))[0]!;
        expectAlike(worlds, `tick ${tick}`);
        stays.push(worlds[2]!.describe().includes('staying'));
      }
      expect(stays.filter(Boolean).length).toBeGreaterThan(10);
      expect(stays.slice(12)).toContain(false);
    }, 60_000);
  }
}
