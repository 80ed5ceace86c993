/** Sorting words by radix, with both kernels: for lists that need one, two or three digits, short and long ones, sorted ones and none. */
import { expect, test } from 'vitest';
import { Heap } from '../../src/kernels/heap.ts';
import '../../src/kernels/javascript.ts';
import { SORT_WORDS } from '../../src/kernels/layouts/sort-words.ts';

const LARGEST = [0, 200, 70_000, 20_000_000, 0xffff_ffff];

for (const kernels of ['wasm', 'typescript'] as const) {
  test.each([0, 1, 2, 700, 5000])(
    `${kernels}: %i words are sorted, and nothing beside them is written`,
    (count) => {
      const heap = new Heap(kernels);
      const list = heap.column('u32', count + 2);
      const scratch = heap.column('u32', count + SORT_WORDS + 1);
      for (const largest of LARGEST) {
        let state = largest;
        const words = Uint32Array.from({ length: count }, () => {
          state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
          return Math.floor((state / 2 ** 32) * (largest + 1));
        });
        const expected = [largest, ...Uint32Array.from(words).sort(), largest];
        scratch.array[count + SORT_WORDS] = 7;
        // The second time they are sorted already.
        for (const given of [words, expected.slice(1, -1)]) {
          list.array.set([largest, ...given, largest]);
          heap.kernels.sortWords(list.offset + 4, scratch.offset, count, largest);
          expect([...list.array], `at most ${largest}`).toEqual(expected);
        }
        expect(scratch.array[count + SORT_WORDS]).toBe(7);
      }
    },
  );
}
