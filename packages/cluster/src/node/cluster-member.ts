/** A member of the world, as nodes report it. */
import type { Member } from '../state/members.ts';

/** A member of the world, as of the tick at which it was read. */
export interface ClusterMember {
  /** The name it joined with. */
  readonly name: string;
  /** A number that is unique for ever: a member that comes back under the same name gets a new one. */
  readonly incarnation: number;
  /** Whether it takes over entities of members that are gone. */
  readonly adopts: boolean;
  /** Number of its calls that were refused since it joined. */
  readonly refused: number;
  /** Ticks since its last record. */
  readonly silentTicks: number;
}

export function clusterMember(member: Member, tick: number): ClusterMember {
  const { name, incarnation, adopts, refused, heardTick } = member;
  return { name, incarnation, adopts, refused, silentTicks: tick - heardTick };
}
