/**
 * The script generator by itself: the same seed gives the same script, scripts survive JSON, and over some hundred
 * seeds everything that is worth trying is tried.
 */
import { describe, expect, test } from 'vitest';
import type { Operation, Script } from '../../src/conformance/index.ts';
import { createScript } from '../../src/conformance/index.ts';
import { Random } from '../../src/conformance/random.ts';

const SIZE = { operations: 150, entities: 12 };
const scripts: readonly Script[] = Array.from({ length: 300 }, (_, seed) => createScript(seed, SIZE));
const operations: readonly Operation[] = scripts.flatMap((script) => script.operations);

const ofKind = <K extends Operation['kind']>(kind: K) =>
  operations.filter((operation): operation is Extract<Operation, { kind: K }> => operation.kind === kind);

test('a seed gives one script, another seed another', () => {
  expect(createScript(17, SIZE)).toEqual(scripts[17]);
  expect(new Set(scripts.map((script) => JSON.stringify(script))).size).toBe(scripts.length);
});

test('scripts survive JSON', () => {
  for (const script of scripts.slice(0, 100)) expect(JSON.parse(JSON.stringify(script))).toEqual(script);
});

test('a script has as many operations as asked for, and never more entities', () => {
  for (const { operations } of scripts) {
    // Going there and back are two operations, so the last step may be one over. Listening comes on top.
    const count = operations.filter(({ kind }) => kind !== 'listen').length;
    expect(count).toBeGreaterThanOrEqual(SIZE.operations);
    // After a restore at rest, those who are there may wake one by one.
    const isAtRest = operations.some(({ kind }) => kind === 'restoreAtRest');
    expect(count).toBeLessThanOrEqual(SIZE.operations + (isAtRest ? SIZE.entities + 7 : 1));
    let present = 0;
    for (const operation of operations) {
      if (operation.kind === 'add') present++;
      if (operation.kind === 'addMany') present += operation.keys.length;
      if (operation.kind === 'remove') present--;
      if (operation.kind === 'removeMany') present -= operation.keys.length;
      expect(present).toBeLessThan(SIZE.entities + 7);
      expect(present).toBeGreaterThanOrEqual(0);
    }
  }
});

test('every kind of operation comes, and some scripts lack each of them', () => {
  const kinds = new Set(operations.map(({ kind }) => kind));
  expect(kinds.size).toBe(17);
  for (const kind of kinds) {
    const having = scripts.filter((script) =>
      script.operations.some((operation) => operation.kind === kind),
    ).length;
    expect(having, kind).toBeGreaterThan(kind === 'churn' ? 5 : 30);
    if (!['add', 'tick', 'probe', 'update', 'move'].includes(kind))
      expect(having, kind).toBeLessThan(scripts.length);
  }
});

