/**
 * Wrong arguments for interests, ties, groups, caps and weights: each throws its code and changes nothing.
 */
import { describe, expect, test } from 'vitest';
import { UmweltError, type UmweltErrorCode, World } from '../../src/index.ts';

/** The call must throw this code, and the next tick must have nothing to report. */
function expectMistake(
  code: UmweltErrorCode,
  call: (world: World, ids: number[]) => unknown,
  field?: string,
): void {
  const world = new World({
    senses: ['sight', 'hearing'],
    groups: ['party', 'raid'],
    interests: { few: { cap: 1 } },
  });
  const ids = [...world.addMany({ x: [0, 1, 2], y: [0, 0, 0], range: 5 })];
  const gone = world.add({ x: 9, y: 0 });
  world.tick();
  world.remove(gone);
  world.tick();
  let thrown: unknown;
  try {
    call(world, [...ids, gone]);
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(UmweltError);
  expect((thrown as UmweltError).code).toBe(code);
  if (field !== undefined) expect((thrown as UmweltError).details.field).toBe(field);
  expect((thrown as UmweltError).message).toMatch(/expected|removed/);
  expect(world.tick().viewCount).toBe(0);
}

/** A list of two with nothing in the first place. */
function afterHole(item: unknown): unknown[] {
  const list: unknown[] = new Array(1);
  list.push(item);
  return list;
}

describe('interests', () => {
  test.each<[string, unknown, UmweltErrorCode]>([
    ['leaveMargin', -1, 'BAD_RANGE'],
    ['leaveMargin', Number.NaN, 'BAD_RANGE'],
    ['leaveMargin', 1.1e12, 'BAD_RANGE'],
    ['cap', -1, 'BAD_OPTION'],
    ['cap', 1.5, 'BAD_OPTION'],
    ['cap', Number.NaN, 'BAD_OPTION'],
    ['cap', '5', 'BAD_OPTION'],
    ['rank', 'farthest', 'BAD_OPTION'],
    ['admit', true, 'BAD_OPTION'],
    ['incumbentBonus', -0.1, 'BAD_OPTION'],
    ['incumbentBonus', 1.1, 'BAD_OPTION'],
    ['incumbentBonus', Number.NaN, 'BAD_OPTION'],
    ['minDwellTicks', -1, 'BAD_OPTION'],
    ['minDwellTicks', 0.5, 'BAD_OPTION'],
    ['memoryTicks', -1, 'BAD_OPTION'],
    ['memoryTicks', Number.POSITIVE_INFINITY, 'BAD_OPTION'],
    ['lingerTicks', -1, 'BAD_OPTION'],
    ['lingerTicks', 0.5, 'BAD_OPTION'],
    ['lingerTicks', 65_536, 'BAD_OPTION'],
    ['lingerTicks', null, 'BAD_OPTION'],
    ['quotas', { layers: 1, cap: 1 }, 'BAD_OPTION'],
    ['quotas', [null], 'BAD_OPTION'],
    ['quotas', [{ layers: 1 }], 'BAD_OPTION'],
    ['quotas', [{ layers: 1, cap: -1 }], 'BAD_OPTION'],
    ['quotas', [{ layers: 0.5, cap: 1 }], 'BAD_LAYERS'],
    ['quotas', [{ layers: 1, cap: 1, kind: 2 }], 'BAD_OPTION'],
    ['quotas', Array.from({ length: 33 }, () => ({ layers: 1, cap: 1 })), 'BAD_OPTION'],
    ['enterBudget', 0, 'BAD_OPTION'],
    ['enterBudget', 1.5, 'BAD_OPTION'],
    ['enterBudget', -1, 'BAD_OPTION'],
    ['enterBudget', null, 'BAD_OPTION'],
    ['showGroup', 'party', 'BAD_OPTION'],
    ['showGroup', ['guild'], 'UNKNOWN_GROUP'],
    ['showGroup', { kind: ['party'] }, 'BAD_OPTION'],
    ['showGroup', { kinds: true }, 'BAD_OPTION'],
    ['showGroup', { kinds: null }, 'BAD_OPTION'],
    ['showGroup', { kinds: ['guild'] }, 'UNKNOWN_GROUP'],
    ['showGroup', { within: 'range' }, 'BAD_RANGE'],
    ['showGroup', { within: -1 }, 'BAD_RANGE'],
    ['showGroup', { within: Number.NaN }, 'BAD_RANGE'],
    ['showGroup', { within: 1.1e12 }, 'BAD_RANGE'],
    ['showGroup', { through: 'gain' }, 'BAD_OPTION'],
    ['showGroup', { through: ['walls'] }, 'BAD_OPTION'],
    ['mutual', 1, 'BAD_OPTION'],
    ['updateRates', [], 'BAD_OPTION'],
    ['updateRates', Array.from({ length: 256 }, (_, i) => [(i + 1) / 256, 1]), 'BAD_OPTION'],
    ['updateRates', [[0, 1]], 'BAD_OPTION'],
    ['updateRates', [[1.1, 1]], 'BAD_OPTION'],
    ['updateRates', [[0.5, 0]], 'BAD_OPTION'],
    ['updateRates', [[0.5, 256]], 'BAD_OPTION'],
    ['updateRates', [[0.5, 1.5]], 'BAD_OPTION'],
    [
      'updateRates',
      [
        [0.5, 1],
        [0.5, 2],
      ],
      'BAD_OPTION',
    ],
    ['updateRates', [0.5, 1], 'BAD_OPTION'],
    ['leavemargin', 1, 'BAD_OPTION'],
  ])('%s: %o throws, in a world’s options and in setInterest', (name, value, code) => {
    const interest = { [name]: value };
    expectMistake(code, (world) => world.setInterest('few', interest));
    expectMistake(code, () => new World({ groups: ['party'], interests: { few: interest } }));
  });

  test.each<[string, unknown, UmweltErrorCode]>([
    ['updateRates', afterHole([1, 2]), 'BAD_OPTION'],
    ['quotas', afterHole({ layers: 1, cap: 1 }), 'BAD_OPTION'],
    ['showGroup', afterHole('party'), 'UNKNOWN_GROUP'],
    ['showGroup', { kinds: afterHole('party') }, 'UNKNOWN_GROUP'],
    ['showGroup', { through: afterHole('gain') }, 'BAD_OPTION'],
  ])('%s: a list with a hole is not taken for a shorter one', (name, value, code) => {
    const interest = { [name]: value };
    expectMistake(code, (world) => world.setInterest('few', interest));
    expectMistake(code, () => new World({ groups: ['party'], interests: { few: interest } }));
  });

  test.each<[string, unknown, string]>([
    ['enterBudget', 0, '0 was given, expected a whole number from 1, or Infinity'],
    ['enterBudget', -1, '-1 was given, expected a whole number from 1, or Infinity'],
    ['enterBudget', 1.5, '1.5 was given, expected a whole number from 1, or Infinity'],
    ['enterBudget', '2', "'2' was given, expected a whole number from 1, or Infinity"],
    ['cap', -1, '-1 was given, expected a whole number from 0, or Infinity'],
  ])('%s: %o says what is allowed', (name, value, message) => {
    const world = new World();
    expect(() => world.setInterest('few', { [name]: value })).toThrow(`interests.few.${name}: ${message}`);
  });

  test('an interest is an object and has a name', () => {
    for (const interest of [
      null,
      3,
      'few',
      [],
      new Map([['cap', 2]]),
      Promise.resolve({ cap: 2 }),
    ] as never[]) {
      expectMistake('BAD_OPTION', (world) => world.setInterest('few', interest), 'interests.few');
      expectMistake('BAD_OPTION', () => new World({ interests: { few: interest } }), 'interests.few');
    }
    for (const interests of [7, null, [], new Map()] as never[]) {
      expectMistake('BAD_OPTION', () => new World({ interests }), 'interests');
    }
    expectMistake('BAD_OPTION', (world) => world.setInterest('', {}));
  });

  test('a rejected interest leaves the former one in place, and adds no name', () => {
    const world = new World({ interests: { default: { cap: 1 } } });
    const [id] = world.addMany({ x: [0, 1, 2], y: [0, 0, 0], range: 5 });
    for (const name of ['default', 'other']) {
      expect(() => world.setInterest(name, [] as never)).toThrow(
        'an array of 0 was given, expected an Interest',
      );
    }
    world.tick();
    expect(world.visibleTo(id).length).toBe(1);
    expect(() => world.update(id, { interest: 'other' })).toThrow('expected one of default');
  });

  test('the name of an unknown interest throws', () => {
    expectMistake('UNKNOWN_INTEREST', (world) => world.add({ x: 0, y: 0, interest: 'many' }));
    expectMistake('UNKNOWN_INTEREST', (world, [id]) => world.update(id, { interest: 'many' }));
    expectMistake('UNKNOWN_INTEREST', (world) => world.on('enter', () => {}, { interest: 'many' }));
    expectMistake('BAD_OPTION', (world) => world.on('enter', () => {}, { intrest: 'few' } as never));
  });

  test('a margin is rejected with granularity cell', () => {
    const cells = { detector: 'nine-grid', granularity: 'cell', cellSize: 10 } as const;
    expectMistake('UNSUPPORTED', () => new World({ ...cells, interests: { default: { leaveMargin: 1 } } }));
    expectMistake('UNSUPPORTED', () => new World(cells).setInterest('default', { leaveMargin: 1 }));
  });
});

describe('entities', () => {
  test.each<[string, unknown, UmweltErrorCode]>([
    ['weight', -1, 'BAD_OPTION'],
    ['weight', Number.NaN, 'BAD_OPTION'],
    ['weight', Number.POSITIVE_INFINITY, 'BAD_OPTION'],
    ['cap', -1, 'BAD_OPTION'],
    ['cap', 2.5, 'BAD_OPTION'],
    ['group', -1, 'BAD_OPTION'],
    ['group', 1.5, 'BAD_OPTION'],
    ['group', 2 ** 32, 'BAD_OPTION'],
    ['group', { guild: 1 }, 'UNKNOWN_GROUP'],
    ['always', 1, 'BAD_OPTION'],
    ['updates', 'yes', 'BAD_OPTION'],
  ])('%s: %o throws', (name, value, code) => {
    expectMistake(code, (world) => world.add({ x: 0, y: 0, [name]: value }));
    expectMistake(code, (world, [id]) => world.update(id, { [name]: value }));
  });

  test('an unknown kind of groups is told which kinds the world has', () => {
    const entity = { x: 0, y: 0, group: { team: 1 } };
    const told = "group: 'team' was given, expected one of the world's kinds of groups:";
    expect(() => new World().add(entity)).toThrow(`${told} group`);
    expect(() => new World({ groups: ['party', 'guild'] }).add(entity)).toThrow(`${told} party, guild`);
  });

  test.each([[[]], [['a', 'b', 'c', 'd', 'e']], [['a', 'a']], [['']], ['party']])(
    'groups: %o are no kinds of groups',
    (groups) => expectMistake('BAD_OPTION', () => new World({ groups: groups as string[] })),
  );
});

describe('ties', () => {
  test.each(['pin', 'block'] as const)('%s takes two entities that are present', (tie) => {
    expectMistake('BAD_ID', (world, [id]) => world[tie](id, id));
    expectMistake('BAD_ID', (world, [id]) => world[tie](id, 0));
    expectMistake('BAD_ID', (world, [id]) => world[tie](7, id));
    expectMistake('STALE_ID', (world, [id, , , gone]) => world[tie](id, gone));
    expectMistake('STALE_ID', (world, [id, , , gone]) => world[tie](gone, id));
  });

  test.each(['unpin', 'unblock'] as const)(
    '%s accepts ids of removed entities, and no invalid ones',
    (tie) => {
      expectMistake('BAD_ID', (world, [id]) => world[tie](id, 0));
      const world = new World();
      const [one, gone] = world.addMany({ x: [0, 1], y: [0, 0] });
      world.pin(one, gone);
      world.remove(gone);
      world.tick();
      world[tie](one, gone);
      world[tie](gone, one);
      expect(world.tick().viewCount).toBe(0);
    },
  );

  test('a reason is a string, and its limits are checked', () => {
    expectMistake('BAD_OPTION', (world, [id, other]) => world.pin(id, other, 5 as never), 'reason');
    for (const [field, value, code] of [
      ['within', -1, 'BAD_RANGE'],
      ['within', Number.NaN, 'BAD_RANGE'],
      ['within', 1.1e12, 'BAD_RANGE'],
      ['within', '5', 'BAD_RANGE'],
      ['within', null, 'BAD_RANGE'],
      ['everyTicks', 0, 'BAD_OPTION'],
      ['everyTicks', 256, 'BAD_OPTION'],
      ['everyTicks', 1.5, 'BAD_OPTION'],
      ['everyTicks', null, 'BAD_OPTION'],
      ['range', 5, 'BAD_OPTION'],
    ] as const) {
      const options = { [field]: value };
      expectMistake(code, (world, [id, other]) => world.pin(id, other, '', options), field);
    }
    expectMistake('BAD_OPTION', (world, [id, other]) => world.pin(id, other, '', 5 as never), 'options');
    expectMistake('BAD_OPTION', (world, [id, other]) => world.unpin(id, other, null as never), 'reason');
  });
});

describe('queries', () => {
  test('explain takes ids of present entities', () => {
    expectMistake('STALE_ID', (world, [id, , , gone]) => world.explain(id, gone));
    expectMistake('STALE_ID', (world, [id, , , gone]) => world.explain(gone, id));
    expectMistake('BAD_ID', (world, [id]) => world.explain(id, 3));
  });

  test('targets takes a caster, a shape and the options of queries', () => {
    const circle = { kind: 'circle', x: 0, y: 0, radius: 5 } as const;
    expectMistake('STALE_ID', (world, [, , , gone]) => world.targets(gone, circle));
    expectMistake('BAD_SHAPE', (world, [id]) => world.targets(id, { ...circle, radius: -1 }));
    expectMistake('BAD_SHAPE', (world, [id]) => world.targets(id, { ...circle, kind: 'sphere' } as never));
    expectMistake('UNKNOWN_SENSE', (world, [id]) => world.targets(id, circle, { senses: ['smell'] }));
    expectMistake('BAD_OPTION', (world, [id]) => world.targets(id, circle, { limit: -1 }));
    expectMistake('BAD_OPTION', (world, [id]) => world.targets(id, circle, { sens: [] } as never));
    expectMistake('BAD_OPTION', (world) => world.query(circle, { senses: ['sight'] }));
  });
});
