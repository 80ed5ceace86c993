/**
 * The nodes of a tree as columns: the cell of each, the members below it, and how far they reach.
 *
 * A node's cell is a square, in 3-D a cube, with an edge of 2^level world units, at a multiple of its edge from the
 * origin. So the level and whole numbers identify it. The numbers are doubles and scaling by powers of two is exact:
 * a cell is as precise at 1e12 as at 0. One level above the largest such cells is the universe, whose numbers are
 * -1/2: twice that is -1, so the cells -1 and 0 below it become its children 0 and 1, as at every other level.
 *
 * A node's box is separate: it is the bounding box of the positions of the members below, before and now, and is used
 * by searches. The same holds for the reach of the members below: see `ReachTraits`. Both may be larger than needed,
 * never smaller.
 *
 *   node   level | cell x y z | parent, children | first members, members below | box | reach | dirty, point
 *
 * Memory: 108 bytes a node in 2-D, 124 in 3-D. Nodes are reused.
 */
import { grown } from '../../columns.ts';

export const NONE = -1;
/** The two lists of a leaf: most searches need only watchers, and a pile of things does not slow them down. */
export const WATCHERS = 0;
export const OTHERS = 1;
/** Cells from 2^-40 units, less than any two reaches differ by, to 2^41, and the universe. */
export const MIN_LEVEL = -40;
const MAX_LEVEL = 41;
export const UNIVERSE = MAX_LEVEL + 1;
const FIRST_NODES = 64;
const IN_USE = -2;

/** By level - MIN_LEVEL: 2^-level. */
const SCALES = Float64Array.from({ length: MAX_LEVEL - MIN_LEVEL + 1 }, (_, i) => 2 ** -(MIN_LEVEL + i));

/** The number of a coordinate's cell at a level. */
export function cellNumber(coordinate: number, level: number): number {
  return level === UNIVERSE ? -0.5 : Math.floor(coordinate * SCALES[level - MIN_LEVEL]);
}

export class TreeNodes {
  /** Maximum number of children of a node: 4 or 8. */
  readonly fan: number;
  /** Number of nodes in use. */
  count = 0;
  level = new Int8Array(0);
  cellX = new Float64Array(0);
  cellY = new Float64Array(0);
  /** 0 in 2-D, as are the coordinates that are passed in. */
  cellZ = new Float64Array(0);
  parent = new Int32Array(0);
  /** At node * fan + quadrant: a node, or NONE. */
  children = new Int32Array(0);
  /** 1 for a leaf. */
  isLeaf = new Uint8Array(0);
  /** For a leaf, at 2 * leaf + WATCHERS or OTHERS: the slot of its first member of that kind, or NONE. */
  heads = new Int32Array(0);
  /** Number of members of all leaves below, or of the leaf. */
  members = new Uint32Array(0);
  /** World units. Empty: from infinity to minus infinity. */
  minX = new Float32Array(0);
  minY = new Float32Array(0);
  minZ = new Float32Array(0);
  maxX = new Float32Array(0);
  maxY = new Float32Array(0);
  maxZ = new Float32Array(0);
  /** As `ReachTraits`, over all members below. */
  widest = new Float32Array(0);
  narrowest = new Float32Array(0);
  loudest = new Float32Array(0);
  quietest = new Float32Array(0);
  minReach = new Float32Array(0);
  /** 1: box and reach may be too large, here and in all nodes above. */
  dirty = new Uint8Array(0);
  /** For a leaf with more members than the maximum: 1 if they all lie in one of the smallest cells. */
  isPoint = new Uint8Array(0);
  /** By node: the next free one, or NONE; IN_USE. */
  #nextFree = new Int32Array(0);
  #free = NONE;
  #end = 0;

  constructor(dimensions: 2 | 3) {
    this.fan = dimensions === 3 ? 8 : 4;
  }

