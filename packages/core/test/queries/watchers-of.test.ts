/** Who relates to a marker is asked of those near it and of those that may relate from afar, and not of everybody with rules. */
import { afterEach, expect, test, vi } from 'vitest';
import { type Interest, World } from '../../src/index.ts';
import { PairRows } from '../../src/interest/pair-rows.ts';

const COUNT = 1600;

afterEach(() => vi.restoreAllMocks());

/** Walkers on a lattice, ten units apart, each of which perceives some twelve. */
function lattice(interest: Interest) {
  const world = new World({ interests: { default: interest } });
  const side = Math.sqrt(COUNT);
  const column = (place: (i: number) => number) =>
    Float32Array.from({ length: COUNT }, (_, i) => 10 * place(i));
  const x = column((i) => i % side);
  const y = column((i) => Math.floor(i / side));
  const ids = world.addMany({ x, y, range: 20 });
  world.tick();
  world.moveMany(
    ids,
    x.map((each) => each + 1),
    y,
  );
  world.tick();
  return { world, ids };
}

/** In how many rows it is looked for while `ask` runs. */
function rowsAsked(ask: () => void): number {
  const find = vi.spyOn(PairRows.prototype, 'find');
  ask();
  return find.mock.calls.length;
}

test.each<[string, Interest]>([
  ['a cap', { cap: 6 }],
  ['a cap, dwell, memory and a margin', { cap: 6, minDwellTicks: 3, memoryTicks: 5, leaveMargin: 5 }],
  ['a function that admits', { admit: (_, marker) => marker % 3 !== 0 }],
  ['mutual consent', { cap: 6, mutual: true }],
  ['linger', { lingerTicks: 3 }],
  ['groups that are shown', { cap: 6, showGroup: true }],
])('with %s it looks into the rows of those near', (_, interest) => {
  const { world, ids } = lattice(interest);
  const marker = ids[COUNT / 2 + 20] as number;
  const expected = [...ids].filter((watcher) => world.related(watcher, marker));
  const asked = rowsAsked(() => expect([...world.watchersOf(marker)]).toEqual(expected));
  expect(asked).toBeLessThan(100);
});

test('those that relate from afar are among them: pins, groups, what lingers', () => {
  const { world, ids } = lattice({ cap: 40, showGroup: true, lingerTicks: 2, admit: () => true });
  const marker = ids[0] as number;
  const [pinning, unpinning, fellow, near] = [1599, 1598, 1597, 1] as const;
  world.pin(ids[unpinning] as number, marker);
  world.update(marker, { group: 3 });
  world.update(ids[fellow] as number, { group: 3 });
  world.tick();
  world.pin(ids[pinning] as number, marker);
  world.unpin(ids[unpinning] as number, marker);
  const from = (places: readonly number[]) =>
    places.map((place) => ids[place]).sort((a, b) => Number(a) - Number(b));
  expect([...world.watchersOf(marker)]).toEqual(expect.arrayContaining(from([near, unpinning, fellow])));
  expect(world.watchersOf(marker)).not.toContain(ids[pinning]);
  world.move(marker, -100_000, 0);
  world.tick();
  expect(world.watchersOf(marker)).toContain(ids[near]);
  expect(world.watchersOf(marker)).toContain(ids[pinning]);
  for (let tick = 0; tick < 3; tick++) world.tick();
  expect([...world.watchersOf(marker)]).toEqual(from([pinning, fellow]));
});
