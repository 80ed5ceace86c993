/**
 * Pins and blocks: rules for a single pair that override all others.
 *
 * A pin is a set of reasons, each with its limits, and lasts until the last reason is removed; a block has none. Both
 * end when either side is removed. Method: by watcher, a Map from the marker to its reasons. Cost: O(watchers with
 * ties) for a removal.
 */
import type { EntityId, PinOptions } from '../../index.ts';

export class PlainTies {
  readonly #pins = new Map<EntityId, Map<EntityId, Map<string, PinOptions>>>();
  readonly #blocks = new Map<EntityId, Set<EntityId>>();

  pin(watcher: EntityId, marker: EntityId, reason: string, limits: PinOptions): void {
    const pins = this.#pins.get(watcher) ?? new Map<EntityId, Map<string, PinOptions>>();
    this.#pins.set(watcher, pins.set(marker, (pins.get(marker) ?? new Map()).set(reason, limits)));
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

  /** A copy of all ties so far; later changes do not affect it. */
  copy(): PlainTies {
    const copy = new PlainTies();
    for (const [watcher, pins] of this.#pins) {
      copy.#pins.set(watcher, new Map([...pins].map(([marker, reasons]) => [marker, new Map(reasons)])));
    }
    for (const [watcher, blocks] of this.#blocks) copy.#blocks.set(watcher, new Set(blocks));
    return copy;
  }

  /** The pin reasons that hold at a squared distance, with their limits; in the order in which they were given. */
  reasonsAt(watcher: EntityId, marker: EntityId, squared: number): [reason: string, limits: PinOptions][] {
    const reasons = this.#pins.get(watcher)?.get(marker);
    if (reasons === undefined) return [];
    return [...reasons].filter(([, { within = Number.POSITIVE_INFINITY }]) => isWithin(squared, within));
  }

  /** The smallest rate that any of these reasons names; `undefined` if none does. */
  rateAt(watcher: EntityId, marker: EntityId, squared: number): number | undefined {
    const rates = this.reasonsAt(watcher, marker, squared).flatMap(([, { everyTicks }]) => everyTicks ?? []);
    return rates.length === 0 ? undefined : Math.min(...rates);
  }

  /** Whether any of its pins, held or not, has a rate other than every tick. */
  hasRates(watcher: EntityId): boolean {
    const pins = this.#pins.get(watcher);
    if (pins === undefined) return false;
    return [...pins.values()].some((reasons) =>
      [...reasons.values()].some(({ everyTicks = 1 }) => everyTicks > 1),
    );
  }

  isBlocked(watcher: EntityId, marker: EntityId): boolean {
    return this.#blocks.get(watcher)?.has(marker) ?? false;
  }

  /** Whether it has pinned any marker, even one that cannot be perceived. */
  hasPins(id: EntityId): boolean {
    return (this.#pins.get(id)?.size ?? 0) > 0;
  }
}

/** Whether a squared distance is within a limit. */
function isWithin(squared: number, within: number): boolean {
  const edge = Math.fround(within);
  return squared <= Math.fround(edge * edge);
}
