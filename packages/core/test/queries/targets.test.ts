/** Targets: whom a skill may hit. Those that the caster relates to and that are inside the shape, and nobody else. */
import { expect, test } from 'vitest';
import { type EntityId, type QueryOptions, type Shape, World, type WorldOptions } from '../../src/index.ts';

const EVERYWHERE = { kind: 'circle', x: 0, y: 0, radius: 1000 } as const;

/** A caster at the origin that perceives up to 100, in a world with two senses. */
function arena(options: WorldOptions = {}) {
  const world = new World({ senses: ['sight', 'hearing'], ...options });
  const caster = world.add({ x: 0, y: 0, z: 0, range: { sight: 100, hearing: 30 } });
  const hit = (shape: Shape, more?: QueryOptions) => [...world.targets(caster, shape, more)];
  return { world, caster, hit };
}

test('only relations are hit: not who is out of range, cloaked, blocked or of another layer', () => {
  const { world, caster, hit } = arena();
  const near = world.add({ x: 10, y: 0 });
  world.add({ x: 200, y: 0 });
  world.add({ x: 11, y: 0, gain: 0 });
  world.add({ x: 12, y: 0, layers: 2 });
  world.add({ x: 12, y: 0, marker: false });
  const blocked = world.add({ x: 13, y: 0 });
  world.block(caster, blocked);
  world.tick();
  expect(hit(EVERYWHERE)).toEqual([near]);
  expect(world.query(EVERYWHERE).length).toBe(7);
});

test('who has no seat cannot be hit, and who is pinned can', () => {
  const { world, caster, hit } = arena({ interests: { default: { cap: 2 } } });
  const [one, two, three] = world.addMany({ x: [10, 20, 30], y: [0, 0, 0] });
  world.tick();
  expect(hit(EVERYWHERE)).toEqual([one, two]);
  world.pin(caster, three);
  world.tick();
  expect(hit(EVERYWHERE)).toEqual([one, three]);
});

test('the caster never hits itself', () => {
  const { world, caster, hit } = arena();
  world.tick();
  expect(hit(EVERYWHERE)).toEqual([]);
  expect([...world.query(EVERYWHERE)]).toEqual([caster]);
});

test('they are as of the last tick, less who was removed since', () => {
  const { world, hit } = arena();
  const [stays, goes, walks] = world.addMany({ x: [1, 2, 3], y: [0, 0, 0] });
  world.tick();
  world.remove(goes);
  world.move(walks, 500, 0);
  world.add({ x: 4, y: 0 });
  expect(hit({ ...EVERYWHERE, radius: 50 })).toEqual([stays, walks]);
});

test('whom a filter removes is not asked about any more, nor answered', () => {
  const { world, hit } = arena();
  const [first, second, third] = world.addMany({ x: [1, 2, 3], y: [0, 0, 0] });
  world.tick();
  const asked: number[] = [];
  const filter = (id: EntityId) => {
    asked.push(id);
    if (id === second) world.removeMany(Uint32Array.of(first, third));
    return true;
  };
  expect(hit(EVERYWHERE, { filter })).toEqual([second]);
  expect(asked).toEqual([first, second]);
});

/** Relations along both axes and beyond each shape's edge, by name. */
const FLAT: readonly [string, Shape, string[]][] = [
  ['circle', { kind: 'circle', x: 0, y: 0, radius: 10 }, ['east', 'north']],
  ['box', { kind: 'box', x: 0, y: 0, halfWidth: 10, halfHeight: 1 }, ['east']],
  ['turned box', { kind: 'box', x: 0, y: 0, halfWidth: 10.01, halfHeight: 1, angle: Math.PI / 2 }, ['north']],
  ['sector', { kind: 'sector', x: 0, y: 0, radius: 40, direction: 0, width: 0.1 }, ['east', 'farEast']],
  ['capsule', { kind: 'capsule', x1: 0, y1: 0, x2: 30, y2: 0, radius: 10 }, ['east', 'north', 'farEast']],
];

