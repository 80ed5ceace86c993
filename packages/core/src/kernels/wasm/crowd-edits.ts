// Writes what changes in the row of the watcher at hand: part of the twin of ../seat-crowd.ts.
import { column, word, wordAt } from './job';
import { EDIT_BYTES, EDIT_CAPACITY, EDIT_COUNT, EDITS, FORCED, SEATED_BIT, SIMPLY_SEATED } from './crowd-job';
import { nearSlots } from './crowd-near';
import { heldSensesOf, margin, row, rowStates, senseCount, sensesOf, size, stateOf, watcher } from './crowd-watcher';

const INFINITE: u32 = 0x7f800000;
const SENSELESS_BEFORE: u32 = 0x10000;
const SENSELESS_AFTER: u32 = 0x20000;

export let editCount: u32 = 0;
export let editCapacity: u32 = 0;
let edits: usize = 0;

export function openEdits(job: usize): void {
  edits = column(job, EDITS);
  editCount = word(job, EDIT_COUNT);
  editCapacity = word(job, EDIT_CAPACITY);
}

export function closeEdits(job: usize): void {
  store<u32>(job + EDIT_COUNT, editCount);
}

/** Writes the edits of those in the window, by ascending slot; false, and none, when one is held by a margin, maybe. */
export function writeEdits(window: usize, windowCount: u32, ranks: usize): bool {
  const isOneSense = senseCount == 1;
  const first = editCount;
  for (let i: u32 = 0; i < windowCount; i++) {
    const at = wordAt(window, i);
    const marker = wordAt(nearSlots, at);
    const signed = wordAt(ranks, at);
    let payload: u32 = 0;
    let state: u32 = 0;
    if ((signed & SEATED_BIT) != 0) {
      // Who is perceived no longer may be held.
      if ((signed & ~SEATED_BIT) == INFINITE && margin > 0) {
        editCount = first;
        return false;
      }
      payload = isOneSense && margin == 0 ? 1 : (stateOf(marker) >>> 8) & 255;
    } else {
      const exact = isOneSense ? 1 : sensesOf(marker);
      payload = exact << 8;
      state = exact | (exact << 8) | SIMPLY_SEATED;
    }
    insertEdit(first, (marker << 20) | payload, (watcher << 10) | (marker >>> 12), state);
  }
  return true;
}

// @ts-ignore: decorator
@inline
function insertEdit(first: u32, low: u32, high: u32, state: u32): void {
  const end = edits + (<usize>editCount) * EDIT_BYTES;
  editCount++;
  putInOrder(edits + (<usize>first) * EDIT_BYTES, end, (<u64>high << 32) | <u64>low, state);
}

/** Puts an edit among those from `first` to `end`, by its crossing; who comes behind it moves up. */
export function putInOrder(first: usize, end: usize, crossing: u64, word: u32): void {
  let at = end;
  while (at > first) {
    const before = at - EDIT_BYTES;
    if (load<u64>(before) < crossing) break;
    store<u64>(at, load<u64>(before));
    store<u32>(at, load<u32>(before, 8), 8);
    at = before;
  }
  store<u64>(at, crossing);
  store<u32>(at, word, 8);
}

/** Writes the edits of those who stay, and are perceived in other senses than before. */
export function writeStates(first: u32): void {
  const isOnlyForced = senseCount == 1 && margin == 0;
  let next = first;
  for (let i: u32 = 0; i < size; i++) {
    const marker = wordAt(row, i);
    const high = (watcher << 10) | (marker >>> 12);
    while (next < editCount && isEditBefore(next, high, marker << 20)) next++;
    const before = wordAt(rowStates, i);
    if (isOnlyForced && (before & FORCED) == 0) continue;
    if (next < editCount && isEditOf(next, high, marker << 20)) continue;
    const exact = sensesOf(marker);
    const lost = (before >>> 8) & 255 & ~exact;
    const senses = exact | (margin > 0 && lost != 0 ? heldSensesOf(marker, lost) : 0);
    const after = (before & ~0xffff) | exact | (senses << 8);
    if (after == before) continue;
    insertEdit(next++, (marker << 20) | payloadOf(before) | (payloadOf(after) << 8) | senseless(before, after), high, after);
  }
}

// @ts-ignore: decorator
@inline
function isEditBefore(i: u32, high: u32, low: u32): bool {
  const at = edits + (<usize>i) * EDIT_BYTES;
  const ownHigh = load<u32>(at, 4);
  return ownHigh < high || (ownHigh == high && load<u32>(at) >>> 20 < low >>> 20);
}

// @ts-ignore: decorator
@inline
function isEditOf(i: u32, high: u32, low: u32): bool {
  const at = edits + (<usize>i) * EDIT_BYTES;
  return load<u32>(at, 4) == high && load<u32>(at) >>> 20 == low >>> 20;
}

// @ts-ignore: decorator
@inline
function payloadOf(state: u32): u32 {
  return (state >>> 8) & 255;
}

// @ts-ignore: decorator
@inline
function senseless(before: u32, after: u32): u32 {
  return (payloadOf(before) == 0 ? SENSELESS_BEFORE : 0) | (payloadOf(after) == 0 ? SENSELESS_AFTER : 0);
}
