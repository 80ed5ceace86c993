/** Minus zero, given or rounded to, is stored as zero: worlds that differ in nothing else have the same bytes. */
import { expect, test } from 'vitest';
import { World } from '../../src/index.ts';

type Change = (world: World, ids: Uint32Array, zero: number, tiny: number) => void;

/** The state of a world after a change: of hundreds, so that kernels take the columns, or of one. */
function after(change: Change, kernels: 'wasm' | 'typescript', isMinus: boolean): [string, string] {
  const world = new World({ dimensions: 3, kernels });
  const column = Float32Array.from({ length: 100 }, (_, i) => i + 1);
  const ids = world.addMany({ x: column, y: column, z: column, range: 3, weight: 2 });
  world.tick();
  change(world, ids, isMinus ? -0 : 0, isMinus ? -1e-60 : 1e-60);
  world.tick();
  return [world.stateHash(), world.snapshot().toString()];
}

const changes: readonly (readonly [string, Change])[] = [
  ['weight by add', (world, _, zero) => world.add({ x: 0, y: 0, z: 0, weight: zero })],
  ['weight by update', (world, [id], zero) => world.update(id as number, { weight: zero })],
  ['weight by array', (world, ids, zero) => world.updateMany(ids, { weight: Array(100).fill(zero) })],
  [
    'weight by float32',
    (world, ids, zero) => world.updateMany(ids, { weight: new Float32Array(100).fill(zero) }),
  ],
  [
    'weight by float64',
    (world, ids, zero) => world.updateMany(ids, { weight: new Float64Array(100).fill(zero) }),
  ],
  ['incumbentBonus', (world, _, zero) => world.setInterest('default', { incumbentBonus: zero })],
  ['position by add', (world, _, zero, tiny) => world.add({ x: zero, y: tiny, z: tiny })],
  ['position by move', (world, [id], zero, tiny) => world.move(id as number, tiny, zero, tiny)],
  [
    'positions by addMany',
    (world, _, zero, tiny) => world.addMany({ x: [tiny, tiny], y: [tiny, zero], z: [zero, tiny] }),
  ],
  [
    'positions by float64',
    (world, ids, _, tiny) => {
      const column = new Float64Array(100).fill(tiny);
      world.moveMany(ids, column, column, column);
    },
  ],
  [
    'positions by float32',
    (world, ids, zero) => {
      const column = new Float32Array(100).fill(zero);
      world.moveMany(ids, column, column, column);
    },
  ],
];

test.for(changes)('minus zero as %s is zero', ([, change]) => {
  for (const kernels of ['wasm', 'typescript'] as const) {
    expect(after(change, kernels, true)).toEqual(after(change, kernels, false));
  }
});
