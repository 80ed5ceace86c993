/** Outranked: whom a cap left without a seat, in the order in which they would get one. */
import { expect, test } from 'vitest';
import { type Interest, World } from '../../src/index.ts';

/** A watcher at the origin with range 50, and markers to the right of it; after a tick. */
function rowOfMarkers(distances: readonly number[], interest: Interest) {
  const world = new World({ interests: { default: interest } });
  const watcher = world.add({ x: 0, y: 0, range: 50, marker: false });
  const markers = [...world.addMany({ x: distances, y: distances.map(() => 0) })];
  world.tick();
  return { world, watcher, markers };
}

test('they come by rank, with their places after the seated', () => {
  const { world, watcher, markers } = rowOfMarkers([40, 10, 30, 20, 60], { cap: 2 });
  const [farthest, , third] = markers;
  expect(world.outranked(watcher)).toEqual({
    seats: 2,
    seated: 2,
    total: 2,
    ids: Uint32Array.of(third as number, farthest as number),
    places: Uint32Array.of(3, 4),
    ranks: Float64Array.of(30, 40),
  });
});

test('the limit cuts the lists and not the total', () => {
  const { world, watcher } = rowOfMarkers([10, 20, 30, 40], { cap: 1 });
  const { total, ids, places } = world.outranked(watcher, 2);
  expect([total, ids.length, [...places]]).toEqual([3, 2, [2, 3]]);
});

test('who was removed since is left out, and the others keep their places', () => {
  const { world, watcher, markers } = rowOfMarkers([10, 20, 30], { cap: 1 });
  world.remove(markers[1] as number);
  const { total, ids, places } = world.outranked(watcher);
  expect([total, [...ids], [...places]]).toEqual([1, [markers[2]], [3]]);
});

test('without a cap, and where all have seats, nobody is outranked', () => {
  const free = rowOfMarkers([10, 20], {});
  expect(free.world.outranked(free.watcher)).toMatchObject({ seats: Number.POSITIVE_INFINITY, total: 0 });
  const roomy = rowOfMarkers([10, 20], { cap: 2 });
  expect(roomy.world.outranked(roomy.watcher)).toMatchObject({ seats: 2, total: 0 });
});

test('seats and the seated are counted alike, whether or not the cap is reached', () => {
  for (const cap of [4, 5, 20]) {
    const { world, watcher, markers } = rowOfMarkers([10, 20, 60], { cap });
    world.pin(watcher, markers[2]);
    for (let tick = 0; tick < 3; tick++) {
      world.tick();
      expect(world.outranked(watcher)).toMatchObject({ seats: cap - 1, seated: 2, total: 0 });
    }
    world.unpin(watcher, markers[2]);
    world.tick();
    expect(world.outranked(watcher)).toMatchObject({ seats: cap, seated: 2, total: 0 });
  }
});

test('each is where explain says that it is, however many there are', () => {
  const distances = Array.from({ length: 300 }, (_, i) => ((i * 37) % 300) / 6);
  const { world, watcher, markers } = rowOfMarkers(distances, { cap: 20 });
  const { ids, places } = world.outranked(watcher, 300);
  expect(ids).toHaveLength(280);
  for (const marker of markers) {
    const i = ids.indexOf(marker);
    const { rule, place } = world.explain(watcher, marker);
    expect([rule, place]).toEqual(i < 0 ? ['senses', undefined] : ['cap', places[i]]);
  }
});

test('a limit that is no whole number is refused', () => {
  const { world, watcher } = rowOfMarkers([10], {});
  for (const limit of [-1, 1.5, Number.NaN]) {
    expect(() => world.outranked(watcher, limit)).toThrow(expect.objectContaining({ code: 'BAD_OPTION' }));
  }
});
