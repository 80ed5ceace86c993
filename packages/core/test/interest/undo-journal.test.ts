/** The undo journal: what a failed tick applied of rules is restored, wherever the rows are by then. */
import { expect, test } from 'vitest';
import { SeatMemory } from '../../src/interest/rules/seat-memory.ts';
import { UndoJournal } from '../../src/interest/standing/undo-journal.ts';
import { PairRows } from '../../src/interest/table/pair-rows.ts';
import { Heap } from '../../src/kernels/heap.ts';

/** Rows with these numbers of pairs by watcher: more than fit into the smallest pool. */
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

test('an empty row that begins beyond the end of a shortened pool is restored, and so is the row beside it', () => {
  const rows = rowsOf([10, 3000, 20]);
  rows.drop(1);
  rows.drop(2);
  const journal = new UndoJournal(rows, new SeatMemory());
  journal.keepRow(2);
  journal.keepRow(0);
  rows.since.fill(7, rows.start[0], (rows.start[0] as number) + 10);
  // What was in use since the last call is kept.
  rows.trim();
  rows.trim();
  expect(rows.marker.length).toBeLessThan(rows.start[2] as number);
  journal.restoreRows();
  const from = rows.start[0] as number;
  expect([...rows.since.subarray(from, from + 10)]).toEqual(Array.from({ length: 10 }, (_, i) => i));
  rows.validate();
});