  get memoryBytes(): number {
    let bytes = this.#nextFree.byteLength;
    for (const column of this.#columns()) bytes += column.byteLength;
    return bytes;
  }

  clear(): void {
    this.count = 0;
    this.#free = NONE;
    this.#end = 0;
  }

  /** A new, empty leaf without a cell. */
  allocate(): number {
    let node = this.#free;
    if (node !== NONE) this.#free = this.#nextFree[node];
    else {
      if (this.#end === this.level.length) this.#grow();
      node = this.#end++;
    }
    this.#nextFree[node] = IN_USE;
    this.count++;
    this.parent[node] = NONE;
    this.isLeaf[node] = 1;
    this.heads[2 * node + WATCHERS] = this.heads[2 * node + OTHERS] = NONE;
    this.members[node] = 0;
    this.dirty[node] = 0;
    this.isPoint[node] = 0;
    this.children.fill(NONE, node * this.fan, (node + 1) * this.fan);
    this.empty(node);
    return node;
  }

  free(node: number): void {
    this.#nextFree[node] = this.#free;
    this.#free = node;
    this.count--;
  }

  isInUse(node: number): boolean {
    return node < this.#end && this.#nextFree[node] === IN_USE;
  }

  /** Resets box and reach to those of no member. */
  empty(node: number): void {
    this.minX[node] = this.minY[node] = this.minZ[node] = Number.POSITIVE_INFINITY;
    this.maxX[node] = this.maxY[node] = this.maxZ[node] = Number.NEGATIVE_INFINITY;
    this.widest[node] = this.loudest[node] = this.minReach[node] = 0;
    this.narrowest[node] = this.quietest[node] = Number.POSITIVE_INFINITY;
  }

  /** Extends box and reach of a node by those of another. */
  include(node: number, other: number): void {
    if (this.minX[other] < this.minX[node]) this.minX[node] = this.minX[other];
    if (this.minY[other] < this.minY[node]) this.minY[node] = this.minY[other];
    if (this.minZ[other] < this.minZ[node]) this.minZ[node] = this.minZ[other];
    if (this.maxX[other] > this.maxX[node]) this.maxX[node] = this.maxX[other];
    if (this.maxY[other] > this.maxY[node]) this.maxY[node] = this.maxY[other];
    if (this.maxZ[other] > this.maxZ[node]) this.maxZ[node] = this.maxZ[other];
    if (this.widest[other] > this.widest[node]) this.widest[node] = this.widest[other];
    if (this.narrowest[other] < this.narrowest[node]) this.narrowest[node] = this.narrowest[other];
    if (this.loudest[other] > this.loudest[node]) this.loudest[node] = this.loudest[other];
    if (this.quietest[other] < this.quietest[node]) this.quietest[node] = this.quietest[other];
    if (this.minReach[other] > this.minReach[node]) this.minReach[node] = this.minReach[other];
  }

  /** Marks box and reach of a node and of all nodes above as possibly too large. */
  markDirty(node: number): void {
    const { dirty, parent } = this;
    for (let at = node; at !== NONE && dirty[at] === 0; at = parent[at]) dirty[at] = 1;
  }

  setCell(node: number, level: number, x: number, y: number, z: number): void {
    this.level[node] = level;
    this.cellX[node] = x;
    this.cellY[node] = y;
    this.cellZ[node] = z;
  }

  /** Whether a position lies in a node's cell. */
  contains(node: number, x: number, y: number, z: number): boolean {
    const level = this.level[node];
    if (level === UNIVERSE) return true;
    const scale = SCALES[level - MIN_LEVEL];
    return (
      Math.floor(x * scale) === this.cellX[node] &&
      Math.floor(y * scale) === this.cellY[node] &&
      Math.floor(z * scale) === this.cellZ[node]
    );
  }

  /** The index of the child cell that contains a position in a node's cell. */
  quadrantOf(node: number, x: number, y: number, z: number): number {
    const level = this.level[node] - 1;
    const right = cellNumber(x, level) - 2 * this.cellX[node];
    const upper = cellNumber(y, level) - 2 * this.cellY[node];
    const quadrant = right + 2 * upper;
    return this.fan === 4 ? quadrant : quadrant + 4 * (cellNumber(z, level) - 2 * this.cellZ[node]);
  }

  /** The index of the child cell that contains another node's smaller cell. */
  quadrantOfCell(node: number, inner: number): number {
    const level = this.level[node] - 1;
    const right = this.#numberAbove(this.cellX[inner], inner, level) - 2 * this.cellX[node];
    const upper = this.#numberAbove(this.cellY[inner], inner, level) - 2 * this.cellY[node];
    const quadrant = right + 2 * upper;
    if (this.fan === 4) return quadrant;
    return quadrant + 4 * (this.#numberAbove(this.cellZ[inner], inner, level) - 2 * this.cellZ[node]);
  }

  /** Gives a node the cell that is a quadrant of another's. */
  setQuadrantCell(node: number, outer: number, quadrant: number): void {
    const z = this.fan === 4 ? 0 : 2 * this.cellZ[outer] + (quadrant >> 2);
    const x = 2 * this.cellX[outer] + (quadrant & 1);
    this.setCell(node, this.level[outer] - 1, x, 2 * this.cellY[outer] + ((quadrant >> 1) & 1), z);
  }

  /** Gives a node the smallest cell that contains another's cell and a position. */
  setCellAround(node: number, inner: number, x: number, y: number, z: number): void {
    let level = this.level[inner] + 1;
    for (; level < UNIVERSE; level++) {
      if (
        cellNumber(x, level) === this.#numberAbove(this.cellX[inner], inner, level) &&
        cellNumber(y, level) === this.#numberAbove(this.cellY[inner], inner, level) &&
        cellNumber(z, level) === this.#numberAbove(this.cellZ[inner], inner, level)
      ) {
        break;
      }
    }
    this.setCell(node, level, cellNumber(x, level), cellNumber(y, level), cellNumber(z, level));
  }

  /** The number of the cell at a higher level that contains a node's cell with this number. */
  #numberAbove(number: number, node: number, level: number): number {
    return Math.floor(number * 2 ** (this.level[node] - level));
  }

  #columns(): { byteLength: number }[] {
    const cells = [this.level, this.cellX, this.cellY, this.cellZ];
    const links = [
      this.parent,
      this.children,
      this.isLeaf,
      this.heads,
      this.members,
      this.dirty,
      this.isPoint,
    ];
    const box = [this.minX, this.minY, this.minZ, this.maxX, this.maxY, this.maxZ];
    return [
      ...cells,
      ...links,
      ...box,
      this.widest,
      this.narrowest,
      this.loudest,
      this.quietest,
      this.minReach,
    ];
  }

  #grow(): void {
    const capacity = Math.max(FIRST_NODES, 2 * this.level.length);
    this.level = grown(this.level, capacity);
    this.cellX = grown(this.cellX, capacity);
    this.cellY = grown(this.cellY, capacity);
    this.cellZ = grown(this.cellZ, capacity);
    this.parent = grown(this.parent, capacity);
    this.children = grown(this.children, capacity * this.fan);
    this.isLeaf = grown(this.isLeaf, capacity);
    this.heads = grown(this.heads, 2 * capacity);
    this.members = grown(this.members, capacity);
    this.minX = grown(this.minX, capacity);
    this.minY = grown(this.minY, capacity);
    this.minZ = grown(this.minZ, capacity);
    this.maxX = grown(this.maxX, capacity);
    this.maxY = grown(this.maxY, capacity);
    this.maxZ = grown(this.maxZ, capacity);
    this.widest = grown(this.widest, capacity);
    this.narrowest = grown(this.narrowest, capacity);
    this.loudest = grown(this.loudest, capacity);
    this.quietest = grown(this.quietest, capacity);
    this.minReach = grown(this.minReach, capacity);
    this.dirty = grown(this.dirty, capacity);
    this.isPoint = grown(this.isPoint, capacity);
    this.#nextFree = grown(this.#nextFree, capacity);
  }
}
