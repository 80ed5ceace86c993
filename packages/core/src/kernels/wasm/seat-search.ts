// Decides the seats of searched watchers: see ../../interest/searched/seat-search.ts, and ../layouts/seat-search.ts for the layout.
//
// For each watcher: its row is looked at, pair by pair; then an index of markers is searched as far as a newcomer may beat
// somebody in the row; then the best take the seats, and what changes is written down as edits. Where the row holds all that is perceived,
// newcomers are among what crossed (seat-whole.ts).
import * as words from '../layouts/seat-search';
import { column, setWord, word, wordAt } from './job';
import { closeEdits, editCapacity, editCount, finishEdits, openEdits, openRow } from './seat-changes';
import { openCalm } from './seat-calm';
import { chooseOthers, chooseSeats, isQuiet, openChoice } from './seat-choice';
import { openEdge } from './seat-edge';
import { openNear } from './seat-near';
import { openIndex } from './seat-window';
import { openWatchers, serial, takeUp } from './seat-watcher';
import { chooseWhole, isSearched, mostEdits, openWhole } from './seat-whole';

function open(job: usize): void {
  openWatchers(job);
  openIndex(job);
  openChoice(job);
  openEdits(job);
  openCalm(job);
  openNear(job);
  openEdge(job);
  openWhole(job);
}

/**
 * Decides from element `from` of those asked on; answers where to go on, or their count. In the order of slots: columns by slot are read
 * from beginning to end, and rows nearly so, which is worth more than to look at the same cells again while they are near.
 */
export function searchSeats(job: usize, from: u32): u32 {
  open(job);
  const standing = column(job, words.STANDING);
  const asked = column(job, words.ASKED_LIST);
  const end = word(job, words.ASKED_COUNT);
  // Where all of a watcher's seats are as they were, its row is not read: first of all those are found.
  if (from == 0) findQuiet(asked, end, standing);
  let at = from;
  for (; at < end; at++) {
    const slot = wordAt(asked, at);
    if (load<u8>(standing + slot) == words.TOLD) continue;
    const most = takeUp(slot);
    const isWhole = !isSearched(slot);
    if (editCount + (isWhole ? mostEdits() : most) > editCapacity) break;
    if (isWhole) {
      if (!chooseWhole()) continue;
    } else {
      openRow();
      chooseSeats();
    }
    store<u8>(standing + slot, <u8>(finishEdits() ? words.EDITED : words.TOLD));
  }
  closeEdits(job);
  setWord(job, words.SERIAL, serial);
  return at;
}

function findQuiet(asked: usize, end: u32, standing: usize): void {
  for (let at: u32 = 0; at < end; at++) {
    const slot = wordAt(asked, at);
    if (!isSearched(slot)) continue;
    takeUp(slot);
    if (isQuiet()) store<u8>(standing + slot, <u8>words.TOLD);
  }
}

/**
 * For a watcher that is not decided here: lists, in place of candidates, the first `wanted` of all that it perceives, in no order; answers how
 * many. None ranks behind `worst`, and none is of those `known`: so many are listed there before.
 */
export function findOthers(job: usize, slot: u32, wanted: u32, worst: f32, known: u32): u32 {
  open(job);
  takeUp(slot);
  const found = chooseOthers(wanted, worst, known);
  setWord(job, words.SERIAL, serial);
  return found;
}
