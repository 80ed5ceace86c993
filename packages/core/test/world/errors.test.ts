/** Every mistake a caller can make gives an `UmweltError` with its code and details, and changes nothing. */
import { describe, expect, test } from 'vitest';
import { type EntityPatch, type Interest, World, type WorldOptions } from '../../src/index.ts';
import { expectFault, type Fault, OPTIONS, settledWorld } from './faults.ts';

const INFINITE = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];

describe('positions', () => {
  test.each([...INFINITE, 1.01e12, -1.01e12, '3', null, undefined])('%o is a BAD_POSITION', (value) => {
    const bad = value as number;
    const fault = (field: string): Fault => ({ code: 'BAD_POSITION', details: { field, value } });
    expectFault(({ world }) => world.add({ x: bad, y: 0 }), fault('x'));
    expectFault(({ world }) => world.add({ x: 0, y: bad }), fault('y'));
    expectFault(({ world, ids }) => world.move(ids[0], bad, 0), { ...fault('x') });
    expectFault(({ world, ids }) => world.move(ids[0], 0, bad), { ...fault('y') });
    expectFault(({ world }) => world.nearest(bad, 0, 1), fault('x'));
  });

  test('the message has both limits', () => {
    expect(() => new World().add({ x: 0, y: Number.NaN })).toThrow(
      'y: NaN was given, expected a number from -1000000000000 to 1000000000000',
    );
  });

  test('in 3-D a missing or bad z is a BAD_POSITION', () => {
    const options: WorldOptions = { ...OPTIONS, dimensions: 3 };
    const fault: Fault = { code: 'BAD_POSITION', details: { field: 'z' } };
    expectFault(({ world }) => world.add({ x: 0, y: 0 }), fault, options);
    expectFault(({ world }) => world.add({ x: 0, y: 0, z: Number.NaN }), fault, options);
    expectFault(({ world, ids }) => world.move(ids[0], 0, 0), fault, options);
    expectFault(({ world }) => world.addMany({ x: [0], y: [0] }), { code: 'BAD_POSITION' }, options);
    expectFault(
      ({ world, ids }) => world.moveMany(Uint32Array.of(ids[0]), [0], [0]),
      { code: 'BAD_POSITION' },
      options,
    );
    expectFault(({ world }) => world.nearest(0, 0, 1), fault, options);
  });

  test('in 2-D z is ignored, whatever it is', () => {
    const world = new World();
    const id = world.add({ x: 0, y: 0, z: Number.NaN });
    world.move(id, 1, 1, Number.POSITIVE_INFINITY);
    expect([...world.position(id)].slice(0, 2)).toEqual([1, 1]);
  });

  test('the limit itself is a position', () => {
    const world = new World();
    const id = world.add({ x: 1e12, y: -1e12 });
    expect(world.position(id)[0]).toBe(Math.fround(1e12));
  });

  test('in bulk the index of the first bad one is given, and none of them is taken in', () => {
    const bad = [0, 1, Number.NaN, Number.NaN];
    const good = [0, 0, 0, 0];
    const fault: Fault = { code: 'BAD_POSITION', details: { index: 2, field: 'x' } };
    expectFault(({ world }) => world.addMany({ x: bad, y: good }), fault);
    expectFault(({ world, ids }) => world.moveMany(Uint32Array.from(ids), bad, good), fault);
    const faultY: Fault = { code: 'BAD_POSITION', details: { index: 2, field: 'y' } };
    expectFault(({ world }) => world.addMany({ x: good, y: bad }), faultY);
    expectFault(({ world, ids }) => world.moveMany(Uint32Array.from(ids), good, bad), faultY);
  });
});

