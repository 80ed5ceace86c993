/**
 * The grid that a game writes for itself, to find near entities inside its tick: cells as wide as its queries, and
 * entities that change their cell as they move. Two dimensions; entities are numbers from 0 on.
 */

/** At most this many near entities are sorted. */
const MOST = 64;

export class PlainGrid {
  readonly #size: number;
  readonly #width: number;
  readonly #cells: number[][];
  readonly #cellOf: Int32Array;
  readonly #placeIn: Int32Array;
  readonly x: Float32Array;
  readonly y: Float32Array;
  readonly #near = new Int32Array(MOST);
  readonly #squares = new Float64Array(MOST);

  /** For entities within `extent` of 0 on both axes, in cells of `size`. */
  constructor(entities: number, extent: number, size: number) {
    this.#size = size;
    this.#width = Math.ceil(extent / size) + 1;
    this.#cells = Array.from({ length: this.#width * this.#width }, () => []);
    this.#cellOf = new Int32Array(entities).fill(-1);
    this.#placeIn = new Int32Array(entities);
    this.x = new Float32Array(entities);
    this.y = new Float32Array(entities);
  }

  move(entity: number, x: number, y: number): void {
    this.x[entity] = x;
    this.y[entity] = y;
    const cell = this.#at(y) * this.#width + this.#at(x);
    const before = this.#cellOf[entity]!;
    if (cell === before) return;
    if (before >= 0) {
      const members = this.#cells[before]!;
      const last = members.pop()!;
      if (last !== entity) {
        members[this.#placeIn[entity]!] = last;
        this.#placeIn[last] = this.#placeIn[entity]!;
      }
    }
    this.#cellOf[entity] = cell;
    this.#placeIn[entity] = this.#cells[cell]!.push(entity) - 1;
  }

  /** Writes the entities within a circle into `out`, unordered; returns how many. */
  query(x: number, y: number, radius: number, out: Uint32Array): number {
    let count = 0;
    const most = radius * radius;
    const toX = this.#at(x + radius);
    const toY = this.#at(y + radius);
    for (let row = this.#at(y - radius); row <= toY; row++) {
      for (let column = this.#at(x - radius); column <= toX; column++) {
        const members = this.#cells[row * this.#width + column]!;
        for (let i = 0; i < members.length; i++) {
          const entity = members[i]!;
          const [dx, dy] = [this.x[entity]! - x, this.y[entity]! - y];
          if (dx * dx + dy * dy <= most) out[count++] = entity;
        }
      }
    }
    return count;
  }

  /** Writes the `wanted` nearest within `radius` into `out`, nearest first; returns how many. */
  nearest(x: number, y: number, wanted: number, radius: number, out: Uint32Array): number {
    let count = 0;
    let most = radius * radius;
    const [near, squares] = [this.#near, this.#squares];
    const toX = this.#at(x + radius);
    const toY = this.#at(y + radius);
    for (let row = this.#at(y - radius); row <= toY; row++) {
      for (let column = this.#at(x - radius); column <= toX; column++) {
        const members = this.#cells[row * this.#width + column]!;
        for (let i = 0; i < members.length; i++) {
          const entity = members[i]!;
          const [dx, dy] = [this.x[entity]! - x, this.y[entity]! - y];
          const square = dx * dx + dy * dy;
          if (square > most) continue;
          let at = count < wanted ? count++ : wanted - 1;
          for (; at > 0 && squares[at - 1]! > square; at--) {
            squares[at] = squares[at - 1]!;
            near[at] = near[at - 1]!;
          }
          squares[at] = square;
          near[at] = entity;
          if (count === wanted) most = squares[wanted - 1]!;
        }
      }
    }
    for (let i = 0; i < count; i++) out[i] = near[i]!;
    return count;
  }

  #at(coordinate: number): number {
    return Math.max(0, Math.min(this.#width - 1, Math.floor(coordinate / this.#size)));
  }
}
