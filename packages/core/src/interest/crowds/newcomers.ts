/**
 * Those who may get a seat with one watcher, and the rank at which its seats end.
 *
 * Method: quickselect over the ranks of the row and the newcomers, since only the border matters; of equals at the border the
 * seated stay, then lower slots come first. Cost: a few nanoseconds a rank.
 */
export class Newcomers {
  count = 0;
  /** Slots; in any order until `keepWinners`. */
  marker = new Uint32Array(256);
  rank = new Float64Array(256);
  #mixed = new Float64Array(512);

  add(slot: number, rank: number): void {
    if (this.count === this.marker.length) this.#grow();
    this.marker[this.count] = slot;
    this.rank[this.count++] = rank;
  }

  /** The rank of the last who has a seat, among a row's `ranks` from `first` on, `seats` of them, and the newcomers. */
  borderOf(ranks: Float64Array, first: number, seats: number): number {
    const count = seats + this.count;
    if (this.#mixed.length < count) this.#mixed = new Float64Array(2 * count);
    const mixed = this.#mixed;
    for (let i = 0; i < seats; i++) mixed[i] = ranks[first + i];
    for (let i = 0; i < this.count; i++) mixed[seats + i] = this.rank[i];
    return rankAt(mixed, count, seats - 1);
  }

  /** How many rank below the border. */
  countBelow(border: number): number {
    let below = 0;
    for (let i = 0; i < this.count; i++) if (this.rank[i] < border) below++;
    return below;
  }

  /** Keeps those below the border and the first so many at it, by ascending slot. */
  keepWinners(border: number, atBorder: number): void {
    const { marker, rank } = this;
    let count = 0;
    for (let i = 0; i < this.count; i++) {
      const slot = marker[i];
      const own = rank[i];
      if (own > border) continue;
      let j = count++;
      for (; j > 0 && marker[j - 1] > slot; j--) {
        marker[j] = marker[j - 1];
        rank[j] = rank[j - 1];
      }
      marker[j] = slot;
      rank[j] = own;
    }
    let left = atBorder;
    this.count = 0;
    for (let i = 0; i < count; i++) {
      if (rank[i] === border && left-- <= 0) continue;
      marker[this.count] = marker[i];
      rank[this.count++] = rank[i];
    }
  }

  #grow(): void {
    const { marker, rank } = this;
    this.marker = new Uint32Array(2 * marker.length);
    this.rank = new Float64Array(2 * rank.length);
    this.marker.set(marker);
    this.rank.set(rank);
  }
}

/** Quickselect: the number that sorting would put at `index`; mixes up the first `count`. */
function rankAt(ranks: Float64Array, count: number, index: number): number {
  let low = 0;
  let high = count - 1;
  while (low < high) {
    const [a, b, c] = [ranks[low], ranks[(low + high) >>> 1], ranks[high]];
    const pivot = a < b ? (b < c ? b : a < c ? c : a) : a < c ? a : b < c ? c : b;
    let i = low;
    let j = high;
    while (i <= j) {
      while (ranks[i] < pivot) i++;
      while (ranks[j] > pivot) j--;
      if (i > j) break;
      const held = ranks[i];
      ranks[i++] = ranks[j];
      ranks[j--] = held;
    }
    if (index <= j) high = j;
    else if (index >= i) low = i;
    else return ranks[index];
  }
  return ranks[index];
}
