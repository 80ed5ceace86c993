/** Lists of those that hold a marker: who ceases is not searched for, and is not listed. */
import { expect, test } from 'vitest';
import { HolderLists } from '../../src/interest/table/holder-lists.ts';

const MARKER = 3;

/** Lists of one marker, and those that hold it; `asked`: how often a list asked whether one does. */
function lists() {
  const held = new Set<number>();
  const counts = { asked: 0 };
  const holders = new HolderLists((watcher) => {
    counts.asked++;
    return held.has(watcher);
  });
  holders.growSlots(8);
  return {
    holders,
    counts,
    begin(watcher: number) {
      held.add(watcher);
      holders.add(watcher, MARKER);
    },
    cease(watcher: number) {
      held.delete(watcher);
      holders.remove(MARKER);
    },
  };
}

test('a watcher that ceased is not listed, and one that began anew is listed once', () => {
  const { holders, begin, cease } = lists();
  for (const watcher of [10, 11, 12]) begin(watcher);
  cease(10);
  cease(11);
  begin(10);
  expect([...holders.of(MARKER)].sort()).toEqual([10, 12]);
  expect(holders.of(MARKER + 1)).toEqual([]);
  cease(10);
  cease(12);
  expect(holders.isAny(MARKER)).toBe(false);
  expect(holders.of(MARKER)).toEqual([]);
});

test('a thousand that come and go take a few questions each, and a short list', () => {
  const { holders, counts, begin, cease } = lists();
  begin(0);
  for (let watcher = 1; watcher <= 1000; watcher++) {
    begin(watcher);
    cease(watcher);
  }
  expect(counts.asked).toBeLessThan(1500);
  expect(holders.memoryBytes).toBeLessThan(500);
  expect(holders.of(MARKER)).toEqual([0]);
});
