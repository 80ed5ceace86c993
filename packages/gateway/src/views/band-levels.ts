/**
 * The level of each entity for a client: the number of bands that the client is inside of, with hysteresis.
 *
 * A client enters a band at the band's distance from its focus, and leaves it at that distance plus the leave
 * margin of its watcher's interest, as with relations. In between the level stays as it was, so the level is
 * state, kept in the row. Bands are nested and share the margin, so one number describes all of them, and two
 * distances tell whether it still holds.
 *
 * Cost: one distance and two comparisons per entity.
 */
import type { AppearanceColumns } from '../appearance/appearance-columns.ts';

/** The client has no entity as its focus. */
export const NOWHERE = -1;

export class BandLevels {
  /** By level, squared distances in steps: up to `riseAt` the level rises, beyond `fallAt` it falls. */
  readonly riseAt: Float64Array;
  readonly fallAt: Float64Array;
  /** Position of the focus in steps; infinite without a focus. */
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

  /** Sets the focus to the entity in this slot, and the leave margin of its watcher, in world units. */
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

  /** The new level for the entity in this slot, which was noticed in this tick and had `level` before. */
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
