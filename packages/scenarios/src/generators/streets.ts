/**
 * A city's plan: a grid of streets, the corners where entities turn, and the squares where people gather.
 *
 * Streets run along both axes, one block apart; where two cross is a *crossing*, numbered by column and row. A heading is 0 east,
 * 1 north, 2 west, 3 south. Traffic keeps to a lane beside the middle of the street: `offset` to the right of the heading, or to
 * the left if negative. An entity turns where the old lane meets the new one, so it never jumps.
 *
 *       |     |            a crossing; o is where an entity that goes east on the right lane
 *    ---+  .  +---         turns south, x where it turns north
 *          .
 *    ---+o.x..+---  <- lane of heading 0, offset below the middle
 *       |     |
 */
import type { Random } from '../random.ts';
import type { Bounds } from '../simulation.ts';
import { centredBounds } from './walking.ts';

/** By heading: its direction, and the direction to its right. */
export const AHEAD_X: readonly number[] = [1, 0, -1, 0];
export const AHEAD_Y: readonly number[] = [0, 1, 0, -1];
const RIGHT_X: readonly number[] = [0, 1, 0, -1];
const RIGHT_Y: readonly number[] = [-1, 0, 1, 0];

/** Lanes, fronts and squares, in blocks from the middle of a street; the world's edge is beyond all of them. */
export const CAR_LANE = 0.025;
export const NEAR_LANE = 0.05;
export const FAR_LANE = 0.08;
export const HOUSE_FRONT = 0.11;
const SQUARE_RADIUS = 0.25;
const MARGIN = 0.3;
/** One crossing in so many is a square. */
const CROSSINGS_PER_SQUARE = 10;

export class Streets {
  readonly block: number;
  /** Crossings are in columns 0 .. columns-1 and rows 0 .. rows-1; at least two of each. */
  readonly columns: number;
  readonly rows: number;
  readonly bounds: Bounds;
  /** 1 where there is a square, by row * columns + column. */
  readonly isSquare: Uint8Array;
  /** The crossings that are squares. The first is the middle of the city. */
  readonly squares: Uint32Array;

  /** A city of about `area` square units, one and a half times as wide as high. */
  constructor(area: number, block: number, random: Random) {
    const height = Math.sqrt(area / 1.5);
    this.block = block;
    this.columns = Math.max(2, Math.round((1.5 * height) / block) + 1);
    this.rows = Math.max(2, Math.round(height / block) + 1);
    this.bounds = centredBounds(
      (this.columns - 1 + 2 * MARGIN) * block,
      (this.rows - 1 + 2 * MARGIN) * block,
    );
    const crossings = this.columns * this.rows;
    this.isSquare = new Uint8Array(crossings);
    this.squares = new Uint32Array(Math.max(1, Math.round(crossings / CROSSINGS_PER_SQUARE)));
    for (let i = 0; i < this.squares.length; i++) {
      const middle = (this.rows >> 1) * this.columns + (this.columns >> 1);
      let crossing = i === 0 ? middle : random.below(crossings);
      while (this.isSquare[crossing] === 1) crossing = (crossing + 1) % crossings;
      this.isSquare[crossing] = 1;
      this.squares[i] = crossing;
    }
  }

  get squareRadius(): number {
    return SQUARE_RADIUS * this.block;
  }

  middleX(column: number): number {
    return (column - (this.columns - 1) / 2) * this.block;
  }

  middleY(row: number): number {
    return (row - (this.rows - 1) / 2) * this.block;
  }

  /** Where an entity on the lane `offset` turns from one heading to another; the same heading twice: it just passes. */
  cornerX(column: number, heading: number, nextHeading: number, offset: number): number {
    const right = AHEAD_X[heading] === 0 ? RIGHT_X[heading]! : RIGHT_X[nextHeading]!;
    return this.middleX(column) + offset * right;
  }

  cornerY(row: number, heading: number, nextHeading: number, offset: number): number {
    const right = AHEAD_Y[heading] === 0 ? RIGHT_Y[heading]! : RIGHT_Y[nextHeading]!;
    return this.middleY(row) + offset * right;
  }

  /** A random way on from a crossing: mostly straight, else left or right, never back, never out of the city. */
  wayOn(random: Random, column: number, row: number, heading: number): number {
    const chance = random.unit();
    const first = chance < 0.6 ? heading : chance < 0.8 ? (heading + 1) & 3 : (heading + 3) & 3;
    if (this.#leadsOn(column, row, first)) return first;
    const second = first === heading ? (heading + (chance < 0.3 ? 1 : 3)) & 3 : heading;
    if (this.#leadsOn(column, row, second)) return second;
    // With two streets or more in each direction, one of straight, left and right always leads on.
    const left = (heading + 1) & 3;
    return this.#leadsOn(column, row, left) ? left : (heading + 3) & 3;
  }

  #leadsOn(column: number, row: number, heading: number): boolean {
    const nextColumn = column + AHEAD_X[heading]!;
    const nextRow = row + AHEAD_Y[heading]!;
    return nextColumn >= 0 && nextColumn < this.columns && nextRow >= 0 && nextRow < this.rows;
  }
}
