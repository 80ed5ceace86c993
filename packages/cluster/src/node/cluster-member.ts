/** A member of the world as its nodes see it. */
import type { Member } from '../state/members.ts';

export interface ClusterMember {
  readonly name: string;
  /** No other member ever has it: one that comes back under its name is another. */
  readonly incarnation: number;
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
