/** A member of the world as its nodes see it. */
import type { Member } from '../state/members.ts';

/** A member of the world, as of the tick at which it was asked for. */
export interface ClusterMember {
  /** What it joined as. */
  readonly name: string;
  /** No other member ever has it: one that comes back under its name is another. */
  readonly incarnation: number;
  /** Whether it takes over entities of members that are gone. */
  readonly adopts: boolean;
  /** Calls of its that were refused since it came. */
  readonly refused: number;
  /** Ticks since its last record. */
  readonly silentTicks: number;
}

export function clusterMember(member: Member, tick: number): ClusterMember {
  const { name, incarnation, adopts, refused, heardTick } = member;
  return { name, incarnation, adopts, refused, silentTicks: tick - heardTick };
}
