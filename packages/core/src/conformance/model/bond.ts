/**
 * What is kept of a pair from one tick to the next: of pairs that hold a seat or are related whatever the seats, to decide
 * by; of those that were perceived and got no seat, to explain it.
 */
import type { EntityId } from '../../index.ts';

export interface Bond {
  /** The senses that perceive it, with the margin: bit i for sense i. */
  readonly senses: number;
  /** Related by pin, group or always. */
  readonly isForced: boolean;
  /** Has a seat, whatever the other side thinks of it. */
  readonly isSeated: boolean;
  /** Reported: forced, or seated and, where that is asked for, seated by the other side too. */
  readonly isRelated: boolean;
  /** Related for its parent's sake. */
  readonly isAttached: boolean;
  /** The tick since which it is forced or seated without a break. */
  readonly since: number;
  /** The last tick in which a sense perceived it, where it may linger for that; `undefined`: it may not. */
  readonly perceivedAt: number | undefined;
  /** The tick at which it entered or was last `updated`. */
  readonly lastReported: number;
}

/** By watcher, by marker. Every entity that is a watcher has an entry. */
export type Bonds = ReadonlyMap<EntityId, ReadonlyMap<EntityId, Bond>>;

/** One that was perceived at the last tick and got no seat, and why. */
export interface Unseated {
  readonly why: 'block' | 'admit' | 'cap' | 'waiting';
  /** The senses that perceive it, with the margin. */
  readonly senses: number;
}

export const NO_BONDS: ReadonlyMap<EntityId, Bond> = new Map();

/** What a bond of the last tick counts for when seats are decided: one that followed from a parent, for nothing. */
export function ownBond(bond: Bond | undefined): Bond | undefined {
  if (bond === undefined || !bond.isAttached) return bond;
  return bond.isForced ? { ...bond, senses: 0 } : undefined;
}
