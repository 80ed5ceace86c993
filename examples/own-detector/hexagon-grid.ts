/**
 * A detector of your own: a grid of hexagons. `npm test -- examples` runs the conformance suite on it.
 *
 * Problem: a square's corners are far from its centre; a hexagon is rounder. Method: a map from hexagon to the slots in it,
 * updated from the pending changes. Each changed slot is paired with all slots that were near it (before the map is updated) and
 * all that are near it (after); the world decides each pair by the definition. So the grid only has to find enough candidates,
 * and not too many.
 *
 * Memory: a Map and Sets, some 100 bytes per entity. Cost: O(neighbours) per changed entity.
 * Source for hexagon coordinates: Red Blob Games, "Hexagonal Grids" (axial coordinates, pointed tops).
 */
import type { Bounds, Crossings, Detector, DetectorFactory, Population, SlotVisitor } from 'umwelt';

type State = Population['last'];

/** Creates the detector; `size` is the distance from a hexagon's centre to a corner, in world units. */
export function hexagonGrid(size: number): DetectorFactory {
  return (population) => new HexagonGrid(size, population);
}

class HexagonGrid implements Detector {
  readonly name = 'hexagon-grid';
  readonly #size: number;
  readonly #slots = new Map<string, Set<number>>();
  /** By slot: the hexagon that contains it. */
  readonly #hexagonOf = new Map<number, string>();

  constructor(size: number, { last, slotCount }: Population) {
    this.#size = size;
    // The detector of a running world may be changed: add the entities that exist already.
    for (let slot = 0; slot < slotCount; slot++) if (last.isPresent(slot)) this.#put(slot, last);
  }

  detect(population: Population, out: Crossings): void {
    const { pendingSlots, pendingCount, last, now } = population;
    for (let i = 0; i < pendingCount; i++) this.#pair(population, last, pendingSlots[i]!, out);
    for (let i = 0; i < pendingCount; i++) {
      this.#take(pendingSlots[i]!);
      if (now.isPresent(pendingSlots[i]!)) this.#put(pendingSlots[i]!, now);
    }
    for (let i = 0; i < pendingCount; i++) this.#pair(population, now, pendingSlots[i]!, out);
  }

  collect(_population: Population, bounds: Bounds, visit: SlotVisitor): void {
    const { minX, minY, maxX, maxY } = bounds;
    const radius = Math.hypot(maxX - minX, maxY - minY) / 2;
    this.#eachWithin((minX + maxX) / 2, (minY + maxY) / 2, radius, visit);
  }

  validate({ last, slotCount }: Population): void {
    for (let slot = 0; slot < slotCount; slot++) {
      const expected = last.isPresent(slot) ? this.#keyAt(last.x[slot]!, last.y[slot]!) : undefined;
      if (this.#hexagonOf.get(slot) !== expected) throw new Error(`slot ${slot} lies in the wrong hexagon`);
    }
  }

  describe(): string {
    return `${this.#hexagonOf.size} entities in ${this.#slots.size} hexagons of ${this.#size}`;
  }

  get memoryBytes(): number {
    return this.#hexagonOf.size * 100 + this.#slots.size * 200;
  }

  /** Reports every slot that `slot` might perceive, or be perceived by, in one state. */
  #pair({ limits }: Population, state: State, slot: number, out: Crossings): void {
    if (!state.isPresent(slot)) return;
    const reach = Math.max(limits.reachOfWatcher(state, slot), limits.reachOfMarker(state, slot));
    this.#eachWithin(state.x[slot]!, state.y[slot]!, reach, (other) => {
      out.candidate(slot, other);
      out.candidate(other, slot);
    });
  }

  /** Visits at least all slots within `radius` of a point. */
  #eachWithin(x: number, y: number, radius: number, visit: SlotVisitor): void {
    // One step from hexagon to hexagon is at least 1.5 sizes; both ends may be a size off their centres.
    const steps = Math.ceil((radius + 2 * this.#size) / (1.5 * this.#size));
    const hexagonCount = 3 * steps * (steps + 1) + 1;
    if (!(hexagonCount < this.#slots.size)) {
      for (const slot of this.#hexagonOf.keys()) visit(slot);
      return;
    }
    const [q, r] = this.#hexagonAt(x, y);
    for (let dq = -steps; dq <= steps; dq++) {
      for (let dr = Math.max(-steps, -dq - steps); dr <= Math.min(steps, -dq + steps); dr++) {
        for (const slot of this.#slots.get(`${q + dq},${r + dr}`) ?? []) visit(slot);
      }
    }
  }

  #put(slot: number, state: State): void {
    const key = this.#keyAt(state.x[slot]!, state.y[slot]!);
    const slots = this.#slots.get(key) ?? new Set();
    this.#slots.set(key, slots.add(slot));
    this.#hexagonOf.set(slot, key);
  }

  #take(slot: number): void {
    const key = this.#hexagonOf.get(slot);
    if (key === undefined) return;
    const slots = this.#slots.get(key)!;
    slots.delete(slot);
    if (slots.size === 0) this.#slots.delete(key);
    this.#hexagonOf.delete(slot);
  }

  #keyAt(x: number, y: number): string {
    return this.#hexagonAt(x, y).join();
  }

  /** Axial coordinates of the hexagon that contains a point, by rounding cube coordinates. */
  #hexagonAt(x: number, y: number): [q: number, r: number] {
    const q = ((Math.sqrt(3) / 3) * x - y / 3) / this.#size;
    const r = ((2 / 3) * y) / this.#size;
    const [roundQ, roundR, roundS] = [Math.round(q), Math.round(r), Math.round(-q - r)];
    const [offQ, offR, offS] = [Math.abs(roundQ - q), Math.abs(roundR - r), Math.abs(roundS + q + r)];
    // Rounding all three may break q + r + s = 0: the one with the largest rounding error follows from the others.
    if (offQ > offR && offQ > offS) return [-roundR - roundS, roundR];
    return offR > offS ? [roundQ, -roundQ - roundS] : [roundQ, roundR];
  }
}
