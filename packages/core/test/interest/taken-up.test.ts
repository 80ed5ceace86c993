/** What a tick took up of rules is given back where the tick did not stand, wherever the rows are by then. */
import { expect, test } from 'vitest';
import { PairRows } from '../../src/interest/pair-rows.ts';
import { SeatMemory } from '../../src/interest/rules/seat-memory.ts';
import { TakenUp } from '../../src/interest/table/taken-up.ts';
import { Heap } from '../../src/kernels/heap.ts';

/** Rows of so many pairs by watcher: more than fit into the least pool there is. */
function rowsOf(sizes: readonly number[]): PairRows {
  const rows = new PairRows(new Heap('auto'));
  rows.growSlots(sizes.length);
  for (const [watcher, size] of sizes.entries()) {
    const start = rows.resize(watcher, size);
    for (let i = 0; i < size; i++) {
      rows.marker[start + i] = i;
      rows.since[start + i] = 100 * watcher + i;
    }
  }
  return rows;
}

test('an empty row that begins beyond a pool that has become shorter is given back, and so is one beside it', () => {
  const rows = rowsOf([10, 3000, 20]);
  rows.drop(1);
  rows.drop(2);
  const taken = new TakenUp(rows, new SeatMemory());
  taken.keepRow(2, false);
  taken.keepRow(0, false);
  rows.since.fill(7, rows.start[0], (rows.start[0] as number) + 10);
  rows.trim();
  expect(rows.marker.length).toBeLessThan(rows.start[2] as number);
  taken.restoreRows();
  const from = rows.start[0] as number;
  expect([...rows.since.subarray(from, from + 10)]).toEqual(Array.from({ length: 10 }, (_, i) => i));
  rows.validate();
});
