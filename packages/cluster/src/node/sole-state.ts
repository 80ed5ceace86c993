/**
 * The state of a node that began the log anew, until the other members have copied it.
 *
 * At first no other node has that state, and the log alone does not lead to it. A node that said bye then would take the state
 * along: the others would wait once more, and go on from an older one. So it says bye only when each other member has written a
 * record since, or is gone: a member writes none before it has copied the state, and one that never does is silent after
 * `silenceTicks` ticks.
 */
import { codeOf, type Member } from '../state/members.ts';
import type { Replica } from '../state/replica.ts';

export class SoleState {
  readonly #replica: () => Replica;
  /** The tick at which the log was begun anew; `undefined` if others have the state. */
  #tick: number | undefined;

  constructor(replica: () => Replica) {
    this.#replica = replica;
  }

  /** The log goes on from this node's state. */
  begin(): void {
    this.#tick = this.#replica().tick;
  }

  /** The node goes on from the state of another one. */
  end(): void {
    this.#tick = undefined;
  }

  /** Whether another member may still need to copy the state. */
  get isNeeded(): boolean {
    const tick = this.#tick;
    if (tick === undefined) return false;
    const { members, selfCode } = this.#replica();
    // A record from before the log was begun anew may have come at the same tick.
    const isAwaited = (member: Member) => codeOf(member) !== selfCode && member.heardTick <= tick;
    if (members.live().some(isAwaited)) return true;
    this.#tick = undefined;
    return false;
  }
}
