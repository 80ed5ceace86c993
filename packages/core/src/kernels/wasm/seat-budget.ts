// The enter budget: of the newcomers that are due for a seat, only so many enter, and the others wait. Part of seat-search.ts.
//
// Follows interest/seats/enter-budget.ts. The candidates are those of a whole row (seat-whole.ts).
import { WAITING } from '../layouts/pair-state';
import { setWord, wordAt } from './job';
import { DROPPED, NEW, WAITS, count, kinds, slots, states } from './seat-candidates';
import { dropped as list, keyOf, keys, select } from './seat-order';
import { placeOf, rowSinces, tick } from './seat-watcher';

const HELD: u32 = NEW | WAITS | DROPPED;

/**
 * Lets `budget` of the newcomers enter; there are more. The others are dropped with the flag WAITS. Incumbents that were dropped may
 * get a seat again.
 */
export function holdBack(budget: u32): void {
  const held = holdAll();
  const longest = (budget + 3) >>> 2;
  const last = <u32>(select(held, longest - 1) >>> 32);
  let entered: u32 = 0;
  let tied: u32 = 0;
  for (let k: u32 = 0; k < held; k++) {
    const key = load<u64>(keys + (<usize>k << 3));
    const since = <u32>(key >>> 32);
    if (since < last) {
      setWord(kinds, <u32>key, NEW);
      entered++;
    } else if (since == last) setWord(list, tied++, <u32>key);
  }
  letIn(tied, longest - entered);
  letIn(listHeld(), budget - longest);
}

/** Holds back all newcomers. Stores for each of them a key: the tick since which it waits, and its index. Returns their number. */
function holdAll(): u32 {
  let held: u32 = 0;
  for (let c: u32 = 0; c < count; c++) {
    const kind = wordAt(kinds, c);
    if (kind != NEW) {
      // Which incumbents are dropped is decided again.
      if (kind != (NEW | DROPPED)) setWord(kinds, c, kind & ~DROPPED);
      continue;
    }
    const isOld = (load<u32>(states + (<usize>c << 3), 4) & WAITING) != 0;
    const since = isOld ? wordAt(rowSinces, placeOf(wordAt(slots, c))) : tick;
    setWord(kinds, c, HELD);
    store<u64>(keys + (<usize>held << 3), (<u64>since << 32) | <u64>c);
    held++;
  }
  return held;
}

function listHeld(): u32 {
  let listed: u32 = 0;
  for (let c: u32 = 0; c < count; c++) if (wordAt(kinds, c) == HELD) setWord(list, listed++, c);
  return listed;
}

/** Of the listed newcomers, lets the first `places` in the cap's order enter. */
function letIn(listed: u32, places: u32): void {
  if (places == 0) return;
  for (let k: u32 = 0; k < listed; k++) store<u64>(keys + (<usize>k << 3), keyOf(wordAt(list, k)));
  const last = select(listed, places - 1);
  for (let k: u32 = 0; k < listed; k++) if (keyOf(wordAt(list, k)) <= last) setWord(kinds, wordAt(list, k), NEW);
}
