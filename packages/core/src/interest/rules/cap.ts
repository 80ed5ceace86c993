/**
 * The cap: which candidates get seats when there are more candidates than seats.
 *
 * The order: first the markers that had a seat at the last tick and whose seat is younger than the minimum
 * dwell; then by effective rank; then incumbents before others; then by ascending id. The first so many get a
 * seat. So a freed seat goes to the next best candidate in the same tick, and the dwell never causes more
 * seats than the cap.
 *
 * Method: quickselect, since only the border between seated and unseated candidates matters, not the order on
 * either side. Cost: O(candidates) expected, some 10 ns each.
 */
import { grown } from '../../columns.ts';
import { CAP_UNSET, type EntityState } from '../../entities/entity-state.ts';
import { NEW, PROTECTED, SEATED } from '../../kernels/layouts/seat-search.ts';

/** A watcher's cap: its own, else that of its interest; `NO_CAP` for none. */
export function capOf(state: EntityState, watcher: number, interest: { readonly cap: number }): number {
  const own = state.caps.at(watcher);
  return own === CAP_UNSET ? interest.cap : own;
}

/**
 * The cap's order: whether one candidate comes before another. Markers are slots: ascending ids are ascending
 * slots. The same order is also defined by `keyOf` in kernels/wasm/seat-order.ts;
 * test/interest/order-of-seats.test.ts checks that the two agree.
 */
function comesBefore(
  standing: number,
  rank: number,
  marker: number,
  otherStanding: number,
  otherRank: number,
  otherMarker: number,
): boolean {
  const isProtected = standing === PROTECTED;
  if (isProtected !== (otherStanding === PROTECTED)) return isProtected;
  if (rank < otherRank) return true;
  if (rank > otherRank) return false;
  if (standing !== otherStanding) return standing < otherStanding;
  return marker < otherMarker;
}

/** As `comesBefore`, for two candidates that had no seat. */
export function newcomerComesBefore(
  rank: number,
  marker: number,
  otherRank: number,
  otherMarker: number,
): boolean {
  return comesBefore(NEW, rank, marker, NEW, otherRank, otherMarker);
}

/** Candidates of one watcher: columns that grow, and are reused for the next watcher. */
export class Candidates {
  count = 0;
  /** The caller's index of the candidate. */
  index = new Uint32Array(64);
  /** Slots. */
  marker = new Uint32Array(64);
  rank = new Float64Array(64);
  standing = new Uint8Array(64);

  clear(): void {
    this.count = 0;
  }

  add(index: number, marker: number, rank: number, isProtected: boolean, isSeated: boolean): void {
    if (this.count === this.index.length) this.#grow();
    this.index[this.count] = index;
    this.marker[this.count] = marker;
    this.rank[this.count] = rank;
    this.standing[this.count] = isProtected ? PROTECTED : isSeated ? SEATED : NEW;
    this.count++;
  }

  /** Moves the first `seats` candidates to the front, in any order among themselves. */
  select(seats: number): void {
    this.#selectFrom(0, seats);
  }

  /**
   * Drops all but the first `most` of the candidates whose marker is of a kind. The others stay, in any
   * order. Dropped candidates lie behind them, until the caller restores `count`.
   */
  keepFirst(isOfKind: (marker: number) => boolean, most: number): void {
    let end = this.count;
    for (let i = 0; i < end; ) {
      if (isOfKind(this.marker[i])) this.#swap(i, --end);
      else i++;
    }
    if (this.count - end <= most) return;
    this.#selectFrom(end, end + most);
    this.count = end + most;
  }

  /** Moves the first of the candidates from place `low` on to the places before `end`. */
  #selectFrom(low: number, end: number): void {
    let high = this.count - 1;
    if (end > high) return;
    while (low < high) {
      const middle = this.#partition(low, high);
      if (middle === end || middle === end - 1) return;
      if (middle < end) low = middle + 1;
      else high = middle - 1;
    }
  }

  /** Places of all candidates, the first one first. */
  inOrder(): readonly number[] {
    const places = Array.from({ length: this.count }, (_, i) => i);
    return places.sort((i, j) => (this.#isBefore(i, j) ? -1 : 1));
  }

  #isBefore(i: number, j: number): boolean {
    const { standing, rank, marker } = this;
    return comesBefore(standing[i], rank[i], marker[i], standing[j], rank[j], marker[j]);
  }

  /** Moves a pivot to its final place and returns that place. */
  #partition(low: number, high: number): number {
    const middle = (low + high) >>> 1;
    // The median of three: rows come sorted by id, and often nearly by rank.
    if (this.#isBefore(middle, low)) this.#swap(middle, low);
    if (this.#isBefore(high, low)) this.#swap(high, low);
    if (this.#isBefore(high, middle)) this.#swap(high, middle);
    this.#swap(middle, high);
    let to = low;
    for (let i = low; i < high; i++) {
      if (this.#isBefore(i, high)) this.#swap(i, to++);
    }
    this.#swap(to, high);
    return to;
  }

  #swap(i: number, j: number): void {
    if (i === j) return;
    const { index, marker, rank, standing } = this;
    const [heldIndex, heldMarker, heldRank, heldStanding] = [index[i], marker[i], rank[i], standing[i]];
    index[i] = index[j];
    marker[i] = marker[j];
    rank[i] = rank[j];
    standing[i] = standing[j];
    index[j] = heldIndex;
    marker[j] = heldMarker;
    rank[j] = heldRank;
    standing[j] = heldStanding;
  }

  #grow(): void {
    const length = this.count * 2;
    this.index = grown(this.index, length);
    this.marker = grown(this.marker, length);
    this.rank = grown(this.rank, length);
    this.standing = grown(this.standing, length);
  }
}
