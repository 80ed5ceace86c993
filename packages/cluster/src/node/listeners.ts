/** Who listens to a node. */
import { type Changes, type EntityId, UmweltError } from 'umwelt';
import type { ClusterMember } from './cluster-member.ts';

/** Why a node owns an entity now: it added it, was given it, or its owner is gone. */
export type GainReason = 'added' | 'given' | 'orphaned';
/** Why a node owns an entity no more: it gave it, was gone itself for a moment, or removed it. */
export type LoseReason = 'given' | 'fenced' | 'removed';

/** What listeners are called with, by the event. */
export interface NodeEvents {
  /** After each mark. */
  tick: (changes: Changes) => void;
  /** After 'tick', unless this node is behind: the time to move what it owns. */
  simulate: (tick: number) => void;
  /** `state`: what was kept with it; empty for nothing. */
  gain: (id: EntityId, state: Uint8Array, why: GainReason) => void;
  /** This node may not change it any more. */
  lose: (id: EntityId, why: LoseReason) => void;
  /** To the owner, at its place in the log, before the mark that follows. */
  message: (id: EntityId, bytes: Uint8Array, from: ClusterMember) => void;
  /** `sense`: '' for any. */
  broadcast: (marker: EntityId, bytes: Uint8Array, sense: string) => void;
  /** Fields of an entity were set: those that the call named. */
  fields: (id: EntityId, fields: Readonly<Record<string, boolean | number | string>>) => void;
  /** This node reports no more what the entity perceives: another was asked to, or nobody is any more. */
  hide: (id: EntityId) => void;
  /** The world was replaced by a copy of another's state: what this node knew of it may not hold any more. */
  copy: () => void;
  /** A gateway refused what the log told it to show: a field that it does not declare, a message too long. */
  gatewayRefused: (error: UmweltError) => void;
  /** A member came, or is gone. */
  members: () => void;
  /** This node differed from two others: it left, and copies their state. */
  differed: () => void;
  /** A state could not be put by; it is tried again after `checkpointMs`. */
  checkpointFailed: (error: unknown) => void;
  /** It cannot go on. */
  failed: (error: UmweltError) => void;
}
/** The events that a node tells of. */
export type NodeEvent = keyof NodeEvents;

const EVENTS: readonly NodeEvent[] = [
  'tick',
  'simulate',
  'gain',
  'lose',
  'message',
  'broadcast',
  'fields',
  'hide',
  'copy',
  'gatewayRefused',
  'members',
  'differed',
  'checkpointFailed',
  'failed',
];

export class NodeListeners {
  readonly #fault: (error: unknown) => void;
  readonly #listeners = new Map<NodeEvent, ((...values: never[]) => void)[]>();

  /** `fault`: takes what a listener throws; the others are called all the same. */
  constructor(fault: (error: unknown) => void) {
    this.#fault = fault;
  }

  add<E extends NodeEvent>(event: E, listener: NodeEvents[E]): () => void {
    if (!EVENTS.includes(event) || typeof listener !== 'function') {
      throw new UmweltError(
        'BAD_OPTION',
        `on('${String(event)}', ${typeof listener}): expected one of ${EVENTS.join(', ')}, and a function`,
        { field: 'event', value: event },
      );
    }
    // Made anew, so that who is called just now is not disturbed.
    this.#listeners.set(event, [...(this.#listeners.get(event) ?? []), listener]);
    let isOn = true;
    return () => {
      if (!isOn) return;
      isOn = false;
      const left = [...(this.#listeners.get(event) ?? [])];
      left.splice(left.indexOf(listener), 1);
      this.#listeners.set(event, left);
    };
  }

  emit<E extends NodeEvent>(event: E, ...values: Parameters<NodeEvents[E]>): void {
    for (const listener of this.#listeners.get(event) ?? []) {
      try {
        (listener as (...given: Parameters<NodeEvents[E]>) => void)(...values);
      } catch (error) {
        this.#fault(error);
      }
    }
  }
}
