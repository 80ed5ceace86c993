/**
 * A short life of a crowd, the same on every runtime: what it reports, as hashes. Runs in Node and, bundled, in a browser.
 */
import { type KernelChoice, World } from '../../src/index.ts';

/** The hash of each tick. Uses nothing but the engine and integer arithmetic. */
export function hashesOfWalk(kernels: KernelChoice): string[] {
  const world = new World({ kernels, senses: ['sight', 'hearing'] });
  let state = 7;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const ids = Array.from({ length: 400 }, () =>
    world.add({
      x: random() * 300,
      y: random() * 200,
      range: { sight: random() * 40, hearing: random() * 60 },
    }),
  );
  const hashes: string[] = [];
  for (let tick = 0; tick < 20; tick++) {
    hashes.push(world.tick().hash());
    for (const id of ids) {
      const [x, y] = world.position(id);
      world.move(id, (x ?? 0) + random() * 6 - 3, (y ?? 0) + random() * 6 - 3);
    }
    world.update(ids[tick] ?? 0, { gain: { sight: random() * 3 } });
  }
  return hashes;
}

/** Which kernels a world of this runtime runs by itself. */
export function kernelsInUse(): string {
  return new World().stats().kernels;
}
