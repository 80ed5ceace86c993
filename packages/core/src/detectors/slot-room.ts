/**
 * That every structure has room for the slots there are.
 *
 * Problem: a write past the end of a typed array vanishes without a word, and a read there finds nothing, so a column that
 * is too short loses each entity whose slot lies beyond it. The store's columns grow and shrink; structures are made at
 * one capacity and kept through others. Method: each structure says how many slots the shortest of its columns holds, it
 * grows by that and by no counter kept beside it, and a detector asserts at the start of each tick that all of them hold
 * `slotCount`. Cost: some nanoseconds a tick.
 */
import type { EntityStore } from '../entities/entity-store.ts';
import { assert } from '../errors.ts';

/** A structure with columns by slot. */
export interface SlotRoom {
  /** Slots that the shortest of its columns holds. */
  readonly slotRoom: number;
}

/** Throws unless each of the structures has room for every slot. */
export function assertRoom({ slotCount }: EntityStore, structures: readonly SlotRoom[]): void {
  for (const structure of structures) {
    const { slotRoom } = structure;
    if (slotRoom >= slotCount) continue;
    assert(false, `${structure.constructor.name} has room for ${slotCount} slots, not for ${slotRoom}`);
  }
}
