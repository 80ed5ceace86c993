/**
 * Checks that every structure has room for all slots.
 *
 * Problem: a write past the end of a typed array is silently lost, and a read there finds nothing, so a column that
 * is too short loses each entity whose slot is beyond it. The store's columns grow and shrink; structures are created
 * at one capacity and kept through others. Method: each structure reports how many slots its shortest column holds.
 * It grows by that number and not by a separate counter, and a detector asserts at the start of each tick that all
 * its structures hold `slotCount`. Cost: some nanoseconds a tick.
 */
import type { EntityStore } from '../entities/entity-store.ts';
import { assert } from '../errors.ts';

/** A structure with columns by slot. */
export interface SlotRoom {
  /** Number of slots that its shortest column holds. */
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
