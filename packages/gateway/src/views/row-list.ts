/** Row numbers of a client's rows, ascending. The array is reused from frame to frame. */
export class RowList {
  rows = new Uint32Array(64);
  count = 0;

  add(row: number): void {
    this.reserve(1);
    this.rows[this.count++] = row;
  }

  /** Makes room for `more` rows. */
  reserve(more: number): void {
    const needed = this.count + more;
    if (needed <= this.rows.length) return;
    const grown = new Uint32Array(Math.max(needed, this.rows.length * 2));
    grown.set(this.rows);
    this.rows = grown;
  }
}