describe('properties', () => {
  const wrong: [patch: object, fault: Fault][] = [
    ...[-1, -1e-9, 1.01e12, ...INFINITE, '5'].flatMap((value): [object, Fault][] => [
      [{ range: value }, { code: 'BAD_RANGE', details: { value } }],
      [{ range: { hearing: value } }, { code: 'BAD_RANGE', details: { value } }],
      [{ minReach: value }, { code: 'BAD_RANGE', details: { value } }],
      [{ minReach: { sight: value } }, { code: 'BAD_RANGE', details: { value } }],
    ]),
    ...[-1, -1e-9, 1.01e12, Number.NaN, Number.NEGATIVE_INFINITY, '5'].flatMap((value): [object, Fault][] => [
      [{ maxReach: value }, { code: 'BAD_RANGE', details: { field: 'maxReach', value } }],
      [{ maxReach: { sight: value } }, { code: 'BAD_RANGE', details: { value } }],
    ]),
    [
      { minReach: 5, maxReach: 4 },
      { code: 'BAD_RANGE', details: { field: 'maxReach', value: 4 } },
    ],
    [
      { minReach: { hearing: 5 }, maxReach: 4 },
      { code: 'BAD_RANGE', details: { field: 'maxReach', value: 4 } },
    ],
    [{ maxReach: { taste: 1 } }, { code: 'UNKNOWN_SENSE', details: { value: 'taste' } }],
    ...[-1, 1.01e6, ...INFINITE, '1'].flatMap((value): [object, Fault][] => [
      [{ gain: value }, { code: 'BAD_GAIN', details: { value } }],
      [{ gain: { hearing: value } }, { code: 'BAD_GAIN', details: { value } }],
    ]),
    ...[1.5, 2 ** 32, -(2 ** 31) - 1, Number.NaN, '1'].flatMap((value): [object, Fault][] => [
      [{ layers: value }, { code: 'BAD_LAYERS', details: { field: 'layers', value } }],
      [{ sees: value }, { code: 'BAD_LAYERS', details: { field: 'sees', value } }],
    ]),
    ...[1.5, 2 ** 32, Number.NaN, '1'].map((value): [object, Fault] => [
      { needs: value },
      { code: 'BAD_LAYERS', details: { field: 'needs', value } },
    ]),
    ...[-1, 1.5, 999 * 1024 + 1, 2 ** 32, Number.NaN, '1', null].map((value): [object, Fault] => [
      { only: value },
      { code: 'BAD_ID', details: { field: 'only', value } },
    ]),
    ...[1, 'party', null, {}].map((value): [object, Fault] => [
      { onlyGroup: value },
      { code: 'BAD_OPTION', details: { field: 'onlyGroup', value } },
    ]),
    [{ onlyGroup: ['guild'] }, { code: 'UNKNOWN_GROUP', details: { field: 'onlyGroup', value: 'guild' } }],
    // A hole in the list.
    [
      { onlyGroup: new Array(1) },
      { code: 'UNKNOWN_GROUP', details: { field: 'onlyGroup', value: undefined } },
    ],
    ...[-1, 65536, 1.5, Number.NaN].map((value): [object, Fault] => [
      { channel: value },
      { code: 'BAD_OPTION', details: { field: 'channel', value } },
    ]),
    [{ marker: 1 }, { code: 'BAD_OPTION', details: { field: 'marker', value: 1 } }],
    [{ volatile: 1 }, { code: 'BAD_OPTION', details: { field: 'volatile', value: 1 } }],
    [{ updates: 'no' }, { code: 'BAD_OPTION', details: { field: 'updates', value: 'no' } }],
    [{ range: { taste: 1 } }, { code: 'UNKNOWN_SENSE', details: { value: 'taste' } }],
    [{ gain: { taste: 1 } }, { code: 'UNKNOWN_SENSE', details: { value: 'taste' } }],
    [{ minReach: { Sight: 1 } }, { code: 'UNKNOWN_SENSE', details: { value: 'Sight' } }],
    [{ rnage: 5 }, { code: 'BAD_OPTION', details: { field: 'rnage' } }],
    // A list or a Map by sense would name none, and change nothing.
    ...[[], new Map([['sight', 7]])].flatMap((value): [object, Fault][] => [
      [{ range: value }, { code: 'BAD_RANGE', details: { field: 'range', value } }],
      [{ gain: value }, { code: 'BAD_GAIN', details: { field: 'gain', value } }],
      [{ minReach: value }, { code: 'BAD_RANGE', details: { field: 'minReach', value } }],
      [{ group: value }, { code: 'BAD_OPTION', details: { field: 'group', value } }],
    ]),
  ];

  test.each(wrong)('%o is refused by add, addMany and update', (patch, fault) => {
    expectFault(({ world }) => world.add({ x: 0, y: 0, ...patch }), fault);
    expectFault(({ world }) => world.addMany({ x: [0], y: [0], ...patch }), fault);
    expectFault(({ world, ids }) => world.update(ids[0], patch), fault);
  });

  test('a minReach above the maxReach that is there is refused, and the other way round', () => {
    const world = new World({ senses: ['sight', 'hearing'] });
    const bell = world.add({ x: 0, y: 0, minReach: { sight: 3 }, maxReach: 5 });
    const refused = (patch: EntityPatch, details: object) => {
      expect(() => world.update(bell, patch)).toThrow(
        expect.objectContaining({ code: 'BAD_RANGE', details }),
      );
    };
    refused({ minReach: 6 }, { field: 'minReach', value: 6 });
    refused({ minReach: { hearing: 6 } }, { field: 'minReach', value: 6 });
    refused({ maxReach: 2 }, { field: 'maxReach', value: 2 });
    world.update(bell, { maxReach: { hearing: 2 } });
    world.update(bell, { minReach: 7, maxReach: Number.POSITIVE_INFINITY });
    refused({ maxReach: 6.9 }, { field: 'maxReach', value: Math.fround(6.9) });
  });

  test('a patch is taken whole or not at all', () => {
    expectFault(({ world, ids }) => world.update(ids[0], { range: 50, layers: 2, gain: -1 }), {
      code: 'BAD_GAIN',
    });
    expectFault(({ world, ids }) => world.update(ids[0], { range: { sight: 50, hearing: -1 } }), {
      code: 'BAD_RANGE',
    });
  });

  test.each([[[]], [new Map([['x', 0]])], [null], [5]])(
    '%o in place of all of them is a BAD_OPTION',
    (value) => {
      const fault: Fault = { code: 'BAD_OPTION', details: { field: 'entity', value } };
      expectFault(({ world }) => world.add(value as never), fault);
      expectFault(({ world }) => world.addMany(value as never), fault);
      expectFault(({ world, ids }) => world.update(ids[0], value as never), fault);
    },
  );

  test.each([
    [{ range: '50' }, "range: '50' was given, expected a number from 0 to 1000000000000"],
    [{ range: [50, 20] }, 'range: an array of 2 was given, expected a number from 0 to 1000000000000'],
    [{ gain: { sight: null } }, 'gain.sight: null was given, expected a number from 0 to 1000000'],
    [{ maxReach: '5' }, "maxReach: '5' was given, expected a number from 0 to 1000000000000, or Infinity"],
  ])('%j is told that numbers are expected', (patch, message) => {
    const world = new World();
    const id = world.add({ x: 0, y: 0 });
    expect(() => world.update(id, patch as unknown as EntityPatch)).toThrow(message);
  });

  test('a name in `through` that there is not is told by itself', () => {
    const given = { showGroup: { through: ['gain', 'walls'] } } as unknown as Interest;
    expect(() => new World({ interests: { scouts: given } })).toThrow(
      "interests.scouts.showGroup.through[1]: 'walls' was given, expected 'gain' or 'layers'",
    );
  });

  test('a position is no member of a patch, and the error names the call that sets it', () => {
    const world = new World();
    const id = world.add({ x: 0, y: 0 });
    expect(() => world.update(id, { x: 3 } as object)).toThrow(
      /^x is no member of EntityPatch \(`move` sets positions\)/,
    );
    expectFault(({ world, ids }) => world.update(ids[0], { x: 3 } as object), {
      code: 'BAD_OPTION',
      details: { field: 'x' },
    });
  });
});

