// Decides the seats of searched watchers: see ../../interest/searched/seat-search.ts, and ../layouts/seat-search.ts for the layout.
//
// For each watcher: its row is looked at, pair by pair; then an index of markers is searched as far as a newcomer may beat
// somebody in the row; then the best take the seats, and what changes is written down as edits.
import * as words from '../layouts/seat-search';
import { column, setWord, word, wordAt } from './seat-words';
import { closeEdits, editCapacity, editCount, finishEdits, openEdits, openRow } from './seat-changes';
import { chooseSeats, openChoice } from './seat-choice';
import { openIndex } from './seat-window';
import { fetchRow, openWatchers, serial, takeUp } from './seat-watcher';

/** Rows that are fetched at once. */
const TOGETHER: u32 = 4;

/** Decides from element `from` on (entries, then the list of those asked); answers where to go on, or the end. */
export function searchSeats(job: usize, from: u32): u32 {
  openWatchers(job);
  openIndex(job);
  openChoice(job);
  openEdits(job);
  const standing = column(job, words.STANDING);
  const slots = column(job, words.ENTRY_SLOT);
  const settled = word(job, words.SETTLED_COUNT);
  const movingFirst = word(job, words.MOVING_FIRST);
  const entries = settled + word(job, words.MOVING_COUNT);
  const asked = column(job, words.ASKED_LIST);
  const end = entries + word(job, words.ASKED_COUNT);
  let at = from;
  let fetchedTo = from;
  let fetched: u32 = 0;
  for (; at < end; at++) {
    // Those who stand near each other look at the same cells: so the order is that of the index; then who is no marker.
    const slot = slotAt(at, slots, settled, movingFirst, entries, asked);
    if (at == fetchedTo) {
      // Rows lie anywhere: some are fetched at once, so that they are waited for together.
      fetchedTo = min(at + TOGETHER, end);
      for (let next = at; next < fetchedTo; next++) {
        const later = slotAt(next, slots, settled, movingFirst, entries, asked);
        if (load<u8>(standing + later) == words.ASKED) fetched += fetchRow(later);
      }
    }
    if (load<u8>(standing + slot) != words.ASKED) continue;
    if (!decide(slot)) break;
    store<u8>(standing + slot, <u8>(finishEdits() ? words.EDITED : words.TOLD));
  }
  closeEdits(job);
  setWord(job, words.SERIAL, serial);
  // What nobody reads would not be fetched.
  setWord(job, words.FETCHED, fetched);
  return at;
}

// @ts-ignore: decorator
@inline
function slotAt(at: u32, slots: usize, settled: u32, movingFirst: u32, entries: u32, asked: usize): u32 {
  if (at >= entries) return wordAt(asked, at - entries);
  return wordAt(slots, at < settled ? at : at - settled + movingFirst);
}

/** False when there is no room for its edits. */
function decide(slot: u32): bool {
  const most = takeUp(slot);
  if (editCount + most > editCapacity) return false;
  openRow();
  chooseSeats();
  return true;
}