describe('over many seeds', () => {
  test('worlds are flat and solid, of all shapes, of one sense to eight, with cells and without', () => {
    const options = scripts.map((script) => script.options);
    for (const dimensions of [2, 3])
      expect(options.some((each) => each.dimensions === dimensions)).toBe(true);
    for (const shape of ['circle', 'box', 'cylinder']) {
      expect(options.some(({ rangeShape }) => rangeShape === shape)).toBe(true);
    }
    for (const count of [1, 2, 3, 8])
      expect(options.some(({ senses }) => senses?.length === count)).toBe(true);
    expect(options.some(({ cellSize }) => cellSize === undefined)).toBe(true);
    expect(options.some(({ cellSize }) => typeof cellSize === 'number')).toBe(true);
    expect(options.some(({ cellSize }) => Array.isArray(cellSize))).toBe(true);
  });

  test('places are negative, far out, and shared', () => {
    const places = ofKind('add').map(({ init }) => init);
    expect(places.filter(({ x, y }) => x < 0 && y < 0).length).toBeGreaterThan(20);
    for (const far of [1e9, 1e12]) expect(places.some(({ x }) => Math.abs(x) === far)).toBe(true);
    const shared = places.length - new Set(places.map(({ x, y }) => `${x},${y}`)).size;
    expect(shared).toBeGreaterThan(20);
  });

  test('ranges are zero, tiny, huge, and patched one sense at a time', () => {
    const ranges = ofKind('update').flatMap(({ patch }) => (patch.range === undefined ? [] : [patch.range]));
    for (const range of [0, 1e-7, 1e12]) expect(ranges).toContain(range);
    expect(ranges.some((range) => typeof range === 'object' && Object.keys(range).length === 1)).toBe(true);
  });

  test('every property is updated', () => {
    const names = new Set(ofKind('update').flatMap(({ patch }) => Object.keys(patch)));
    const meeting = ['channel', 'group', 'layers', 'marker', 'needs', 'only', 'onlyGroup', 'sees'];
    const reaching = ['gain', 'minReach', 'range', 'reaches'];
    expect([...names].sort()).toEqual([...meeting, ...reaching, 'updates', 'watches'].sort());
  });

  test('moveMany comes with `at`, without, and with a key twice', () => {
    const moves = ofKind('moveMany');
    expect(moves.some(({ at }) => at === undefined)).toBe(true);
    expect(moves.some(({ at }) => at !== undefined && new Set(at).size < at.length)).toBe(true);
    expect(moves.some(({ keys }) => new Set(keys).size < keys.length)).toBe(true);
  });

  test('shapes lack extent, stand along axes, and go through somebody', () => {
    const shapes = ofKind('query').map(({ shape }) => shape);
    const capsules = shapes.filter((shape) => shape.kind === 'capsule');
    const along = capsules.filter(({ x1, x2, y1, y2 }) => (x1 === x2) !== (y1 === y2));
    expect(along.filter(({ radius }) => radius === 0).length).toBeGreaterThan(10);
    expect(capsules.some(({ radius, x1, x2, y1, y2 }) => radius === 0 && x1 === x2 && y1 === y2)).toBe(true);
    for (const kind of ['circle', 'sphere', 'sector', 'cone'] as const) {
      expect(
        shapes.some((shape) => shape.kind === kind && shape.radius === 0),
        kind,
      ).toBe(true);
    }
    for (const half of ['halfWidth', 'halfHeight', 'halfDepth'] as const) {
      expect(
        shapes.some((shape) => shape.kind === 'box' && half in shape && shape[half] === 0),
        half,
      ).toBe(true);
    }
  });

  test('every shape is asked for', () => {
    const kinds = new Set(ofKind('query').map(({ shape }) => shape.kind));
    expect([...kinds].sort()).toEqual(['box', 'capsule', 'circle', 'cone', 'sector', 'sphere']);
  });
});

describe('with interests', () => {
  const ruled = Array.from({ length: 300 }, (_, seed) => createScript(seed, { ...SIZE, interests: true }));
  const done = ruled.flatMap((script) => script.operations);
  const interests = ruled.flatMap(({ options }) => Object.values(options.interests ?? {}));

  test('a seed gives one script, which survives JSON, and rules change nothing of the seed without them', () => {
    for (const script of ruled.slice(0, 50)) {
      expect(createScript(script.seed, { ...SIZE, interests: true })).toEqual(script);
      expect(JSON.parse(JSON.stringify(script))).toEqual(script);
      expect(createScript(script.seed, { ...SIZE, interests: false })).toEqual(scripts[script.seed]);
    }
  });

  test('every rule is in many interests and lacks in many', () => {
    const names = new Set(interests.flatMap((interest) => Object.keys(interest)));
    expect(names.size).toBe(13);
    for (const name of names) {
      const having = interests.filter((interest) => name in interest).length;
      expect(having, name).toBeGreaterThan(interests.length / 8);
      expect(having, name).toBeLessThan((interests.length * 3) / 4);
    }
  });

  test('all that is said of pairs, groups, weights and caps is said often', () => {
    for (const kind of ['pin', 'unpin', 'block', 'unblock', 'setInterest', 'ban', 'targets'] as const) {
      expect(done.filter((operation) => operation.kind === kind).length, kind).toBeGreaterThan(100);
    }
    const patches = done.flatMap((operation) => (operation.kind === 'update' ? [operation.patch] : []));
    for (const name of ['interest', 'cap', 'weight', 'group', 'always'] as const) {
      expect(patches.filter((patch) => patch[name] !== undefined).length, name).toBeGreaterThan(50);
    }
    expect(patches.some(({ cap }) => cap === 'none')).toBe(true);
    const pins = done.flatMap((operation) => (operation.kind === 'pin' ? [operation] : []));
    expect(new Set(pins.map(({ reason }) => reason)).size).toBe(3);
  });
});