test.each(FLAT)('in 2-D a %s hits those inside, edges too', (_name, shape, expected) => {
  const { world, hit } = arena();
  const places = { east: [10, 0], north: [0, 10], farEast: [40, 0], south: [0, -50] } as const;
  const ids = Object.entries(places).map(([name, [x, y]]) => [name, world.add({ x, y })] as const);
  world.tick();
  const names = hit(shape).map((id) => ids.find(([, other]) => other === id)?.[0]);
  expect(names).toEqual(expected);
});

const SOLID: readonly [string, Shape, string[]][] = [
  ['sphere', { kind: 'sphere', x: 0, y: 0, z: 0, radius: 10 }, ['east', 'up']],
  ['box', { kind: 'box', x: 0, y: 0, z: 0, halfWidth: 1, halfHeight: 1, halfDepth: 20 }, ['up']],
  ['cone', { kind: 'cone', x: 0, y: 0, z: 0, dx: 0, dy: 0, dz: 3, radius: 20, width: 0.5 }, ['up']],
  [
    'capsule',
    { kind: 'capsule', x1: 0, y1: 0, z1: 0, x2: 0, y2: 0, z2: -20, radius: 10 },
    ['east', 'up', 'down'],
  ],
];

test.each(SOLID)('in 3-D a %s hits those inside', (_name, shape, expected) => {
  const { world, hit } = arena({ dimensions: 3 });
  const places = { east: [10, 0, 0], up: [0, 0, 10], down: [0, 0, -30] } as const;
  const ids = Object.entries(places).map(([name, [x, y, z]]) => [name, world.add({ x, y, z })] as const);
  world.tick();
  const names = hit(shape).map((id) => ids.find(([, other]) => other === id)?.[0]);
  expect(names).toEqual(expected);
});

test('senses keep those that are perceived in one of them', () => {
  const { world, caster, hit } = arena();
  const [both, seen, heard, pinned] = [
    world.add({ x: 10, y: 0 }),
    world.add({ x: 50, y: 0 }),
    world.add({ x: 20, y: 0, gain: { sight: 0 } }),
    world.add({ x: 900, y: 0 }),
  ];
  world.pin(caster, pinned);
  world.tick();
  expect(hit(EVERYWHERE)).toEqual([both, seen, heard, pinned]);
  expect(hit(EVERYWHERE, { senses: ['sight'] })).toEqual([both, seen]);
  expect(hit(EVERYWHERE, { senses: ['hearing'] })).toEqual([both, heard]);
  expect(hit(EVERYWHERE, { senses: ['sight', 'hearing'] })).toEqual([both, seen, heard]);
  expect(hit(EVERYWHERE, { senses: [] })).toEqual([]);
});

test('layers, groups, channel, markersOnly, filter, order, limit and out do as in a query', () => {
  const { world, caster, hit } = arena();
  world.update(caster, { sees: 3 });
  const far = world.add({ x: 90, y: 0, layers: 2, group: 5 });
  const near = world.add({ x: 10, y: 0, layers: 1, group: 6 });
  const middle = world.add({ x: 50, y: 0, layers: 3, channel: 4 });
  world.tick();
  expect(hit(EVERYWHERE, { layers: 2 })).toEqual([far, middle]);
  expect(hit(EVERYWHERE, { groups: [6, 7] })).toEqual([near]);
  expect(hit(EVERYWHERE, { channel: 3 })).toEqual([far, near]);
  expect(hit(EVERYWHERE, { markersOnly: true })).toEqual([far, near, middle]);
  expect(hit(EVERYWHERE, { filter: (id: EntityId) => id !== near })).toEqual([far, middle]);
  expect(hit(EVERYWHERE, { order: 'nearest' })).toEqual([near, middle, far]);
  expect(hit(EVERYWHERE, { order: 'nearest', limit: 1 })).toEqual([near]);
  const out = new Uint32Array(8);
  expect(world.targets(caster, EVERYWHERE, { out }).buffer).toBe(out.buffer);
  expect(world.targetsInto(caster, EVERYWHERE, undefined, out)).toBe(3);
  expect(world.targetsInto(caster, EVERYWHERE, { layers: 2 }, out.subarray(0, 1))).toBe(2);
});

test('whoever perceives nobody hits nobody', () => {
  const { world } = arena();
  const blind = world.add({ x: 0, y: 0 });
  world.tick();
  expect(world.targets(blind, EVERYWHERE).length).toBe(0);
});
