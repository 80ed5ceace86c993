/**
 * A list of (watcher, marker) pairs: what a peer's tick reports, in the cheapest possible form.
 *
 * Two columns that grow by doubling and are reused tick after tick, so that a peer pays two stores a pair and makes no
 * garbage. Pairs are grouped by watcher, because a peer handles one watcher after another.
 */
import { sumOfIds } from './id-sum.ts';

const FIRST_LENGTH = 1024;

export class PairList {
  count = 0;
  /** Actors; the first `count` count. Replaced when the list grows. */
  watchers = new Uint32Array(FIRST_LENGTH);
  markers = new Uint32Array(FIRST_LENGTH);

  clear(): void {
    this.count = 0;
  }

  push(watcher: number, marker: number): void {
    if (this.count === this.watchers.length) this.#grow();
    this.watchers[this.count] = watcher;
    this.markers[this.count++] = marker;
  }

  /** Reads all of it: the sum of every number in it, modulo 2^32. */
  sum(): number {
    const { watchers, markers, count } = this;
    return (sumOfIds(watchers, 0, count) + sumOfIds(markers, 0, count)) | 0;
  }

  #grow(): void {
    this.watchers = doubled(this.watchers);
    this.markers = doubled(this.markers);
  }
}

function doubled(column: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const longer = new Uint32Array(2 * column.length);
  longer.set(column);
  return longer;
}