describe('ids', () => {
  const byId: [name: string, call: (world: World, id: number) => unknown][] = [
    ['move', (world, id) => world.move(id, 0, 0)],
    ['update', (world, id) => world.update(id, { range: 1 })],
    ['touch', (world, id) => world.touch(id)],
    ['remove', (world, id) => world.remove(id)],
    ['position', (world, id) => world.position(id)],
    ['positionAtTick', (world, id) => world.positionAtTick(id)],
    ['leaveMargin', (world, id) => world.leaveMargin(id)],
    ['interestKey', (world, id) => world.interestKey(id)],
    ['slotOf', (world, id) => world.slotOf(id)],
    ['visibleTo', (world, id) => world.visibleTo(id)],
    ['watchersOf', (world, id) => world.watchersOf(id)],
    ['related', (world, id) => world.related(id, world.ids()[0])],
    ['related', (world, id) => world.related(world.ids()[0], id)],
    ['senses', (world, id) => world.senses(id, world.ids()[0])],
    ['senses', (world, id) => world.senses(world.ids()[0], id)],
  ];

  test.each(byId)('%s answers BAD_ID to what never was an id', (_, call) => {
    for (const id of [0, 1024, 500 * 1024 + 1, -1, 1025.5, Number.NaN, 2 ** 32 + 1025, 2 ** 40]) {
      expectFault(({ world }) => call(world, id), { code: 'BAD_ID', details: { id } });
    }
    for (const id of ['1025', null, undefined, {}, Symbol('id'), 1025n]) {
      expectFault(({ world }) => call(world, id as number), { code: 'BAD_ID' });
    }
  });

  test.each(byId)('%s answers BAD_ID to a generation that its slot has not had yet', (_, call) => {
    expectFault(({ world, ids }) => call(world, ids[1] + 1), { code: 'BAD_ID' });
  });

  test.each(byId)('%s answers STALE_ID to one removed, before and after the tick', (name, call) => {
    expectFault(({ world, ghost }) => call(world, ghost), { code: 'STALE_ID' });
    const stale: Fault = { code: 'STALE_ID', details: { id: settledWorld(OPTIONS).stale } };
    const later = ({ world, stale }: ReturnType<typeof settledWorld>) => {
      // Its slot is answered until the tick after the one that told of its removal.
      if (name === 'slotOf') world.tick();
      return call(world, stale);
    };
    if (name === 'slotOf') expect(() => later(settledWorld(OPTIONS))).toThrow(expect.objectContaining(stale));
    else expectFault(later, stale);
  });

  test('in bulk the index of the first bad id is given, and nobody is moved or removed', () => {
    const list = ({ ids, stale }: ReturnType<typeof settledWorld>, bad: number) =>
      Uint32Array.of(ids[0], ids[1], bad, stale);
    const zeros = [9, 9, 9, 9];
    const bad: Fault = { code: 'BAD_ID', details: { index: 2, id: 0 } };
    expectFault((setting) => setting.world.moveMany(list(setting, 0), zeros, zeros), bad);
    expectFault((setting) => setting.world.removeMany(list(setting, 0)), bad);
    const stale: Fault = { code: 'STALE_ID', details: { index: 2 } };
    expectFault((setting) => setting.world.moveMany(list(setting, setting.stale), zeros, zeros), stale);
    expectFault((setting) => setting.world.removeMany(list(setting, setting.stale)), stale);
  });

  test('has() never throws', () => {
    const { world, ids, stale, ghost } = settledWorld(OPTIONS);
    expect(ids.every((id) => world.has(id))).toBe(true);
    const never = [stale, ghost, 0, -1, 0.5, 1025.5, Number.NaN, 2 ** 32 + 1025, '1025', null, undefined, {}];
    const stubborn = {
      valueOf: () => {
        throw new Error('no number');
      },
    };
    for (const id of [...never, Symbol('id'), 1025n, stubborn]) expect(world.has(id as number)).toBe(false);
  });
});

