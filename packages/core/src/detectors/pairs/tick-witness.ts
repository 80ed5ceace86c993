/**
 * Tells whether the tick that a detector last prepared was completed.
 *
 * Problem: `detect` updates a structure to the state now, but the tick may still fail afterwards (no memory for its
 * report, a user's rule that throws). Then the last state stays as it was, and the structure is ahead of it. Method:
 * one value that the tick changes is recorded, with its place and its new value. If the last state does not have that
 * value, the tick failed, and the structure must be rebuilt. Cost: one look a tick.
 */
import { type EntityState, MARKER, PRESENT } from '../../entities/entity-state.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import { ADDED, CHANGED, MOVED, REMOVED } from '../../entities/pending.ts';

/** Bits of `store.pending` that can change perception. */
export const DECISIVE = ADDED | REMOVED | MOVED | CHANGED;

/** Fields of an entity: presence, coordinates, and from here on its properties by index. */
const PRESENCE = 0;
const FIRST_PROPERTY = 4;
const NONE = -1;

export class TickWitness {
  #slot = NONE;
  #field = PRESENCE;
  #value = 0;

  /** Whether `last` is the state that was `now` at the last call of `note`. */
  holds({ last }: EntityStore): boolean {
    return this.#slot === NONE || fieldOf(last, this.#slot, this.#field) === this.#value;
  }

  /** Clears the record: the structure was built from `last`. */
  clear(): void {
    this.#slot = NONE;
  }

  /** Records one difference between `last` and `now`. */
  note(store: EntityStore): void {
    const { pending, pendingSlots, pendingCount, last, now } = store;
    this.#slot = NONE;
    for (let i = 0; i < pendingCount; i++) {
      const slot = pendingSlots[i];
      if ((pending[slot] & DECISIVE) === 0) continue;
      const field = differingField(last, now, slot, store.settings.dimensions);
      if (field === NONE) continue;
      this.#slot = slot;
      this.#field = field;
      this.#value = fieldOf(now, slot, field);
      return;
    }
  }
}

/** The first field that differs, or NONE. */
function differingField(last: EntityState, now: EntityState, slot: number, dimensions: number): number {
  for (let field = PRESENCE; field <= dimensions; field++) {
    if (fieldOf(last, slot, field) !== fieldOf(now, slot, field)) return field;
  }
  for (let i = 0; i < now.properties.length; i++) {
    if (last.properties[i].at(slot) !== now.properties[i].at(slot)) return FIRST_PROPERTY + i;
  }
  return NONE;
}

function fieldOf(state: EntityState, slot: number, field: number): number {
  if (field === PRESENCE) return state.flags[slot] & (PRESENT | MARKER);
  if (field === 1) return state.x[slot];
  if (field === 2) return state.y[slot];
  if (field === 3) return state.z[slot];
  return state.properties[field - FIRST_PROPERTY].at(slot);
}
