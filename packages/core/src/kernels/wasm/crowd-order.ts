// The order in which those near come to sit: by rank, those seated first, then lower slots. Part of the twin of ../seat-crowd.ts.
import { column, setWord, wordAt } from './job';
import { NEAR_RANK, SEATED_BIT } from './crowd-job';
import { nearSlots } from './crowd-near';

let ranks: usize = 0;

/** Takes up the job's columns, those of the near having been. */
export function openOrder(job: usize): void {
  ranks = column(job, NEAR_RANK);
}

/** Brings the first `need` of so many to the front: by rank, those seated first, then lower slots. */
export function selectFirst(list: usize, count: u32, need: u32): void {
  let low: i32 = 0;
  let high: i32 = <i32>count - 1;
  const middle = <i32>need - 1;
  if (need == 0) return;
  while (low < high) {
    const pivot = wordAt(list, (low + high) >>> 1);
    let i = low;
    let j = high;
    while (i <= j) {
      while (comesBefore(wordAt(list, i), pivot)) i++;
      while (comesBefore(pivot, wordAt(list, j))) j--;
      if (i > j) break;
      const held = wordAt(list, i);
      setWord(list, i++, wordAt(list, j));
      setWord(list, j--, held);
    }
    if (middle <= j) high = j;
    else if (middle >= i) low = i;
    else return;
  }
}

// @ts-ignore: decorator
@inline
function comesBefore(one: u32, other: u32): bool {
  const a = wordAt(ranks, one);
  const b = wordAt(ranks, other);
  const rankA = a & ~SEATED_BIT;
  const rankB = b & ~SEATED_BIT;
  // Ranks are not negative: their bits are in their order.
  if (rankA != rankB) return rankA < rankB;
  if (((a ^ b) & SEATED_BIT) != 0) return (a & SEATED_BIT) != 0;
  return wordAt(nearSlots, one) < wordAt(nearSlots, other);
}
