/**
 * The definition of bands in the plainest code: entered at their distance, left beyond it and the leave margin, for whoever looks, frame by
 * frame.
 */
import type { EntityId, World } from 'umwelt';

export interface PlainBand {
  readonly name: string;
  readonly distance: number;
}

/** What one client is inside of. */
export class Surroundings {
  #focus: EntityId = 0;
  #inside = new Map<EntityId, Set<string>>();

  /** Whether the client was inside of the band around the entity when it looked last. */
  isInside(id: EntityId, band: string): boolean {
    return this.#inside.get(id)?.has(band) ?? false;
  }

  /** A frame is made, of those `shown`; distances are between whole steps. */
  look(
    world: World,
    { watcher, own }: { readonly watcher: EntityId; readonly own: EntityId },
    shown: Iterable<EntityId>,
    bands: readonly PlainBand[],
    positionStep: number,
  ): void {
    const focus = own || watcher;
    const before = focus === this.#focus ? this.#inside : new Map<EntityId, Set<string>>();
    const margin = watcher === 0 ? 0 : world.leaveMargin(watcher);
    const stepsOf = (id: EntityId): number[] =>
      [...world.position(id)].map((coordinate) => Math.round(coordinate / positionStep));
    const from = focus === 0 ? [] : stepsOf(focus);
    this.#focus = focus;
    this.#inside = new Map();
    for (const id of shown) {
      const squared = stepsOf(id).reduce(
        (sum, step, axis) => sum + (step - (from[axis] ?? Number.NaN)) ** 2,
        0,
      );
      const within = (distance: number): boolean => squared <= (distance / positionStep) ** 2;
      const names = bands
        .filter(({ name, distance }) => within(distance + (before.get(id)?.has(name) ? margin : 0)))
        .map(({ name }) => name);
      this.#inside.set(id, new Set(names));
    }
  }
}
