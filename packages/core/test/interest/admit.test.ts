/** Admit: a function of the game, called seldom. A refused marker gets no seat. */
import { expect, test, vi } from 'vitest';
import { type EntityId, type Interest, World } from '../../src/index.ts';
import { RowEdits } from '../../src/interest/seats/row-edits.ts';
import { Lineup } from './lineup.ts';
import { NEVER_SEARCHED, numbersFrom, withShares } from './searched-lives.ts';

/** An interest that admits all markers except those in `refused`, and logs the markers it was called for. */
function doorkeeper(more: Interest = {}) {
  const asked: EntityId[] = [];
  const refused = new Set<EntityId>();
  const admit = (_watcher: EntityId, marker: EntityId): boolean => {
    asked.push(marker);
    return !refused.has(marker);
  };
  return { asked, refused, interest: { ...more, admit } satisfies Interest };
}

test('a refused marker is not related', () => {
  const { interest } = doorkeeper();
  const lineup: Lineup = new Lineup(
    { ...interest, admit: (_watcher, marker) => marker !== lineup.markers[1] },
    [10, 20, 30],
  );
  expect(lineup.tick().entered).toEqual([0, 2]);
});

test('it is called when a pair becomes a candidate, and not again while it is one', () => {
  const { asked, interest } = doorkeeper();
  const lineup = new Lineup(interest, [10, 500]);
  lineup.tick();
  expect(asked).toEqual([lineup.markers[0]]);
  lineup.walk(0, 11);
  lineup.ticks(3);
  expect(asked.length).toBe(1);
  lineup.walk(1, 20);
  lineup.tick();
  expect(asked).toEqual([...lineup.markers]);
  lineup.walk(0, 500);
  lineup.tick();
  lineup.walk(0, 10);
  lineup.tick();
  expect(asked).toEqual([...lineup.markers, lineup.markers[0]]);
});

test.each([
  ['nothing', false],
  ['another marker', true],
])(
  'it is called again for a marker that lost its seat while the margin held it, if then %s moved',
  (_, moves) => {
    const { asked, interest } = doorkeeper({ cap: 1, leaveMargin: 50 });
    const lineup = new Lineup(interest, [90, 900]);
    lineup.tick();
    lineup.walk(0, 140);
    lineup.add(10);
    expect(lineup.tick().left).toEqual([0]);
    if (moves) lineup.walk(1, 901);
    lineup.tick();
    asked.length = 0;
    lineup.walk(0, 95);
    lineup.tick();
    expect(asked).toEqual([lineup.markers[0]]);
  },
);

test('it is called again whenever the marker or the watcher was touched', () => {
  const { asked, refused, interest } = doorkeeper();
  const lineup = new Lineup(interest, [10, 20]);
  lineup.tick();
  refused.add(lineup.markers[0]);
  expect(lineup.tick().left).toEqual([]);
  lineup.world.touch(lineup.markers[0]);
  expect(lineup.tick().left).toEqual([0]);
  refused.clear();
  asked.length = 0;
  lineup.world.touch(lineup.watcher);
  expect(lineup.tick().entered).toEqual([0]);
  expect(asked).toEqual([...lineup.markers]);
});

test.each([
  ['without a cap', {}],
  ['with a free seat', { cap: 4 }],
  ['with no free seat', { cap: 1 }],
  ['ranked by a function', { cap: 1, rank: (_: EntityId, marker: EntityId) => -marker }],
] satisfies [string, Interest][])(
  '%s: it is called when a marker that was refused in the margin is perceived again',
  (_, rules) => {
    const { asked, refused, interest } = doorkeeper({ ...rules, leaveMargin: 10 });
    const lineup = new Lineup(interest, [80, 81]);
    const at = lineup.add(90, { weight: 100 });
    expect(lineup.tick().entered).toContain(at);
    refused.add(lineup.markers[at]!);
    lineup.walk(at, 105);
    lineup.world.touch(lineup.markers[at]!);
    expect(lineup.tick().left).toEqual([at]);
    refused.clear();
    asked.length = 0;
    lineup.walk(at, 90);
    expect(lineup.tick().entered).toEqual([at]);
    expect(asked).toEqual([lineup.markers[at]]);
  },
);