describe('together', () => {
  const together = Array.from({ length: 40 }, (_, seed) => createScript(seed, { ...SIZE, together: true }));
  const all = together.flatMap((script) => script.operations);

  test('all kinds of calls come, and most scripts have each of them', () => {
    const kindsOf = ({ operations }: Script) => new Set(operations.map(({ kind }) => kind));
    for (const kind of ['listen', 'tick', 'attach', 'update', 'pin', 'setInterest'] as const)
      expect(together.filter((script) => kindsOf(script).has(kind)).length, kind).toBeGreaterThan(20);
    const kinds = new Set(all.map(({ kind }) => kind));
    for (const kind of [
      'detach',
      'pin',
      'block',
      'ban',
      'restore',
      'failingTick',
      'updateMany',
      'watchersAt',
    ] as const)
      expect([...kinds]).toContain(kind);
    const patched = new Set(all.flatMap((each) => (each.kind === 'update' ? Object.keys(each.patch) : [])));
    for (const name of ['reaches', 'needs', 'only', 'onlyGroup', 'volatile', 'group', 'watches', 'weight'])
      expect([...patched]).toContain(name);
  });

  test('interests have every rule, each by itself and with others', () => {
    const interests = all.flatMap((each) => (each.kind === 'setInterest' ? [each.interest] : []));
    const given = together.flatMap(({ options }) => Object.values(options.interests ?? {}));
    const rules = new Set([...interests, ...given].flatMap((interest) => Object.keys(interest)));
    expect([...rules].sort()).toEqual(
      [
        ...['admit', 'cap', 'enterBudget', 'incumbentBonus', 'leaveMargin', 'lingerTicks', 'memoryTicks'],
        ...['minDwellTicks', 'mutual', 'quotas', 'rank', 'showGroup', 'updateRates'],
      ].sort(),
    );
  });

  test('a seed gives the same again', () => {
    expect(createScript(7, { ...SIZE, together: true })).toEqual(together[7]);
    expect(createScript(7, { ...SIZE, together: false })).toEqual(scripts[7]);
  });
});

describe('with turnover', () => {
  const size = { operations: 2000, entities: 12, turnover: true };
  const short = Array.from({ length: 12 }, (_, seed) =>
    createScript(seed, { ...size, interests: seed % 2 === 1 }),
  );

  test('a seed gives one script, which survives JSON, and its size changes nothing of other scripts', () => {
    expect(createScript(3, { ...size, interests: true })).toEqual(short[3]);
    expect(JSON.parse(JSON.stringify(short[3]))).toEqual(short[3]);
    expect(createScript(3, { ...SIZE, turnover: false })).toEqual(scripts[3]);
  });

  test('hundreds of ticks see everybody replaced again and again, and worlds restored', () => {
    for (const { operations, seed } of short) {
      const added = operations.flatMap((each) => (each.kind === 'addMany' ? each.keys : []));
      const ticks = operations.filter(({ kind }) => kind === 'tick').length;
      expect(ticks, `ticks of ${seed}`).toBeGreaterThan(300);
      expect(added.length, `entities of ${seed}`).toBeGreaterThan(ticks);
    }
    const kinds = short.flatMap((script) => script.operations.map(({ kind }) => kind));
    expect(kinds.filter((kind) => kind === 'restore').length).toBeGreaterThan(12);
    expect(kinds.filter((kind) => kind === 'churn').length).toBeGreaterThan(2);
  });
});

describe('Random', () => {
  test('gives the same numbers on every machine', () => {
    const random = new Random(1);
    expect([random.bits(), random.bits(), random.bits()]).toMatchInlineSnapshot(`
      [
        2095970893,
        2323120780,
        1834988680,
      ]
    `);
  });

  test('spreads evenly, and draws by weight', () => {
    const random = new Random(2);
    const counts = [0, 0, 0, 0];
    for (let i = 0; i < 40_000; i++) counts[random.below(4)]++;
    for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(500);
    const drawn = [0, 0, 0];
    for (let i = 0; i < 30_000; i++) drawn[random.weighted([1, 0, 2])]++;
    expect(drawn[1]).toBe(0);
    expect(Math.abs(drawn[0] - 10_000)).toBeLessThan(500);
  });

  test('nearby seeds have nothing in common', () => {
    const firsts = new Set(Array.from({ length: 1000 }, (_, seed) => new Random(seed).bits()));
    expect(firsts.size).toBe(1000);
  });
});
