/** The events of a node and their listeners. */
import type { Changes, EntityId, UmweltError } from 'umwelt';
import { badOption } from '../log/bad-option.ts';
import type { ClusterMember } from './cluster-member.ts';

/** Why a node gained an entity: it added it, was given it, or the owner is gone. */
export type GainReason = 'added' | 'given' | 'orphaned';
/** Why a node lost an entity: it gave it away, lost its membership for a moment, or removed it. */
export type LoseReason = 'given' | 'fenced' | 'removed';

/** Arguments of the listeners, by event. */
export interface NodeEvents {
  /** After each mark. */
  tick: (changes: Changes) => void;
  /** After 'tick', unless this node is behind: move the entities that it owns here. */
  simulate: (tick: number) => void;
  /** This node now owns the entity. `state`: a copy of its kept bytes; empty if none. */
  gain: (id: EntityId, state: Uint8Array, why: GainReason) => void;
  /** This node may not change the entity any more. */
  lose: (id: EntityId, why: LoseReason) => void;
  /** A message to an entity's owner: in log order, before the next mark. */
  message: (id: EntityId, bytes: Uint8Array, from: ClusterMember) => void;
  /** A broadcast. `sense`: '' for any sense. */
  broadcast: (marker: EntityId, bytes: Uint8Array, sense: string) => void;
  /** Fields of an entity were set; `fields` has those that the call named. */
  fields: (id: EntityId, fields: Readonly<Record<string, boolean | number | string>>) => void;
  /** This node no longer shows the watcher's view: another node was asked to, or none is any more. */
  hide: (id: EntityId) => void;
  /** The world was replaced by a copy of another node's state: what the game read from it before may be wrong. */
  copy: () => void;
  /** A gateway refused something from the log: a field that it does not declare, a message that is too long. */
  gatewayRefused: (error: UmweltError) => void;
  /** A member joined or is gone. */
  members: () => void;
  /** This node's state differed from that of two others: it left, and copies their state. */
  differed: () => void;
  /** A checkpoint could not be saved; it is tried again after `checkpointMs`, or after 5 s if the log was begun anew since the last one. */
  checkpointFailed: (error: unknown) => void;
  /** The node cannot go on. */
  failed: (error: UmweltError) => void;
}
/** Names of the events of a node. */
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
  #isOver = false;
  #depth = 0;

  /** `fault`: receives what a listener throws; the other listeners are still called. */
  constructor(fault: (error: unknown) => void) {
    this.#fault = fault;
  }

  add<E extends NodeEvent>(event: E, listener: NodeEvents[E]): () => void {
    if (!EVENTS.includes(event)) throw badOption('event', event, `one of ${EVENTS.join(', ')}`);
    if (typeof listener !== 'function') throw badOption('listener', listener, 'a function');
    // A new array, so that an emit that is under way is not disturbed.
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

  /** Whether a listener is being called. */
  get isEmitting(): boolean {
    return this.#depth > 0;
  }

  /** Calls no listener any more. */
  end(): void {
    this.#isOver = true;
  }

  emit<E extends NodeEvent>(event: E, ...values: Parameters<NodeEvents[E]>): void {
    for (const listener of this.#listeners.get(event) ?? []) {
      // A listener may halt the node.
      if (this.#isOver) return;
      this.#depth++;
      try {
        (listener as (...given: Parameters<NodeEvents[E]>) => void)(...values);
      } catch (error) {
        this.#fault(error);
      } finally {
        this.#depth--;
      }
    }
  }
}
