/** A growing list of ids, and the ways in which a query hands it out. */
import type { EntityId } from '../entities/entity-ids.ts';
import { badOption } from '../errors.ts';

export class IdList {
  length = 0;
  #ids = new Uint32Array(32);

  push(id: EntityId): void {
    if (this.length === this.#ids.length) {
      const grown = new Uint32Array(this.length * 2);
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
