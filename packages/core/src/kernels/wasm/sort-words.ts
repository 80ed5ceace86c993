/**
 * Sorts words by radix, from the lowest digit on. What is read by slot or by entry is then read in the order of memory, where
 * neighbours share cache lines and pages.
 *
 * Cost: some 3 ns a word for each digit that the largest one has; a look at each if they are sorted.
 */
import { SORT_WORDS } from '../layouts/sort-words';
import { setWord, wordAt } from './job';

/** Bits of a digit. For few words, counting short digits takes less than the passes that it adds. */
const LONG_DIGIT: u32 = 11;
const SHORT_DIGIT: u32 = 8;
const FEW: u32 = 2048;

/** No word is above `largest`. `scratch` is of as many words, and `SORT_WORDS` more. */
export function sortWords(list: usize, scratch: usize, count: u32, largest: u32): void {
  if (isAscending(list, count)) return;
  const digits = scratch;
  const digitBits = count < FEW ? SHORT_DIGIT : LONG_DIGIT;
  const mask: u32 = (1 << digitBits) - 1;
  let from = list;
  let to = scratch + (SORT_WORDS << 2);
  for (let shift: u32 = 0; shift < 32 && largest >>> shift != 0; shift += digitBits) {
    memory.fill(digits, 0, (mask + 1) << 2);
    for (let i: u32 = 0; i < count; i++) {
      const digit = (wordAt(from, i) >>> shift) & mask;
      setWord(digits, digit, wordAt(digits, digit) + 1);
    }
    let start: u32 = 0;
    for (let digit: u32 = 0; digit <= mask; digit++) {
      const size = wordAt(digits, digit);
      setWord(digits, digit, start);
      start += size;
    }
    for (let i: u32 = 0; i < count; i++) {
      const word = wordAt(from, i);
      const digit = (word >>> shift) & mask;
      const at = wordAt(digits, digit);
      setWord(digits, digit, at + 1);
      setWord(to, at, word);
    }
    const swapped = from;
    from = to;
    to = swapped;
  }
  if (from != list) memory.copy(list, from, <usize>count << 2);
}

function isAscending(list: usize, count: u32): bool {
  for (let i: u32 = 1; i < count; i++) if (wordAt(list, i) < wordAt(list, i - 1)) return false;
  return true;
}
