/**
 * Random scripts on a world with WebAssembly kernels and one with JavaScript kernels: after each tick both write the same snapshot. Only
 * so much shows what no report does, such as which watchers stay calm.
 */
import { expect, test } from 'vitest';
import { createScript, type ScriptSize } from '../../src/conformance/index.ts';
import { World } from '../../src/index.ts';
import { ScriptPlay } from './script-play.ts';

const KERNELS = ['wasm', 'typescript'] as const;

test.each<[string, ScriptSize, number, number]>([
  ['of leaping crowds', { operations: 200, entities: 60, leaping: true }, 5020, 6],
  ['of leaping crowds, later', { operations: 200, entities: 60, leaping: true }, 5130, 6],
  ['with all in use at once', { operations: 600, entities: 200, together: true }, 5012, 1],
])('scripts %s leave the same bytes with either kind of kernels', (_name, size, first, count) => {
  for (let seed = first; seed < first + count; seed++) {
    const script = createScript(seed, size);
    const play = new ScriptPlay(script, (options) =>
      KERNELS.map((kernels) => new World({ ...options, kernels })),
    );
    for (const [i, operation] of script.operations.entries()) {
      expect(play.step(operation)).toBeUndefined();
      if (operation.kind !== 'tick') continue;
      const [bytes, other] = play.worlds.map((world) => world.snapshot());
      const isSame = Buffer.compare(bytes as Uint8Array, other as Uint8Array) === 0;
      expect(isSame, `seed ${seed}, operation ${i}`).toBe(true);
    }
  }
});
