/** Explain: the rule that decided a pair at the last tick, its numbers, and a sentence that a person can read. */
import { describe, expect, test } from 'vitest';
import { type EntityPatch, type Interest, World, type WorldOptions } from '../../src/index.ts';

/** A watcher at the origin with range 50, and one marker; explained after a tick. */
function pairAt(
  distance: number,
  marker: EntityPatch = {},
  watcher: EntityPatch = {},
  interest: Interest = {},
) {
  const world = new World({
    groups: ['party', 'raid'],
    senses: ['sight', 'hearing'],
    interests: { default: interest },
  });
  const from = world.add({ x: 0, y: 0, range: 50, marker: false, ...watcher });
  const to = world.add({ x: distance, y: 0, ...marker });
  const explain = () => world.explain(from, to);
  const explained = () => {
    world.tick();
    return explain();
  };
  return { world, from, to, explain, explained };
}

describe('related', () => {
  test('by senses', () => {
    const { explained, from, to } = pairAt(41.25, {}, { range: { sight: 50, hearing: 45 } });
    expect(explained()).toEqual({
      watcher: from,
      marker: to,
      related: true,
      rule: 'senses',
      senses: ['sight', 'hearing'],
      distance: 41.25,
      reach: 50,
      margin: 0,
      sentence: 'related: perceived by sight, hearing: distance 41.25, reach 50',
    });
  });

  test('by linger, with the ticks that are left', () => {
    const world = new World({ interests: { default: { lingerTicks: 5 } } });
    const [watcher, marker] = [world.add({ x: 0, y: 0, range: 50 }), world.add({ x: 10, y: 0 })];
    world.tick();
    world.update(marker, { gain: 0 });
    world.tick();
    world.tick();
    expect(world.explain(watcher, marker)).toEqual({
      watcher,
      marker,
      related: true,
      rule: 'linger',
      senses: [],
      distance: 10,
      reach: 0,
      margin: 0,
      ticksLeft: 3,
      sentence: 'related: lingers: not perceived for 2 of 5 ticks',
    });
    const restored = World.restore(world.snapshot());
    expect(restored.explain(watcher, marker)).toEqual(world.explain(watcher, marker));
  });

  test('by margin', () => {
    const { world, to, explained } = pairAt(45, {}, {}, { leaveMargin: 5 });
    world.tick();
    world.move(to, 52, 0);
    expect(explained()).toMatchObject({
      related: true,
      rule: 'margin',
      senses: ['sight'],
      distance: 52,
      reach: 50,
      margin: 5,
      sentence: 'related: held by margin: distance 52, reach 50, margin 5',
    });
  });

  test('by a pin, with its reasons', () => {
    const { world, from, to, explained } = pairAt(900);
    world.pin(from, to, 'quest');
    world.pin(from, to, 'party');
    expect(explained()).toMatchObject({
      related: true,
      rule: 'pin',
      senses: [],
      reasons: ['quest', 'party'],
      sentence: 'related: pinned: quest, party',
    });
    world.unpin(from, to, 'quest');
    world.unpin(from, to, 'party');
    world.pin(from, to);
    expect(explained()).toMatchObject({ rule: 'pin', reasons: [''], sentence: 'related: pinned' });
  });

  test('by a group, with its kind and number', () => {
    const group = { group: { raid: 7 } };
    const { explained } = pairAt(900, group, group, { showGroup: true });
    expect(explained()).toMatchObject({
      related: true,
      rule: 'group',
      senses: [],
      distance: 900,
      sentence: 'related: of the same group: raid 7, distance 900',
    });
  });

  test('by always', () => {
    expect(pairAt(900, { always: true }).explained()).toMatchObject({
      related: true,
      rule: 'always',
      senses: [],
      sentence: 'related: shown always, distance 900',
    });
  });
});

