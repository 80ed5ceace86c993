// Whether a watcher keeps its seats although one marker near it moved or changed: for watchers that are still (seat-calm.ts). Part of
// seat-search.ts.
import { FORCED, SEATED } from '../layouts/pair-state';
import * as words from '../layouts/seat-search';
import { column, floatAt, wordAt } from './job';
import { squaredOf } from './perception';
import {
  factor, is3D, loadWatcher, pairSquared, placeOf, rankAt, row, rowSize, rowStates, sensesAt, sensesNow, watcherSeats, watcherX, watcherY, watcherZ,
} from './seat-watcher';

const BLOCK_BYTES: usize = words.BLOCK_WORDS << 2;
const DEEP: usize = words.DEEP_UNTIL_AT << 2;

let borders: usize = 0;
let blockOf: usize = 0;
let blocks: usize = 0;

export function openStill(job: usize): void {
  borders = column(job, words.BORDERS);
  blockOf = column(job, words.BLOCK_OF);
  blocks = column(job, words.BLOCKS);
}

/**
 * Whether a watcher that is still keeps all its seats, in the same state, and gives none to this marker, which moved or changed. The
 * border was stored when the watcher was decided: no seat ranks worse, and no perceived marker without a seat ranks better.
 *
 * `hasChanged`: the marker did not only move. `oldX`, `oldY`, `oldZ`: where it was. A marker that begins to be perceived may be
 * remembered, which only TypeScript knows.
 */
export function keepsSeats(slot: u32, marker: u32, hasChanged: bool, oldX: f32, oldY: f32, oldZ: f32): bool {
  loadWatcher(slot);
  const at = placeOf(marker);
  const isKnown = at < rowSize && wordAt(row, at) == marker;
  const before = isKnown ? wordAt(rowStates, at) : 0;
  const senses = sensesNow(marker, before);
  const rank = rankAt(marker, Mathf.sqrt(pairSquared));
  const border = floatAt(borders, slot);
  if (!isKnown) {
    if (senses == 0) return true;
    return !hasChanged && border > 0 && rank > border && sensesFrom(marker, oldX, oldY, oldZ) != 0;
  }
  // The pair has no seat: it is left from the time when the row held all that the watcher perceives. Deciding the watcher removes it.
  if ((before & (SEATED | FORCED)) == 0) return false;
  if ((before & 0xffff) != senses) return false;
  if ((before & FORCED) != 0) return true;
  return border > 0 ? rank * factor < border : rowSize < watcherSeats;
}

/** The senses in which a marker would be perceived at that place. */
function sensesFrom(marker: u32, x: f32, y: f32, z: f32): u32 {
  const dx = x - watcherX;
  const dy = y - watcherY;
  const dz: f32 = is3D ? z - watcherZ : 0;
  return sensesAt(marker, dx, dy, dz, squaredOf(dx, dy, dz));
}

/** What is known of the seats of a watcher that may change first is no longer so. */
export function forgetEdgeOf(slot: u32): void {
  const own = wordAt(blockOf, slot);
  if (own != 0) store<f64>(blocks + <usize>own * BLOCK_BYTES + DEEP, 0);
}
