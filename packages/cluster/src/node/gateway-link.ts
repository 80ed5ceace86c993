/**
 * What a node does for a gateway that shows its watchers to clients.
 *
 * Fields and broadcasts come from the log, so the gateways of all nodes have the same. What a gateway refuses, since it declares
 * other fields than the node that set them, is left out and told: one game's slip must not end the processes of all.
 */
import { type EntityId, UmweltError, type WorldReader } from 'umwelt';
import type { Fields, FieldValue } from '../records/calls.ts';
import type { NodeListeners } from './listeners.ts';

/** What `attach` needs of a gateway: that of `@umwelt/gateway` is one. */
export interface ViewGateway {
  /** The one that it shows. */
  readonly world: WorldReader;
  /** Its clients. */
  readonly sessions: Iterable<{
    /** Whose relations it is shown. */
    readonly watcher: EntityId;
    /** Ends it. */
    release(): void;
  }>;
  /** Shows a tick to clients. */
  publish(changes: WorldReader['lastChanges']): void;
  /** Sets fields of an entity. */
  set(id: EntityId, values: Fields): void;
  /** Sends a message to those that perceive the marker. */
  broadcast(marker: EntityId, message: Uint8Array, options?: { readonly sense?: string }): void;
  /** Forgets fields, and tells clients everything anew. */
  resync(): void;
}

/** What a link needs of the node. */
export interface LinkedNode {
  readonly world: WorldReader;
  readonly listeners: NodeListeners;
  /** As of now: another map after a copy. */
  fields(): ReadonlyMap<EntityId, ReadonlyMap<string, FieldValue>>;
  isLagging(): boolean;
}

export function linkGateway(gateway: ViewGateway, node: LinkedNode): () => void {
  if (gateway?.world !== node.world) {
    throw new UmweltError('BAD_OPTION', 'a gateway on another world was given, expected one on node.world', {
      field: 'gateway',
    });
  }
  const { listeners } = node;
  const attempt = (call: () => void): boolean => {
    try {
      call();
      return true;
    } catch (error) {
      if (!(error instanceof UmweltError)) throw error;
      listeners.emit('gatewayRefused', error);
      return false;
    }
  };
  const set = (id: EntityId, fields: Fields): void => {
    if (attempt(() => gateway.set(id, fields)) || Object.keys(fields).length === 1) return;
    // All or none: what is known to it is shown all the same, as it is by one that joins later.
    for (const [name, value] of Object.entries(fields)) attempt(() => gateway.set(id, { [name]: value }));
  };
  const setAll = (): void => {
    for (const [id, fields] of node.fields()) set(id, Object.fromEntries(fields));
  };
  setAll();
  const stops = [
    listeners.add('fields', set),
    listeners.add('broadcast', (marker, bytes, sense) => {
      attempt(() => gateway.broadcast(marker, bytes, sense === '' ? {} : { sense }));
    }),
    listeners.add('hide', (id) => {
      for (const session of [...gateway.sessions]) if (session.watcher === id) session.release();
    }),
    listeners.add('copy', () => {
      gateway.resync();
      setAll();
    }),
    listeners.add('tick', (changes) => {
      if (!node.isLagging()) gateway.publish(changes);
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}