test('a refused marker takes no seat from another one', () => {
  const { refused, interest } = doorkeeper({ cap: 1 });
  const lineup = new Lineup(interest, [10, 20]);
  refused.add(lineup.markers[0]);
  lineup.tick();
  expect(lineup.seen).toEqual([1]);
});

test('it is not called for markers that are pinned, of the group or shown always', () => {
  const { asked, interest } = doorkeeper({ showGroup: true });
  const lineup = new Lineup(interest, [10], { watcher: { group: 7 } });
  lineup.add(20, { group: 7 });
  lineup.add(30, { always: true });
  lineup.world.pin(lineup.watcher, lineup.markers[0]);
  lineup.tick();
  expect(lineup.seen).toEqual([0, 1, 2]);
  expect(asked).toEqual([]);
});

test('it is called in each tick for an entity that became volatile while no interest had rules', () => {
  let isOpen = true;
  const world = new World({ interests: { default: {}, ask: { admit: () => true } } });
  const marker = world.add({ x: 1, y: 0 });
  world.add({ x: 500, y: 0, volatile: true });
  world.tick();
  world.setInterest('ask', {});
  world.tick();
  world.update(marker, { volatile: true });
  world.tick();
  const watcher = world.add({ x: 0, y: 0, range: 5, interest: 'ask' });
  world.setInterest('ask', { admit: () => isOpen });
  world.tick();
  expect([...world.visibleTo(watcher)]).toEqual([marker]);
  isOpen = false;
  world.move(marker, 1, 0.2);
  expect(world.tick().leftCount).toBe(1);
});

// What a watcher at rest had is forgotten. One without range remembers as many as its cap, of equally old ones the lower id, which
// is back as an incumbent then.
test.each([
  ['is put to rest', { watches: false }, { watches: true }, 'nearer'],
  ['loses its range', { range: 0 }, { range: 10 }, 'touched'],
] as const)(
  'a watcher that %s as its interest changes keeps no answer of a touched marker',
  (_, off, on, seated) => {
    const ask = { cap: 1, memoryTicks: 20, admit: () => true };
    const world = new World({ interests: { default: {}, ask } });
    const touched = world.add({ x: 5.2, y: 0 });
    const nearer = world.add({ x: 5, y: 0 });
    const watcher = world.add({ x: 0, y: 0, range: 10 });
    world.tick();
    world.update(watcher, { ...off, interest: 'ask' });
    world.touch(touched);
    world.tick();
    void World.restore(world.snapshot(), { interests: { ask } }).dispose();
    world.update(watcher, on);
    world.tick();
    expect([...world.visibleTo(watcher)]).toEqual([{ nearer, touched }[seated]]);
  },
);

test.each([
  ['a cap', { cap: 4 }],
  ['a cap, a margin and dwell', { cap: 5, leaveMargin: 2, minDwellTicks: 3 }],
  // The kernel gives back rows in which a pair begins to linger, or more enter than the budget allows.
  ['a cap and lingering', { cap: 4, lingerTicks: 2 }],
  ['a cap and a budget', { cap: 4, enterBudget: 1 }],
] satisfies [string, Interest][])(
  'under %s it is called once for each new candidate, whoever decides the row',
  (_, rules) => {
    const random = numbersFrom(11);
    const place = () => ({ x: 60 * random(), y: 60 * random() });
    const asked: string[][] = [[], []];
    const worlds = asked.map((calls) => {
      const admit = (watcher: EntityId, marker: EntityId, squared: number) => {
        calls.push(`${watcher} ${marker} ${squared}`);
        return (watcher + marker) % 7 !== 0;
      };
      return new World({ interests: { default: { ...rules, admit } } });
    });
    const places = Array.from({ length: 90 }, place);
    const ids = places.map(
      (at, i) => worlds.map((world) => world.add({ ...at, range: 15, volatile: i % 30 === 0 }))[0]!,
    );
    let calls = 0;
    for (let tick = 0; tick < 40; tick++) {
      const [hash, expected] = [
        worlds[0]!.tick().hash(),
        withShares(NEVER_SEARCHED, () => worlds[1]!.tick().hash()),
      ];
      expect(hash).toBe(expected);
      const [found, wanted] = asked.map((each) => each.splice(0).sort());
      expect(found).toEqual(wanted);
      expect(new Set(found).size).toBe(found!.length);
      calls += found!.length;
      places.forEach((at, i) => {
        at.x += 2 * (random() - 0.5);
        at.y += 2 * (random() - 0.5);
        if (random() < 0.02) Object.assign(at, place());
        for (const world of worlds) world.move(ids[i]!, at.x, at.y);
      });
      if (tick % 5 === 0) for (const world of worlds) world.touch(ids[tick]!);
    }
    expect(calls).toBeGreaterThan(1000);
  },
);