describe('arguments', () => {
  test('columns of different lengths are a BAD_OPTION', () => {
    const fault: Fault = { code: 'BAD_OPTION' };
    expectFault(({ world }) => world.addMany({ x: [0, 1], y: [0] }), fault);
    expectFault(({ world, ids }) => world.moveMany(Uint32Array.from(ids), [0, 0], [0, 0]), fault);
    expectFault(({ world, ids }) => world.moveMany(Uint32Array.of(ids[0]), [0], []), fault);
    const options: WorldOptions = { ...OPTIONS, dimensions: 3 };
    expectFault(({ world }) => world.addMany({ x: [0, 1], y: [0, 1], z: [0] }), fault, options);
    expectFault(({ world, ids }) => world.moveMany(Uint32Array.of(ids[0]), [0], [0], []), fault, options);
  });

  test('an index in `at` that is no index of the columns is a BAD_OPTION', () => {
    const none = [0, 0, 0, 0];
    for (const index of [4, -1, 0.5, Number.NaN]) {
      expectFault(
        ({ world, ids }) => world.moveMany(Uint32Array.from(ids), none, none, undefined, [0, index]),
        {
          code: 'BAD_OPTION',
        },
      );
    }
  });

  test('more entities than a world can hold are CAPACITY', () => {
    const x = new Uint8Array(4_193_281);
    expectFault(({ world }) => world.addMany({ x, y: x }), { code: 'CAPACITY' });
  });

  test('unknown events, listeners that are none and unknown kinds of columns are BAD_OPTION', () => {
    expectFault(({ world }) => world.on('entered' as 'enter', () => {}), { code: 'BAD_OPTION' });
    expectFault(({ world }) => world.on('enter', 5 as unknown as () => void), { code: 'BAD_OPTION' });
    for (const kind of ['gone', null, ['left'], Symbol('left'), Object.create(null)] as never[]) {
      expectFault(({ world }) => world.lastChanges.columns(kind), { code: 'BAD_OPTION' });
    }
  });

  test('a window that is none is a BAD_OPTION', () => {
    const window = { minX: 0, minY: 0, maxX: 9, maxY: 9 };
    for (const value of [undefined, null, 5, [], new Map()] as never[]) {
      expectFault(({ world }) => world.sketch(value), { code: 'BAD_OPTION', details: { field: 'window' } });
    }
    for (const maxY of [undefined, null, '9', Number.NaN] as never[]) {
      const fault: Fault = { code: 'BAD_OPTION', details: { field: 'window.maxY' } };
      expectFault(({ world }) => world.sketch({ ...window, maxY }), fault);
    }
  });

  test.each([-1, 1.5, Number.NaN, '3'])('k and limit of %o are BAD_OPTION', (value) => {
    const k = value as number;
    const circle = { kind: 'circle', x: 0, y: 0, radius: 5 } as const;
    expectFault(({ world }) => world.nearest(0, 0, k), {
      code: 'BAD_OPTION',
      details: { field: 'k', value },
    });
    expectFault(({ world }) => world.query(circle, { limit: k }), {
      code: 'BAD_OPTION',
      details: { field: 'limit', value },
    });
  });

  test('bad query options are told by their own codes', () => {
    const circle = { kind: 'circle', x: 0, y: 0, radius: 5 } as const;
    const query = (options: object) => (setting: { world: World }) => setting.world.query(circle, options);
    expectFault(query({ layers: 1.5 }), { code: 'BAD_LAYERS', details: { field: 'layers', value: 1.5 } });
    expectFault(query({ channel: 65536 }), { code: 'BAD_OPTION', details: { field: 'channel' } });
    expectFault(query({ groups: new Array(1) }), { code: 'BAD_OPTION', details: { field: 'groups' } });
    expectFault(query({ order: 'farthest' }), { code: 'BAD_OPTION', details: { field: 'order' } });
    expectFault(query({ maxdistance: 3 }), { code: 'BAD_OPTION', details: { field: 'maxdistance' } });
    expectFault(({ world }) => world.nearest(0, 0, 1, { maxDistance: -1 }), { code: 'BAD_RANGE' });
  });

  test('options that are no object are a BAD_OPTION', () => {
    const circle = { kind: 'circle', x: 0, y: 0, radius: 5 } as const;
    const fault: Fault = { code: 'BAD_OPTION', details: { field: 'options' } };
    for (const options of [null, 5, 'x', Symbol('options'), [], new Map()] as never[]) {
      expectFault(({ world }) => world.on('enter', () => {}, options), fault);
      expectFault(({ world }) => world.query(circle, options), fault);
      expectFault(({ world }) => world.nearest(0, 0, 1, options), fault);
      expectFault(({ world, ids }) => world.targets(ids[0], circle, options), fault);
      expectFault(({ world }) => World.restore(world.snapshot(), options), fault);
    }
    expectFault(({ world }) => world.nearest(0, 0, 1, { maxDistance: Symbol('far') as never }), {
      code: 'BAD_RANGE',
    });
  });

  test('an `out` of another kind is a BAD_OPTION', () => {
    const circle = { kind: 'circle', x: 0, y: 0, radius: 5 } as const;
    const fault: Fault = { code: 'BAD_OPTION', details: { field: 'out' } };
    for (const out of [null, [], 5, new Float64Array(9)] as never[]) {
      expectFault(({ world }) => world.ids(out), fault);
      expectFault(({ world }) => world.idsInto(out), fault);
      expectFault(({ world, ids }) => world.position(ids[0], out), fault);
      expectFault(({ world, ids }) => world.visibleTo(ids[0], out), fault);
      expectFault(({ world, ids }) => world.visibleToInto(ids[0], out), fault);
      expectFault(({ world, ids }) => world.watchersOf(ids[0], out), fault);
      expectFault(({ world, ids }) => world.watchersOfInto(ids[0], out), fault);
      expectFault(({ world }) => world.query(circle, { out }), fault);
      expectFault(({ world }) => world.queryInto(circle, {}, out), fault);
      expectFault(({ world }) => world.nearestInto(0, 0, 1, {}, out), fault);
      expectFault(({ world, ids }) => world.targetsInto(ids[0], circle, {}, out), fault);
      expectFault(({ world }) => world.addMany({ x: [], y: [] }, out), fault);
    }
  });

  test('a shape of the wrong dimension, size or kind is a BAD_SHAPE', () => {
    const flat = ({ world }: { world: World }) =>
      world.query({ kind: 'sphere', x: 0, y: 0, z: 0, radius: 1 });
    expectFault(flat, { code: 'BAD_SHAPE' });
    const deep = ({ world }: { world: World }) => world.query({ kind: 'circle', x: 0, y: 0, radius: 1 });
    expectFault(deep, { code: 'BAD_SHAPE' }, { ...OPTIONS, dimensions: 3 });
    const negative = ({ world }: { world: World }) => world.query({ kind: 'circle', x: 0, y: 0, radius: -1 });
    expectFault(negative, { code: 'BAD_SHAPE', details: { field: 'radius', value: -1 } });
    const unknown = ({ world }: { world: World }) => world.query({ kind: 'star' } as never);
    expectFault(unknown, { code: 'BAD_SHAPE' });
    const still = ({ world }: { world: World }) =>
      world.query({ kind: 'cone', x: 0, y: 0, z: 0, dx: 0, dy: 0, dz: 0, radius: 1, width: 1 });
    expectFault(still, { code: 'BAD_SHAPE' }, { ...OPTIONS, dimensions: 3 });
  });
});

