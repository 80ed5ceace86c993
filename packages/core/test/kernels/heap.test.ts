/** How often a heap moves while its columns grow, and what `World.validate` says of it: whether a kernel wrote where no column is. */
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

test.each(['typescript', 'wasm'] as const)(
  'columns that grow one by one find room that an earlier move left, with %s kernels',
  (kernels) => {
    const heap = new Heap(kernels);
    const [large] = [heap.column('u32', 1_000_000), heap.column('u32', 1_000_000)];
    large.array.fill(7);
    const small = Array.from({ length: 50 }, () => heap.column('f32', 8));
    let moves = 0;
    for (let length = 16; length <= 4096; length *= 2) {
      for (const column of small) {
        const before = heap.u8;
        heap.resize([[column, length]]);
        column.array.fill(length);
        if (heap.u8 !== before) moves++;
      }
    }
    expect(moves).toBeLessThanOrEqual(2);
    heap.validate();
    expect(large.array.every((word) => word === 7)).toBe(true);
    expect(small.every(({ array }) => array.length === 4096 && array.every((value) => value === 4096))).toBe(
      true,
    );
    // What is spare is nobody's, and counts for nothing.
    expect(heap.byteLength).toBeLessThan(heap.u8.byteLength);
  },
);

test.each(['typescript', 'wasm'] as const)(
  'columns that shrink together take one move, with %s kernels',
  (kernels) => {
    const heap = new Heap(kernels);
    const columns = Array.from({ length: 4 }, (_, i) => {
      const column = heap.column('u32', 1_000_000);
      column.array.fill(i + 1);
      return column;
    });
    const released = heap.column('u32', 1_000_000);
    const before = heap.u8;
    heap.shrinkTogether(() => {
      heap.shrink([[columns[0]!, 10]]);
      heap.shrink([
        [columns[1]!, 20],
        [released, 5],
      ]);
      expect(heap.u8).toBe(before);
      // Another move takes along what was asked for so far.
      heap.resize([[columns[2]!, 30]]);
      expect(heap.u8).not.toBe(before);
      expect(columns.map(({ length }) => length)).toEqual([10, 20, 30, 1_000_000]);
      heap.shrink([
        [columns[3]!, 40],
        [columns[0]!, 1000],
        [released, 2],
      ]);
      heap.release(released);
    });
    expect(columns.map(({ length }) => length)).toEqual([10, 20, 30, 40]);
    expect(columns.every(({ array }, i) => array.every((word) => word === i + 1))).toBe(true);
    expect(released.length).toBe(0);
    heap.validate();
  },
);

test.each(['typescript', 'wasm'] as const)(
  'what shrinks together leaves no more spare than the smaller heap needs, with %s kernels',
  (kernels) => {
    const heap = new Heap(kernels);
    const [large, small] = [heap.column('u32', 4_000_000), heap.column('u32', 1000)];
    heap.shrinkTogether(() => {
      heap.shrink([[large, 10]]);
      heap.resize([[small, 500]]);
    });
    expect([large.length, small.length]).toEqual([10, 500]);
    // A page of WebAssembly memory is the least; an eighth of the former heap would be 2 MB.
    expect(heap.u8.byteLength).toBeLessThanOrEqual(2 ** 16);
  },
);