test.each([
  ['a promise', Promise.resolve(true), 'an object (Promise)'],
  ['nothing', undefined, 'undefined'],
  ['a number', 1, '1'],
])('one that answers %s fails the tick, and says why', (_, answer, told) => {
  let isWrong = true;
  const admit = () => (isWrong ? (answer as unknown as boolean) : true);
  for (const rules of [{}, { cap: 1 }, { cap: 1, memoryTicks: 3, lingerTicks: 2 }]) {
    isWrong = true;
    const world = new World({ interests: { default: { ...rules, admit } } });
    world.addMany({ x: [0, 1, 2], y: [0, 0, 0], range: 5 });
    expect(() => world.tick()).toThrow(
      `admit: ${told} was given, expected true or false as its answer, at once`,
    );
    isWrong = false;
    expect(world.tick().enteredCount).toBeGreaterThan(0);
  }
});

test.each([
  ['touched', (world: World, id: EntityId) => world.touch(id)],
  ['volatile', (world: World, id: EntityId) => world.update(id, { volatile: true })],
])(
  'of one that is %s, only rows that contain it are decided, even if it has no seat in them',
  (_, change) => {
    const { asked, refused, interest } = doorkeeper({ cap: 2 });
    const world = new World({ interests: { default: interest } });
    // Groups far from each other, in each of which one watches the others.
    const groups = Array.from({ length: 50 }, (_, i) => {
      const watcher = world.add({ x: 1000 * i, y: 0, range: 10, marker: false });
      const markers = [1, 2, 3].map((dx) => world.add({ x: 1000 * i + dx, y: 0 }));
      return { watcher, markers };
    });
    const [near, , far] = groups[7]!.markers as [EntityId, EntityId, EntityId];
    refused.add(near);
    world.tick();
    world.tick();
    const rows = vi.spyOn(RowEdits.prototype, 'ask');
    asked.length = 0;
    change(world, far);
    world.tick();
    expect(asked).toEqual([far]);
    expect(rows.mock.calls.map(([watcher]) => watcher)).toEqual([groups[7]!.watcher >>> 10]);
    refused.clear();
    change(world, near);
    expect([...(world.tick().of(groups[7]!.watcher)?.entered ?? [])]).toEqual([near]);
    rows.mockRestore();
  },
);

test('it is called in each tick for a volatile marker that is shown always and lingers with a watcher whose range has ended', () => {
  const { asked, refused, interest } = doorkeeper({ lingerTicks: 9 });
  const world = new World({ interests: { default: interest } });
  const watcher = world.add({ x: 0, y: 0, range: 100, marker: false });
  const bell = world.add({ x: 10, y: 0, always: true, volatile: true });
  world.pin(watcher, world.add({ x: 500, y: 0 }));
  // With few rows, all are decided.
  for (let i = 1; i <= 20; i++) world.add({ x: 1000 * i, y: 0, range: 10 });
  world.tick();
  expect(asked).toEqual([]);
  world.update(watcher, { range: 0 });
  for (let tick = 1; tick <= 3; tick++) {
    expect(world.tick().leftCount).toBe(0);
    expect(asked).toEqual(new Array(tick).fill(bell));
  }
  refused.add(bell);
  expect([...(world.tick().of(watcher)?.left ?? [])]).toEqual([bell]);
});
