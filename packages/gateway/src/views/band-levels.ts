/**
 * How many bands a client is inside of for each entity, and what keeps that from flickering.
 *
 * A band is entered at its distance from where the client looks from, and left beyond that and the leave margin of its
 * watcher's interest, as relations are. Between the two it stays as it was, so a level is state: a row keeps it. Bands lie
 * within each other and share the margin, so one number says all of them, and two distances say whether it still holds.
 *
 * Cost: a distance and two comparisons an entity.
 */
import type { AppearanceColumns } from '../appearance/appearance-columns.ts';

/** There is no entity that the client looks from. */
export const NOWHERE = -1;

export class BandLevels {
  /** By level, squared and in steps: at most so far, it rises; farther than that, it falls. */
  readonly riseAt: Float64Array;
  readonly fallAt: Float64Array;
  /** Steps; infinite when the client looks from nowhere. */
  x = Number.POSITIVE_INFINITY;
  y = 0;
  z = 0;
  readonly #columns: AppearanceColumns;
  #margin = Number.NaN;

  constructor(columns: AppearanceColumns) {
    this.#columns = columns;
    const levels = columns.schema.bands.length + 1;
    this.riseAt = new Float64Array(levels).fill(-1);
    this.fallAt = new Float64Array(levels).fill(Number.POSITIVE_INFINITY);
  }

  /** The client looks from the entity in this slot, and its watcher has this margin, in world units. */
  look(slot: number, margin: number): void {
    const { x, y, z, schema } = this.#columns;
    const isSomewhere = slot !== NOWHERE;
    this.x = isSomewhere ? x[slot]! : Number.POSITIVE_INFINITY;
    this.y = isSomewhere ? y[slot]! : 0;
    this.z = isSomewhere ? z[slot]! : 0;
    if (margin === this.#margin) return;
    this.#margin = margin;
    for (const [level, { distance }] of schema.bands.entries()) {
      this.riseAt[level] = (distance / schema.positionStep) ** 2;
      this.fallAt[level + 1] = ((distance + margin) / schema.positionStep) ** 2;
    }
  }

  /** The level for the entity in this slot, which was noticed in this tick, after it was `level`. */
  levelOf(slot: number, level: number): number {
    const { x, y, z } = this.#columns;
    const dx = x[slot]! - this.x;
    const dy = y[slot]! - this.y;
    const dz = z[slot]! - this.z;
    return this.levelAt(dx * dx + dy * dy + dz * dz, level);
  }

  levelAt(squared: number, level: number): number {
    let now = level;
    while (squared <= this.riseAt[now]!) now++;
    while (squared > this.fallAt[now]!) now--;
    return now;
  }
}
