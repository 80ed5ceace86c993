/** A growing list of ids, and the ways in which a query hands it out. */
import type { EntityId } from '../entities/entity-ids.ts';
import { badOption } from '../errors.ts';

export class IdList {
  length = 0;
  #ids = new Uint32Array(32);

  push(id: EntityId): void {
    if (this.length === this.#ids.length) {
      const grown = new Uint32Array(Math.max(32, this.length * 2));
      grown.set(this.#ids);
      this.#ids = grown;
    }
    this.#ids[this.length++] = id;
  }

  at(i: number): EntityId {
    return this.#ids[i];
  }

  /** Sorts ascending, in place. */
  sorted(): this {
    this.#ids.subarray(0, this.length).sort();
    return this;
  }

  /** Sorts by `keyOf`, least first, equal ones by id; keeps the first `wanted`. Keys are not NaN. In place. */
  sortedBy(keyOf: (id: EntityId) => number, wanted: number): this {
    const keys = new Float64Array(this.length);
    for (let i = 0; i < keys.length; i++) keys[i] = keyOf(this.#ids[i]);
    const last = Math.min(wanted, this.length) - 1;
    // A sort without a comparison of our own is many times faster, and tells who need not be compared.
    const limit = last < 0 ? Number.NEGATIVE_INFINITY : Float64Array.from(keys).sort()[last];
    const order: number[] = [];
    for (let i = 0; i < keys.length; i++) if (keys[i] <= limit) order.push(i);
    const ids = this.#ids;
    order.sort((a, b) => keys[a] - keys[b] || ids[a] - ids[b]);
    this.#ids = Uint32Array.from(order, (i) => ids[i]);
    this.length = order.length;
    return this.truncate(wanted);
  }

  /** Those that pass, in a list of their own. */
  filtered(passes: (id: EntityId) => boolean): IdList {
    const list = new IdList();
    for (let i = 0; i < this.length; i++) if (passes(this.#ids[i])) list.push(this.#ids[i]);
    return list;
  }

  /** Keeps the first `limit`. */
  truncate(limit: number): this {
    this.length = Math.min(this.length, limit);
    return this;
  }

  /** All of them: in `out` where they fit, else in an array of their own. Throws `BAD_OPTION` for another kind of `out`. */
  toArray(out: Uint32Array | undefined): Uint32Array {
    if (out !== undefined) checkOut(out);
    const ids = this.#ids.subarray(0, this.length);
    if (out === undefined || out.length < this.length) return ids.slice();
    out.set(ids);
    return out.subarray(0, this.length);
  }

  /** What fits goes into `out`; answers how many there are. Throws as `toArray`. */
  into(out: Uint32Array): number {
    checkOut(out);
    out.set(this.#ids.subarray(0, Math.min(this.length, out.length)));
    return this.length;
  }
}

function checkOut(out: unknown): void {
  if (!(out instanceof Uint32Array)) throw badOption('out', out, 'a Uint32Array');
}