describe('a world that was disposed of', () => {
  test('throws DISPOSED from every call but dispose and has', async () => {
    const { world, ids } = settledWorld(OPTIONS);
    await world.dispose();
    const id = ids[0];
    const calls: (() => unknown)[] = [
      () => world.add({ x: 0, y: 0 }),
      () => world.addMany({ x: [], y: [] }),
      () => world.move(id, 0, 0),
      () => world.moveMany(new Uint32Array(0), [], []),
      () => world.update(id, {}),
      () => world.touch(id),
      () => world.remove(id),
      () => world.removeMany(new Uint32Array(0)),
      () => world.position(id),
      () => world.slotOf(id),
      () => world.ids(),
      () => world.tick(),
      () => world.on('enter', () => {}),
      () => world.visibleTo(id),
      () => world.watchersOf(id),
      () => world.related(id, ids[1]),
      () => world.senses(id, ids[1]),
      () => world.query({ kind: 'circle', x: 0, y: 0, radius: 1 }),
      () => world.nearest(0, 0, 1),
      () => world.stats(),
    ];
    for (const call of calls) {
      expect(call).toThrow(expect.objectContaining({ code: 'DISPOSED', name: 'UmweltError' }));
    }
    expect(world.has(0)).toBe(false);
    await expect(world.dispose()).resolves.toBeUndefined();
  });
});
