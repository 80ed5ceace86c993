/** What `World.validate` says of the heap: whether a kernel wrote where no column is. */
import { expect, test } from 'vitest';
import { Heap } from '../../src/kernels/heap.ts';
import '../../src/kernels/javascript.ts';

test.each(['typescript', 'wasm'] as const)(
  'a write past the end of a column is seen, with %s kernels',
  (kernels) => {
    const heap = new Heap(kernels);
    const column = heap.column('u32', 5);
    const next = heap.column('f32', 7);
    heap.resize([[column, 9]]);
    column.array.fill(1);
    next.array.fill(1);
    heap.validate();
    heap.u32[(column.offset >>> 2) + 9] = 3;
    expect(() => heap.validate()).toThrow('nothing is written 0 bytes past a column of 9 u32');
    heap.u32[(column.offset >>> 2) + 9] = 0;
    heap.validate();
    heap.u8[next.offset + 31] = 1;
    expect(() => heap.validate()).toThrow('nothing is written 3 bytes past a column of 7 f32');
  },
);
