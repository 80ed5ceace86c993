/**
 * Pins and blocks: what was said of one pair, whatever else holds.
 *
 * A pin is a set of reasons and lasts until the last of them is taken back; a block has none. Both go when either side is
 * removed. Method: by watcher, a Map from the marker to its reasons. Cost: O(watchers with ties) for a removal.
 */
import type { EntityId } from '../../index.ts';

export class PlainTies {
  readonly #pins = new Map<EntityId, Map<EntityId, Set<string>>>();
  readonly #blocks = new Map<EntityId, Set<EntityId>>();

  pin(watcher: EntityId, marker: EntityId, reason: string): void {
    const pins = this.#pins.get(watcher) ?? new Map<EntityId, Set<string>>();
    this.#pins.set(watcher, pins.set(marker, (pins.get(marker) ?? new Set()).add(reason)));
  }

  unpin(watcher: EntityId, marker: EntityId, reason: string): void {
    const pins = this.#pins.get(watcher);
    const reasons = pins?.get(marker);
    reasons?.delete(reason);
    if (reasons?.size === 0) pins?.delete(marker);
  }

  block(watcher: EntityId, marker: EntityId): void {
    this.#blocks.set(watcher, (this.#blocks.get(watcher) ?? new Set()).add(marker));
  }

  unblock(watcher: EntityId, marker: EntityId): void {
    this.#blocks.get(watcher)?.delete(marker);
  }

  remove(id: EntityId): void {
    for (const ties of [this.#pins, this.#blocks]) {
      ties.delete(id);
      for (const markers of ties.values()) markers.delete(id);
    }
  }

  /** What was said so far; what is said later is not in it. */
  copy(): PlainTies {
    const copy = new PlainTies();
    for (const [watcher, pins] of this.#pins) {
      copy.#pins.set(watcher, new Map([...pins].map(([marker, reasons]) => [marker, new Set(reasons)])));
    }
    for (const [watcher, blocks] of this.#blocks) copy.#blocks.set(watcher, new Set(blocks));
    return copy;
  }

  isPinned(watcher: EntityId, marker: EntityId): boolean {
    return this.#pins.get(watcher)?.has(marker) ?? false;
  }

  /** In the order in which they were given. */
  reasonsOf(watcher: EntityId, marker: EntityId): readonly string[] {
    return [...(this.#pins.get(watcher)?.get(marker) ?? [])];
  }

  isBlocked(watcher: EntityId, marker: EntityId): boolean {
    return this.#blocks.get(watcher)?.has(marker) ?? false;
  }

  /** Whether it has pinned anybody, be it one that cannot be perceived. */
  hasPins(id: EntityId): boolean {
    return (this.#pins.get(id)?.size ?? 0) > 0;
  }
}
