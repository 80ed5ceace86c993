/** Worlds that get the same calls and must report the same: the detector that is the definition, and the sweep with both kinds of kernels. */
import { expect } from 'vitest';
import { World, type WorldOptions } from '../../src/index.ts';
import { changedPairs } from '../conformance/changed-pairs.ts';

/** The definition comes first, of changed pairs: in most ticks few change. */
export function threeWorlds(options: WorldOptions = {}): World[] {
  return [
    new World({ ...options, detector: changedPairs }),
    new World({ ...options, kernels: 'typescript' }),
    new World({ ...options, kernels: 'auto' }),
  ];
}

/** Ticks all worlds. `when` is part of a failure's message. */
export function expectAlike(worlds: readonly World[], when: string): void {
  const hashes = worlds.map((world) => {
    const hash = world.tick().hash();
    world.validate();
    return hash;
  });
  expect(hashes, when).toEqual(Array(3).fill(hashes[0]));
}
