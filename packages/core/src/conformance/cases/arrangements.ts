/**
 * Tiny worlds, exhaustively.
 *
 * Problem: random worlds rarely hit the corner cases of a rule; small worlds can cover all. Method: every arrangement
 * of three entities on a 3 x 3 lattice, with every choice of the ranges 0, 1 and 1.5 (rim, neither, diagonal), as one
 * long walk of one world compared with the model; and every step from each arrangement of two entities to each other
 * one, absence included, so that each possible addition, removal, move and swap happens once. Cells are one step
 * wide, so that lattice points lie on their corners. Cost: about 120,000 ticks, two seconds or so.
 */
import type { WorldOptions } from '../../index.ts';
import { type HandWrittenCase, Pair } from '../expectation.ts';

const SIDE = 3;
const PLACES = SIDE * SIDE;
const RANGES = [0, 1, 1.5];

export const arrangementCases: readonly HandWrittenCase[] = [
  ...RANGES.map((first) => ({
    name: `every arrangement of three on a 3 x 3 lattice is right, the first with range ${first}`,
    run: (create: Parameters<HandWrittenCase['run']>[0]) => {
      for (const options of [{ cellSize: 1 }, { cellSize: 1, rangeShape: 'box' as const }, {}]) {
        arrangeThree(new Pair(create, options), first);
      }
    },
  })),
  ...RANGES.map((first) => ({
    name: `every step of two between places and absence is right, the first with range ${first}`,
    run: (create: Parameters<HandWrittenCase['run']>[0]) => {
      for (const second of [1, 1.5]) stepTwo(create, { cellSize: 1 }, [first, second]);
    },
  })),
];

/** All 729 arrangements under all 9 choices of the other ranges, in one walk. */
function arrangeThree(pair: Pair, firstRange: number): void {
  const ids = [0, 1, 2].map(() => pair.add({ x: 0, y: 0 }));
  pair.both((side) => side.update(ids[0], { range: firstRange }));
  for (const second of RANGES) {
    for (const third of RANGES) {
      pair.both((side) => side.update(ids[1], { range: second }));
      pair.both((side) => side.update(ids[2], { range: third }));
      for (let arrangement = 0; arrangement < PLACES ** 3; arrangement++) {
        ids.forEach((id, i) => {
          const [x, y] = latticePoint(Math.floor(arrangement / PLACES ** i) % PLACES);
          pair.both((side) => side.move(id, x, y));
        });
        pair.tick();
      }
    }
  }
}

/**
 * From each of the 10 x 10 arrangements of two (nine places, or absent) to each: there and back, to those after it.
 */
function stepTwo(
  create: Parameters<HandWrittenCase['run']>[0],
  options: WorldOptions,
  ranges: readonly [number, number],
): void {
  const arrangements = (PLACES + 1) ** 2;
  for (let from = 0; from < arrangements; from++) {
    const two = new Two(new Pair(create, options), ranges);
    for (let to = from; to < arrangements; to++) {
      two.arrange(from);
      two.arrange(to);
    }
    two.arrange(from);
  }
}

class Two {
  readonly #pair: Pair;
  readonly #ranges: readonly [number, number];
  readonly #ids: (number | undefined)[] = [undefined, undefined];

  constructor(pair: Pair, ranges: readonly [number, number]) {
    this.#pair = pair;
    this.#ranges = ranges;
  }

  /** Moves both to their places in this arrangement, or removes them, and ticks. */
  arrange(arrangement: number): void {
    this.#send(0, arrangement % (PLACES + 1));
    this.#send(1, Math.floor(arrangement / (PLACES + 1)));
    this.#pair.tick();
  }

  #send(which: 0 | 1, place: number): void {
    const id = this.#ids[which];
    if (place === PLACES) {
      if (id !== undefined) this.#pair.both((side) => side.remove(id));
      this.#ids[which] = undefined;
      return;
    }
    const [x, y] = latticePoint(place);
    if (id === undefined) this.#ids[which] = this.#pair.add({ x, y, range: this.#ranges[which] });
    else this.#pair.both((side) => side.move(id, x, y));
  }
}

/** Lattice points from (-1, -1) to (1, 1): the origin's cell and its neighbours on every side. */
function latticePoint(place: number): [x: number, y: number] {
  return [(place % SIDE) - 1, Math.floor(place / SIDE) - 1];
}
