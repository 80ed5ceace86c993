/** What a page is told of the selected's relations: by which senses, by what else, and whom the cap cut. */
import { World } from 'umwelt';
import { expect, it } from 'vitest';
import { perceivedBy, seatsOf } from '../src/feed/relations.ts';
import { HOLDS, type Hold } from '../src/focus-frame.ts';

/** How the watcher relates to each of `ids`, by the words for it. */
function told(world: World, watcher: number): Record<number, [senses: number, hold: Hold]> {
  const { ids, senses, holds } = perceivedBy(world, watcher);
  return Object.fromEntries(
    [...ids].map((id, i) => [id, [senses[i] as number, HOLDS[holds[i] as number] as Hold]]),
  );
}

it('senses are told as masks, and what is related by other means by name', () => {
  const world = new World({
    senses: ['sight', 'hearing'],
    groups: ['party'],
    interests: { default: { leaveMargin: 10, showGroup: true } },
  });
  const group = { group: 7 };
  const watcher = world.add({ x: 0, y: 0, range: { sight: 50, hearing: 20 }, ...group });
  const both = world.add({ x: 10, y: 0 });
  const seen = world.add({ x: 40, y: 0 });
  const leaving = world.add({ x: 49, y: 0 });
  const friend = world.add({ x: 900, y: 0, ...group });
  const pinned = world.add({ x: 0, y: 900 });
  const bell = world.add({ x: 0, y: 950, always: true });
  world.pin(watcher, pinned);
  world.tick();
  world.move(leaving, 55, 0);
  world.tick();
  expect(told(world, watcher)).toEqual({
    [both]: [3, 'senses'],
    [seen]: [1, 'senses'],
    [leaving]: [1, 'margin'],
    [friend]: [0, 'group'],
    [pinned]: [0, 'pin'],
    [bell]: [0, 'always'],
  });
});

it('seats are told where there is a cap, with whom it cut', () => {
  const world = new World({ interests: { default: { cap: 1 }, free: {} } });
  const watcher = world.add({ x: 0, y: 0, range: 50, marker: false });
  const free = world.add({ x: 0, y: 0, range: 50, marker: false, interest: 'free' });
  world.add({ x: 10, y: 0 });
  const cut = world.add({ x: 20, y: 0 });
  world.tick();
  const seats = { seats: 1, seated: 1, outrankedTotal: 1 };
  expect(seatsOf(world, watcher)).toEqual({
    ...seats,
    outranked: Uint32Array.of(cut),
    places: Uint32Array.of(2),
  });
  expect(seatsOf(world, free).seats).toBeUndefined();
});
