/**
 * State of a pair from one tick to the next. For pairs that have a seat or are related whatever the seats, it is used
 * for decisions; for pairs that were perceived and got no seat, for explanations.
 */
import type { EntityId } from '../../index.ts';

export interface Bond {
  /** The senses that perceive it, with the margin: bit i for sense i. */
  readonly senses: number;
  /** Related by pin, group or always. */
  readonly isForced: boolean;
  /** Has a seat, whatever the other side decides. */
  readonly isSeated: boolean;
  /** Reported: forced, or seated and, if required, seated by the other side too. */
  readonly isRelated: boolean;
  /** Related because of its parent. */
  readonly isAttached: boolean;
  /** The tick since which it is forced or seated without interruption. */
  readonly since: number;
  /** The last tick in which a sense perceived it, if it may linger; `undefined`: it may not. */
  readonly perceivedAt: number | undefined;
  /** The tick at which it entered or was last `updated`. */
  readonly lastReported: number;
}

/** By watcher, by marker. Every entity that is a watcher has an entry. */
export type Bonds = ReadonlyMap<EntityId, ReadonlyMap<EntityId, Bond>>;

/** A marker that was perceived at the last tick, or would have lingered, and got no seat, and why. */
export interface Unseated {
  readonly why: 'block' | 'admit' | 'cap' | 'waiting';
  /** The senses that perceive it, with the margin. */
  readonly senses: number;
}

export const NO_BONDS: ReadonlyMap<EntityId, Bond> = new Map();

/** The value of a last tick's bond when seats are decided: none for a bond that followed from a parent. */
export function ownBond(bond: Bond | undefined): Bond | undefined {
  if (bond === undefined || !bond.isAttached) return bond;
  return bond.isForced ? { ...bond, senses: 0 } : undefined;
}