describe('not related', () => {
  test('nobody relates to itself', () => {
    const { world, from } = pairAt(1);
    world.tick();
    expect(world.explain(from, from)).toMatchObject({ related: false, rule: 'itself' });
  });

  test('who came after the last tick is not there yet', () => {
    const { explain, world, from, to } = pairAt(1);
    expect(explain()).toMatchObject({ related: false, rule: 'not-yet' });
    world.tick();
    const late = world.add({ x: 1, y: 0, range: 5 });
    expect(world.explain(from, late).sentence).toBe('not related: the marker was added after the last tick');
    expect(world.explain(late, to).sentence).toBe('not related: the watcher was added after the last tick');
  });

  test('by a block', () => {
    const { world, from, to, explained } = pairAt(1);
    world.block(from, to);
    expect(explained()).toMatchObject({ related: false, rule: 'block', sentence: 'not related: blocked' });
  });

  test('where the watcher perceives nothing', () => {
    expect(pairAt(1, {}, { range: 0 }).explained()).toMatchObject({
      related: false,
      rule: 'no-watcher',
      reach: 0,
      sentence: 'not related: the watcher has no range in any sense, and no pin',
    });
  });

  test('where the other is no marker', () => {
    expect(pairAt(1, { marker: false }).explained()).toMatchObject({
      related: false,
      rule: 'no-marker',
      sentence: 'not related: it is no marker',
    });
  });

  test('by layers', () => {
    const { rule, sentence } = pairAt(1, { layers: 0b100 }, { sees: 0b11 }).explained();
    expect(rule).toBe('layers');
    expect(sentence).toBe('not related: its layers 0x4 are not among those the watcher sees, 0x3');
  });

  test('by channels', () => {
    const { rule, sentence } = pairAt(1, { channel: 2 }, { channel: 1 }).explained();
    expect(rule).toBe('channel');
    expect(sentence).toBe('not related: it is in channel 2, the watcher in 1');
  });

  test('by what it needs, whose it is and its group', () => {
    expect(pairAt(1, { needs: 6 }, { sees: 3 }).explained()).toMatchObject({
      rule: 'needs',
      sentence: 'not related: it needs a watcher that sees all of 0x6, and this one sees 0x3',
    });
    expect(pairAt(1, { group: 2, onlyGroup: true }, { group: 1 }).explained()).toMatchObject({
      rule: 'only-group',
      sentence: 'not related: it is only for its own group: party, raid',
    });
    const world = new World();
    const [watcher, owner] = [world.add({ x: 0, y: 0, range: 5 }), world.add({ x: 0, y: 0, range: 5 })];
    const loot = world.add({ x: 0, y: 0, only: owner });
    world.tick();
    expect(world.explain(watcher, loot).sentence).toBe(`not related: it is only for ${owner}`);
    expect(world.explain(owner, loot).rule).toBe('senses');
    world.remove(owner);
    world.tick();
    expect(world.explain(watcher, loot)).toMatchObject({
      rule: 'only',
      sentence: `not related: it is only for ${owner}, which was removed`,
    });
  });

  test('when cloaked', () => {
    expect(pairAt(1, { gain: 0 }).explained()).toMatchObject({
      related: false,
      rule: 'cloaked',
      reach: 0,
      sentence: 'not related: imperceptible: gain 0 in every sense',
    });
  });

  test('out of reach, gain, minReach and maxReach counted', () => {
    expect(pairAt(30, { gain: 0.5 }).explained()).toMatchObject({
      related: false,
      rule: 'range',
      distance: 30,
      reach: 25,
      sentence: 'not related: out of reach: distance 30, reach 25; range 50',
    });
    expect(pairAt(90, { minReach: 80 }).explained()).toMatchObject({ rule: 'range', reach: 80 });
    expect(pairAt(30, { maxReach: 20 }).explained()).toMatchObject({ rule: 'range', reach: 20 });
  });

  test('with the half extents or the cells, where the distance alone would say otherwise', () => {
    const sentenceAt = (options: WorldOptions, range: number, x: number, y: number, z = 0) => {
      const world = new World(options);
      const [watcher, marker] = [world.add({ x: 0, y: 0, z: 0, range }), world.add({ x, y, z })];
      world.tick();
      return world.explain(watcher, marker).sentence;
    };
    expect(sentenceAt({}, 5, 5.0001, 0)).toBe('not related: out of reach: distance 5.0001, reach 5');
    const box: WorldOptions = { rangeShape: 'box', rangeRatio: [1, 0.5] };
    const half = 'measured as a box of 10 x 5 to each side';
    expect(sentenceAt(box, 10, 0, 7)).toBe(`not related: out of reach: distance 7, reach 10, ${half}`);
    expect(sentenceAt(box, 10, 10, 5)).toBe(`related: perceived by sight: distance 11.18, reach 10, ${half}`);
    const cylinder: WorldOptions = { dimensions: 3, rangeShape: 'cylinder', rangeRatio: [1, 1, 0.3] };
    expect(sentenceAt(cylinder, 10, 0, 0, 4)).toMatch(/measured as a cylinder of 10 x 10 x 3 to each side$/);
    const cells: WorldOptions = { detector: 'nine-grid', granularity: 'cell', cellSize: 10 };
    const byCells = 'distance 25, reach 100, measured by cells';
    expect(sentenceAt(cells, 100, 25, 0)).toBe(`not related: out of reach: ${byCells}`);
    expect(sentenceAt(cells, 1, 15, 0)).toMatch(/^related: .* distance 15, reach 1, measured by cells$/);
  });

  test('by a cap of 0, although nothing relates by force', () => {
    const { sentence, seats } = pairAt(1, {}, { cap: 0 }).explained();
    expect(sentence).toBe('not related: cut by cap: rank 1 of 0, distance 1, weight 1; it has no seats');
    expect(seats).toBe(0);
  });

  test.each([{ cap: 2 }, { quotas: [{ layers: 1, cap: 2 }] }])('while others wait for %o', (limit) => {
    const world = new World({ interests: { default: { ...limit, enterBudget: 1, incumbentBonus: 0 } } });
    const watcher = world.add({ x: 0, y: 0, range: 10, marker: false });
    const [, second, third] = [1, 2, 3].map((x) => world.add({ x, y: 0 }));
    world.tick();
    const waits = world.explain(watcher, second).sentence;
    expect(waits).toBe('not related: waiting to enter for 1 tick; each tick lets 1 in');
    const { rule, seats, place, lastSeatedRank, sentence } = world.explain(watcher, third);
    expect(rule).toBe('cap' in limit ? 'cap' : 'quota');
    expect({ seats, place, lastSeatedRank }).toEqual({ seats: 2, place: 3, lastSeatedRank: 1 });
    expect(sentence).toMatch(/rank 3 of 2, distance 3, weight 1; the 1st ranks at 1$/);
  });

  test('beyond the margin it is the reach that is named', () => {
    expect(pairAt(52, {}, {}, { leaveMargin: 5 }).explained()).toMatchObject({
      rule: 'range',
      margin: 5,
      reach: 50,
    });
  });

  test('where the interest does not admit it', () => {
    expect(pairAt(1, {}, {}, { admit: () => false }).explained()).toMatchObject({
      related: false,
      rule: 'admit',
      senses: ['sight'],
      sentence: "not related: not admitted by the interest's function",
    });
  });

  test('cut by the cap, with its place and what the last seated ranks at', () => {
    const { world, from, to, explained } = pairAt(41.25, {}, {}, { cap: 3, incumbentBonus: 0 });
    world.addMany({ x: [10, 20, 37.5, 38], y: [0, 0, 0, 0] });
    expect(explained()).toEqual({
      watcher: from,
      marker: to,
      related: false,
      rule: 'cap',
      senses: ['sight'],
      distance: 41.25,
      reach: 50,
      margin: 0,
      seats: 3,
      place: 5,
      rank: 41.25,
      lastSeatedRank: 37.5,
      weight: 1,
      sentence: 'not related: cut by cap: rank 5 of 3, distance 41.25, weight 1; the 3rd ranks at 37.5',
    });
  });

  test('cut by the cap: ranks count with weight, and with the bonus of who sits', () => {
    const { world, explained } = pairAt(45, { weight: 2 }, {}, { cap: 1, incumbentBonus: 0.5 });
    world.add({ x: 20, y: 0 });
    world.tick();
    expect(explained()).toMatchObject({
      rule: 'cap',
      rank: 22.5,
      weight: 2,
      lastSeatedRank: 10,
      place: 2,
      seats: 1,
    });
  });

  test('cut by the cap: seats that a pin took are none for candidates', () => {
    const { world, from, explained } = pairAt(10, {}, {}, { cap: 1 });
    world.pin(from, world.add({ x: 800, y: 0 }));
    expect(explained()).toMatchObject({ rule: 'cap', seats: 0, place: 1 });
    world.add({ x: 5, y: 0 });
    world.setInterest('default', { cap: 2 });
    expect(explained().sentence).toMatch(/rank 2 of 1, .*; forced relations take 1 of 2 seats$/);
  });

  test('cut by the cap where a function ranks', () => {
    const { world, explained } = pairAt(
      10,
      {},
      {},
      { cap: 1, incumbentBonus: 0, rank: (_w, _m, far) => -far },
    );
    world.add({ x: 20, y: 0 });
    expect(explained().sentence).toBe(
      'not related: cut by cap: rank 2 of 1, distance 10, the function ranks it -10; the 1st ranks at -20',
    );
  });

  test('cut by a quota, with its place among those that it counts, cap or not', () => {
    const quotas = [
      { layers: 4, cap: 0 },
      { layers: 2, cap: 1 },
    ];
    for (const cap of [3, Number.POSITIVE_INFINITY]) {
      const world = new World({ interests: { default: { quotas, cap } } });
      const watcher = world.add({ x: 0, y: 0, range: 50, sees: -1 });
      const [, second, third] = [10, 20, 30].map((x) => world.add({ x, y: 0, layers: 2 }));
      world.add({ x: 40, y: 0 });
      const pet = world.add({ x: 5, y: 0, layers: 4 });
      world.tick();
      expect(world.explain(watcher, third as number)).toMatchObject({
        related: false,
        rule: 'quota',
        quota: 1,
        seats: 1,
        place: 3,
        rank: 30,
        lastSeatedRank: Math.fround(10 * Math.fround(0.85)),
        sentence:
          'not related: cut by quota 1, of layers 0x2: rank 3 of 1, distance 30, weight 1; the 1st ranks at 8.5',
      });
      expect(world.explain(watcher, second as number).place).toBe(2);
      expect(world.explain(watcher, pet).sentence).toBe(
        'not related: cut by quota 0, of layers 0x4: rank 1 of 0, distance 5, weight 1; it has no seats',
      );
    }
  });

  test('cut by the cap where a quota has seats left', () => {
    const world = new World({ interests: { default: { quotas: [{ layers: 2, cap: 2 }], cap: 1 } } });
    const watcher = world.add({ x: 0, y: 0, range: 50, sees: -1 });
    const [, second] = [10, 20].map((x) => world.add({ x, y: 0, layers: 2 }));
    world.tick();
    expect(world.explain(watcher, second as number)).toMatchObject({ rule: 'cap', seats: 1, place: 2 });
  });

  test('where the other side does not seat the watcher', () => {
    const { explained } = pairAt(10, { range: 5 }, { marker: true }, { mutual: true });
    expect(explained()).toMatchObject({
      related: false,
      rule: 'mutual',
      sentence: 'not related: the other side does not seat it: distance 10',
    });
  });
});

