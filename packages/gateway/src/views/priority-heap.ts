/**
 * Picks rows by descending score without sorting the rows that are not picked.
 *
 * A binary heap over two typed arrays: building it is O(n), each pick O(log n); rows may also be removed in no
 * order, at O(1) each. Of equal scores the lower row comes first, so that the same state gives the same frame.
 */
export class PriorityHeap {
  #rows = new Uint32Array(64);
  #scores = new Float64Array(64);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  clear(): void {
    this.#count = 0;
  }

  /** Adds a row. No row may be added after the first `take`. */
  add(row: number, score: number): void {
    if (this.#count === this.#rows.length) this.#grow();
    this.#rows[this.#count] = row;
    this.#scores[this.#count++] = score;
  }

  /** Call this once between the last `add` and the first `take`. */
  order(): void {
    for (let i = (this.#count >> 1) - 1; i >= 0; i--) this.#sink(i);
  }

  /** Removes and returns the row with the highest score; -1 if there is none left. */
  take(): number {
    if (this.#count === 0) return -1;
    const row = this.#rows[0]!;
    this.#count--;
    this.#rows[0] = this.#rows[this.#count]!;
    this.#scores[0] = this.#scores[this.#count]!;
    this.#sink(0);
    return row;
  }

  /** Removes and returns any row; -1 if there is none left. No `take` may follow. */
  takeAny(): number {
    return this.#count === 0 ? -1 : this.#rows[--this.#count]!;
  }

  /** Whether `take` would return a row that comes before the one that `other.take` would return. */
  isAheadOf(other: PriorityHeap): boolean {
    if (this.#count === 0 || other.#count === 0) return this.#count > 0;
    return isBefore(this.#scores[0]!, this.#rows[0]!, other.#scores[0]!, other.#rows[0]!);
  }

  #sink(from: number): void {
    let i = from;
    for (;;) {
      let best = i;
      for (let child = 2 * i + 1; child <= 2 * i + 2; child++) {
        if (child < this.#count && this.#isBefore(child, best)) best = child;
      }
      if (best === i) return;
      this.#swap(i, best);
      i = best;
    }
  }

  #isBefore(i: number, j: number): boolean {
    return isBefore(this.#scores[i]!, this.#rows[i]!, this.#scores[j]!, this.#rows[j]!);
  }

  #swap(i: number, j: number): void {
    const row = this.#rows[i]!;
    const score = this.#scores[i]!;
    this.#rows[i] = this.#rows[j]!;
    this.#scores[i] = this.#scores[j]!;
    this.#rows[j] = row;
    this.#scores[j] = score;
  }

  #grow(): void {
    const rows = new Uint32Array(this.#rows.length * 2);
    const scores = new Float64Array(this.#rows.length * 2);
    rows.set(this.#rows);
    scores.set(this.#scores);
    this.#rows = rows;
    this.#scores = scores;
  }
}

function isBefore(score: number, row: number, otherScore: number, otherRow: number): boolean {
  return score > otherScore || (score === otherScore && row < otherRow);
}
