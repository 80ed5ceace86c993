/** Events that a replica emits while it applies the log, in log order, for all members. */
import type { Changes, EntityId, UmweltErrorCode } from 'umwelt';
import type { BroadcastCall, Calls, Fields } from '../records/calls.ts';
import type { Anew, Hello } from '../records/record.ts';
import type { HelloRefusal, Member } from './members.ts';

export type OwnerReason = 'added' | 'given' | 'orphaned' | 'removed';
export type GoneReason = 'bye' | 'told' | 'replaced' | 'silent';

/** `owner`, `from`, `to` and `shower` are codes of members: see entity-table.ts. */
export interface ReplicaEvents {
  /**
   * Bytes came in the log, before they are applied. `member`: the sender, if it is a live member. `isStrange`: they are no record, or
   * one that only a live member may write.
   */
  record?(byteLength: number, member: Member | undefined, isStrange: boolean): void;
  /** `outcome`: the new member, or the reason for the refusal. */
  hello?(hello: Hello, outcome: Member | HelloRefusal): void;
  gone?(member: Member, why: GoneReason): void;
  /** Members' records are of another format from the next record on. */
  format?(format: number): void;
  /** A calls record counted, before its calls are made. */
  calls?(member: Member, seq: number, calls: Calls): void;
  added?(member: Member, request: number, outcome: EntityId | UmweltErrorCode): void;
  owner?(id: EntityId, from: number, to: number, why: OwnerReason): void;
  fields?(id: EntityId, fields: Fields): void;
  message?(id: EntityId, owner: number, bytes: Uint8Array, from: Member): void;
  broadcast?(call: BroadcastCall, from: Member): void;
  /** At a mark. */
  shower?(id: EntityId, shower: number): void;
  /** At a mark, before the world ticks. */
  ticking?(): void;
  tick?(changes: Changes): void;
  /** A listener of the world, or the sink of its recording, threw at a mark. Without this event, the replica throws it. */
  tickThrew?(error: unknown): void;
  anew?(anew: Anew, position: number): void;
}