test('it is the last tick that is explained, whatever was changed since', () => {
  const { world, from, to, explain, explained } = pairAt(10);
  const before = explained();
  world.move(to, 500, 0);
  world.update(to, { gain: 0 });
  world.block(from, to);
  world.setInterest('default', { cap: 0 });
  expect(explain()).toEqual(before);
});

test('a pin has the reasons that it had at the last tick', () => {
  const { world, from, to, explain } = pairAt(900);
  world.pin(from, to, 'quest');
  world.tick();
  const before = explain();
  expect(before.reasons).toEqual(['quest']);
  world.pin(from, to, 'party');
  expect(explain()).toEqual(before);
  world.unpin(from, to, 'quest');
  expect(explain()).toEqual(before);
  const restored = World.restore(world.snapshot());
  expect(restored.explain(from, to)).toEqual(before);
  for (const each of [world, restored]) each.tick();
  expect(explain().reasons).toEqual(['party']);
  expect(restored.explain(from, to)).toEqual(explain());
  world.unpin(from, to, 'party');
  expect(explain().reasons).toEqual(['party']);
  world.tick();
  expect(explain().rule).toBe('range');
});

describe('one that lost its relation while the margin held it', () => {
  /** Related at 45, then at 52 within the margin, when `lose` takes the relation away. */
  function lost(interest: Interest, lose: (world: World, from: number, to: number) => void) {
    const { world, from, to, explain } = pairAt(45, {}, {}, { leaveMargin: 5, ...interest });
    world.tick();
    world.move(to, 52, 0);
    lose(world, from, to);
    world.tick();
    return { world, explain };
  }

  const banned = new Set<number>();
  const admit: Interest['admit'] = (_, marker) => !banned.has(marker);

  test.each<[string, Interest, (world: World, from: number, to: number) => void]>([
    ['cap', { cap: 1, incumbentBonus: 0 }, (world) => void world.add({ x: 1, y: 0 })],
    ['cap', { incumbentBonus: 0 }, (world, from) => world.update(from, { cap: 0 })],
    ['admit', { admit }, (world, _, to) => world.touch(to)],
    ['block', {}, (world, from, to) => world.block(from, to)],
  ])('did so by %s in that tick, and is out of reach from the next on', (rule, interest, lose) => {
    banned.clear();
    const { world, explain } = lost(interest, (each, from, to) => {
      banned.add(to);
      lose(each, from, to);
    });
    const { watcher, marker } = explain();
    expect(explain()).toMatchObject({ related: false, rule, senses: ['sight'], distance: 52 });
    const restored = World.restore(world.snapshot(), { interests: { default: interest } });
    expect(restored.explain(watcher, marker)).toEqual(explain());
    world.tick();
    expect(explain()).toMatchObject({ rule: rule === 'block' ? 'block' : 'range', senses: [] });
  });

  test('counts among candidates in that tick, and no longer', () => {
    const { world, from, to, explain } = pairAt(45, {}, {}, { leaveMargin: 9, cap: 1, incumbentBonus: 0 });
    world.tick();
    world.move(to, 52, 0);
    const [near, next] = [world.add({ x: 1, y: 0 }), world.add({ x: 50, y: 0, weight: 0.9 })];
    world.tick();
    expect(world.related(from, near)).toBe(true);
    expect(explain()).toMatchObject({ rule: 'cap', place: 2 });
    expect(world.explain(from, next)).toMatchObject({ rule: 'cap', place: 3 });
    world.tick();
    expect(world.explain(from, next)).toMatchObject({ rule: 'cap', place: 2 });
  });
});

