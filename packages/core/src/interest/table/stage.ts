/**
 * The stage: the rows that a tick will change, as they were and as they will be. They are separate from the
 * stored rows until the tick has succeeded: a user's function may throw in the middle, and then nothing has
 * changed.
 *
 *   watchers | w0 | w1 |          ascending slots, one a row
 *   begins   | 0  | b1 | count |  row i is the pairs begins[i] .. begins[i + 1]
 *   a pair   marker, before (its state), after, since, reported; see pair-rows.ts
 */
import { cleared, grown, placeOf } from '../../columns.ts';
import type { PairRows } from '../pair-rows.ts';
import { ScratchRoom } from './scratch-room.ts';

const FIRST_ROWS = 64;
const FIRST_PAIRS = 256;

export class Stage {
  rowCount = 0;
  count = 0;
  watchers = new Uint32Array(FIRST_ROWS);
  begins = new Uint32Array(FIRST_ROWS + 1);
  marker = new Uint32Array(FIRST_PAIRS);
  before = new Uint32Array(FIRST_PAIRS);
  after = new Uint32Array(FIRST_PAIRS);
  since = new Uint32Array(FIRST_PAIRS);
  reported = new Uint32Array(FIRST_PAIRS);

  readonly #rowRoom = new ScratchRoom(FIRST_ROWS);
  readonly #pairRoom = new ScratchRoom(FIRST_PAIRS);

  clear(): void {
    this.#rowRoom.note(this.rowCount + 1);
    this.#pairRoom.note(this.count);
    this.rowCount = 0;
    this.count = 0;
  }

  /** Begins the row of the next watcher. Returns the index of its first pair. */
  beginRow(watcher: number): number {
    if (this.rowCount + 1 >= this.watchers.length) {
      this.watchers = grown(this.watchers, 2 * this.watchers.length);
      this.begins = grown(this.begins, 2 * this.begins.length);
    }
    this.watchers[this.rowCount] = watcher;
    this.begins[this.rowCount] = this.count;
    this.begins[++this.rowCount] = this.count;
    return this.count;
  }

  /** Adds a pair to the last row. Returns its index. */
  add(marker: number, before: number, after: number, since: number, reported: number): number {
    const i = this.count;
    if (i === this.marker.length) this.#resize(grown, 2 * i);
    this.marker[i] = marker;
    this.before[i] = before;
    this.after[i] = after;
    this.since[i] = since;
    this.reported[i] = reported;
    this.begins[this.rowCount] = ++this.count;
    return i;
  }

  /** The row of a watcher; -1 if it has none. */
  rowOf(watcher: number): number {
    const row = placeOf(this.watchers, watcher, 0, this.rowCount);
    return row < this.rowCount && this.watchers[row] === watcher ? row : -1;
  }

  /** The index of a pair in a row; -1 if there is none. */
  find(row: number, marker: number): number {
    const end = this.begins[row + 1];
    const at = placeOf(this.marker, marker, this.begins[row], end);
    return at < end && this.marker[at] === marker ? at : -1;
  }

  /** Makes room in `pairs` before the rows are copied there. */
  makeRoomIn(pairs: PairRows): void {
    const { watchers, begins } = this;
    pairs.reserve(
      this.rowCount,
      (row) => watchers[row],
      (row) => begins[row + 1] - begins[row],
    );
  }

  get memoryBytes(): number {
    return 5 * this.marker.byteLength + 2 * this.watchers.byteLength;
  }

  /** Frees memory that recent ticks did not use. What is staged is lost. */
  trim(): void {
    this.clear();
    const rows = this.#rowRoom.look(this.watchers.length);
    this.watchers = cleared(this.watchers, rows);
    this.begins = cleared(this.begins, rows + 1);
    this.#resize(cleared, this.#pairRoom.look(this.marker.length));
  }

  #resize(resized: typeof grown | typeof cleared, length: number): void {
    this.marker = resized(this.marker, length);
    this.before = resized(this.before, length);
    this.after = resized(this.after, length);
    this.since = resized(this.since, length);
    this.reported = resized(this.reported, length);
  }
}
