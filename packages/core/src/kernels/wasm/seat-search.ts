// Decides the seats of searched watchers: see ../../interest/seats/seat-search.ts, and ../layouts/seat-search.ts for the
// layout.
//
// For each watcher: its row is read, pair by pair. Then an index of markers is searched up to the distance at which a newcomer
// may rank before a marker in the row. Then the best candidates get the seats, and the changes are stored as edits. If the row
// holds all that the watcher perceives, newcomers come from the crossings instead (seat-whole.ts).
import * as words from '../layouts/seat-search';
import { column, setWord, wordAt } from './job';
import { closeEdits, editCapacity, editCount, finishEdits, openEdits, openRow } from './seat-changes';
import { isSearched, openCalm } from './seat-calm';
import { chooseOthers, chooseSeats, openChoice } from './seat-choice';
import { openIndex } from './seat-window';
import { openWatchers, serial, openWatcher, watcher } from './seat-watcher';
import { chooseWhole, mostEdits, openWhole, readWhole, seatWhole } from './seat-whole';

function open(job: usize): void {
  openWatchers(job);
  openIndex(job);
  openChoice(job);
  openEdits(job);
  openCalm(job);
  openWhole(job);
}

/**
 * Decides the listed watchers from index `from` to `to`. Returns the index to continue from, or `to`. Watchers are in the order of slots, so that columns by slot are read from beginning to end, and rows nearly so. That saves more than visiting
 * neighbouring watchers one after another, whose cells would still be in the cache.
 */
export function searchSeats(job: usize, from: u32, to: u32): u32 {
  open(job);
  const standing = column(job, words.STANDING);
  const asked = column(job, words.ASKED_LIST);
  let at = from;
  for (; at < to; at++) {
    const slot = wordAt(asked, at);
    const most = openWatcher(slot);
    const isWhole = !isSearched(slot);
    if (editCount + (isWhole ? mostEdits() : most) > editCapacity) break;
    if (isWhole) {
      if (!chooseWhole()) continue;
    } else {
      openRow();
      chooseSeats();
    }
    store<u8>(standing + slot, finishEdits());
  }
  closeEdits(job);
  setWord(job, words.SERIAL, serial);
  return at;
}

/**
 * For a watcher that is decided in TypeScript: lists, in place of candidates, the first `wanted` of all markers that it
 * perceives, in no order. Returns their number. None ranks after `worst`, and none is among the `known` markers that are listed
 * there before the call.
 */
export function findOthers(job: usize, slot: u32, wanted: u32, worst: f32, known: u32): u32 {
  open(job);
  openWatcher(slot);
  const found = chooseOthers(wanted, worst, known);
  setWord(job, words.SERIAL, serial);
  return found;
}

/** Call before `readRanked`, and again if the heap moved since. */
export function openRanked(job: usize): void {
  open(job);
}

/**
 * Reads the whole row of a watcher whose candidates a user's function ranks. Call in ascending order of watchers. Returns how many
 * candidates the function must rank: their slots, kinds and distances (as ranks) lie in the columns of candidates. Then put the ranks
 * into the keys as float64, the incumbents' with their bonus, and call `seatRanked`. 0: the watcher is decided. `NOT_DECIDED`: TypeScript must
 * decide it. `NO_ROOM`: nothing was done.
 */
export function readRanked(job: usize, slot: u32): u32 {
  openWatcher(slot);
  setWord(job, words.SERIAL, serial);
  if (editCount + mostEdits() > editCapacity) return words.NO_ROOM;
  const ranked = readWhole();
  if (ranked == 0) finishRanked(job);
  return ranked;
}

/** Decides the watcher that `readRanked` read last. */
export function seatRanked(job: usize): void {
  if (seatWhole()) finishRanked(job);
}

function finishRanked(job: usize): void {
  store<u8>(column(job, words.STANDING) + watcher, finishEdits());
  closeEdits(job);
}
