/**
 * Memory of markers that lost a seat by leaving perception.
 *
 * By watcher, the tick at which each marker was lost. A marker that is a candidate again is deleted, in time or not.
 * Beyond the cap the oldest are forgotten first, and within a tick those with higher ids. Cost: O(n log n) if there
 * are too many.
 */
import type { EntityId } from '../../index.ts';

export class LostSeats {
  readonly #lostAt = new Map<EntityId, Map<EntityId, number>>();

  copy(): LostSeats {
    const copy = new LostSeats();
    for (const [watcher, lost] of this.#lostAt) copy.#lostAt.set(watcher, new Map(lost));
    return copy;
  }

  /** Whether the marker is back in time at `tick` to count as seated. */
  isRemembered(watcher: EntityId, marker: EntityId, tick: number, memoryTicks: number): boolean {
    const lostAt = this.#lostAt.get(watcher)?.get(marker);
    return lostAt !== undefined && tick - lostAt <= memoryTicks;
  }

  remember(watcher: EntityId, marker: EntityId, tick: number): void {
    const lost = this.#lostAt.get(watcher) ?? new Map<EntityId, number>();
    this.#lostAt.set(watcher, lost.set(marker, tick));
  }

  strike(watcher: EntityId, marker: EntityId): void {
    this.#lostAt.get(watcher)?.delete(marker);
  }

  /** At most `cap` markers are remembered, and none at all without a cap. */
  trim(watcher: EntityId, cap: number): void {
    const lost = this.#lostAt.get(watcher);
    if (lost === undefined) return;
    const newestFirst = [...lost].sort(([one, oneAt], [other, otherAt]) => otherAt - oneAt || one - other);
    const kept = cap === Number.POSITIVE_INFINITY ? 0 : cap;
    for (const [marker] of newestFirst.slice(kept)) lost.delete(marker);
  }

  forget(watcher: EntityId): void {
    this.#lostAt.delete(watcher);
  }

  remove(id: EntityId): void {
    this.#lostAt.delete(id);
    for (const lost of this.#lostAt.values()) lost.delete(id);
  }
}