test('of one who came since the last tick there are no numbers', () => {
  const { world, from } = pairAt(10, {}, {}, { leaveMargin: 3 });
  world.tick();
  const late = world.add({ x: 3, y: 4 });
  expect(world.explain(from, late)).toMatchObject({ rule: 'not-yet', distance: 0, reach: 0, margin: 0 });
});

test('what it says agrees with visibleTo, for everybody in a busy world', () => {
  const interests: Record<string, Interest> = {
    default: { cap: 4, leaveMargin: 3, showGroup: true },
    mutual: { mutual: true, cap: 6 },
    picky: { admit: (watcher, marker) => (watcher + marker) % 2 === 0 },
  };
  const world = new World({ senses: ['sight', 'hearing'], interests });
  const ids = Array.from({ length: 40 }, (_, i) =>
    world.add({
      x: (i * 37) % 100,
      y: (i * 61) % 100,
      range: { sight: 10 + (i % 5) * 10, hearing: i % 30 },
      gain: i % 11 === 0 ? 0 : 1,
      group: i % 6,
      layers: i % 7 === 0 ? 2 : 1,
      sees: i % 3 === 0 ? 3 : 1,
      channel: i % 13 === 0 ? 1 : 0,
      interest: ['default', 'mutual', 'picky'][i % 3],
      always: i === 17,
    }),
  );
  world.pin(ids[3], ids[39]);
  world.block(ids[4], ids[5]);
  const rules = new Set<string>();
  for (let tick = 0; tick < 4; tick++) {
    for (const [i, id] of ids.entries()) world.move(id, ((i + tick) * 37) % 100, (i * 61 + 2 * tick) % 100);
    world.tick();
    for (const watcher of ids) {
      const related = new Set(world.visibleTo(watcher));
      for (const marker of ids) {
        const answer = world.explain(watcher, marker);
        rules.add(answer.rule);
        expect(answer.related).toBe(related.has(marker));
        expect(answer.sentence.startsWith(answer.related ? 'related: ' : 'not related: ')).toBe(true);
        if (answer.related) expect(answer.senses.length > 0).toBe(world.senses(watcher, marker) !== 0);
      }
    }
  }
  expect(rules.size).toBeGreaterThan(10);
});
