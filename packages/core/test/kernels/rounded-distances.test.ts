/**
 * JavaScript kernels compare distances in float64 first, and may do so only where rounding to float32 cannot change the answer.
 *
 * Markers step from outside the range to places that are within it only because their squared distance is rounded, and back.
 */
import { expect, test } from 'vitest';
import { Random } from '../../src/conformance/random.ts';
import { World, type WorldOptions } from '../../src/index.ts';

const RANGE = 37;
const MARKERS = 200;
/** Times as far from the watcher. */
const OUTSIDE = 1.03;
const f32 = Math.fround;

/** Relative to the watcher. */
function doubtfulPlaces(): [x: number, y: number][] {
  const random = new Random(3);
  const places: [number, number][] = [];
  while (places.length < MARKERS) {
    const x = f32(random.between(-RANGE, RANGE));
    const y = f32(Math.sqrt(RANGE * RANGE - x * x));
    const isWithin = x * x + y * y <= RANGE * RANGE;
    if (!isWithin && f32(f32(x * x) + f32(y * y)) <= RANGE * RANGE) places.push([x, y]);
  }
  return places;
}

/** How many markers enter with the first step, and leave with the second. */
function changesWith(options: WorldOptions): [entered: number, left: number] {
  const world = new World(options);
  world.add({ x: 0, y: 0, range: RANGE });
  const places = doubtfulPlaces();
  const ids = Uint32Array.from(places, ([x, y]) => world.add({ x: x * OUTSIDE, y: y * OUTSIDE }));
  const moveTo = (scale: number) =>
    world.moveMany(
      ids,
      places.map(([x]) => x * scale),
      places.map(([, y]) => y * scale),
    );
  world.tick();
  moveTo(1);
  const { enteredCount } = world.tick();
  moveTo(OUTSIDE);
  return [enteredCount, world.tick().leftCount];
}

test.each<WorldOptions>([{ detector: 'brute-force' }, { kernels: 'wasm' }, { kernels: 'typescript' }])(
  '%j: who is perceived is decided in float32',
  (options) => {
    expect(changesWith(options)).toEqual([MARKERS, MARKERS]);
  },
);
