/**
 * Connects a node with a gateway that shows its watchers to clients.
 *
 * Fields and broadcasts come from the log, so the gateways of all nodes get the same. If a gateway refuses one, because it
 * declares other fields than the node that set it, that one is skipped and reported: one mistake must not end all processes.
 */
import { type EntityId, UmweltError, type WorldReader } from 'umwelt';
import type { Fields, FieldValue } from '../records/calls.ts';
import type { NodeListeners } from './listeners.ts';

/** What `attach` needs of a gateway; the gateway of `@umwelt/gateway` fits. */
export interface ViewGateway {
  /** The world that it shows. */
  readonly world: WorldReader;
  /** Its clients' sessions. */
  readonly sessions: Iterable<{
    /** The watcher whose view the client gets. */
    readonly watcher: EntityId;
    /** Ends the session. */
    release(): void;
  }>;
  /** Sends a tick's changes to clients. */
  publish(changes: WorldReader['lastChanges']): void;
  /** Sets fields of an entity. */
  set(id: EntityId, values: Fields): void;
  /** Sends a message to the clients whose watcher perceives the marker. */
  broadcast(marker: EntityId, message: Uint8Array, options?: { readonly sense?: string }): void;
  /** Drops all fields and resynchronises all clients. */
  resync(): void;
}

/** What the link needs of the node. */
export interface LinkedNode {
  readonly world: WorldReader;
  readonly listeners: NodeListeners;
  /** Current fields; another map after a state was copied. */
  fields(): ReadonlyMap<EntityId, ReadonlyMap<string, FieldValue>>;
  isLagging(): boolean;
  /** Whether another node shows the view of the watcher. */
  hasLost(watcher: EntityId): boolean;
}

/** True while it is attached; false once it was and is not any more. */
const gateways = new WeakMap<ViewGateway, boolean>();

export function linkGateway(gateway: ViewGateway, node: LinkedNode): () => void {
  if (gateway?.world !== node.world) {
    throw new UmweltError('BAD_OPTION', 'a gateway on another world was given, expected one on node.world', {
      field: 'gateway',
    });
  }
  const wasAttached = gateways.get(gateway);
  if (wasAttached === true) {
    throw new UmweltError('BAD_OPTION', 'a gateway that is attached was given, expected one that is not', {
      field: 'gateway',
    });
  }
  const { listeners } = node;
  /** What the gateway refuses is told to `refused`. */
  const attempt = (call: () => void, refused: (error: UmweltError) => void): void => {
    try {
      call();
    } catch (error) {
      if (!(error instanceof UmweltError)) throw error;
      refused(error);
    }
  };
  const report = (error: UmweltError) => listeners.emit('gatewayRefused', error);
  const set = (id: EntityId, fields: Fields): void => {
    // `set` takes all or none: set one by one, the fields that the gateway knows are still shown, as they are to one that attaches later.
    const setEach = (): void => {
      for (const [name, value] of Object.entries(fields))
        attempt(() => gateway.set(id, { [name]: value }), report);
    };
    attempt(() => gateway.set(id, fields), setEach);
  };
  const setAll = (): void => {
    for (const [id, fields] of node.fields()) set(id, Object.fromEntries(fields));
  };
  const endSessions = (isLost: (watcher: EntityId) => boolean): void => {
    for (const session of [...gateway.sessions]) if (isLost(session.watcher)) session.release();
  };
  if (wasAttached === false) {
    // What was told meanwhile is unknown to it: another state may have been copied, and other nodes may show its watchers.
    gateway.resync();
    endSessions((watcher) => node.hasLost(watcher));
  }
  setAll();
  gateways.set(gateway, true);
  const stops = [
    listeners.add('fields', set),
    listeners.add('broadcast', (marker, bytes, sense) => {
      attempt(() => gateway.broadcast(marker, bytes, sense === '' ? {} : { sense }), report);
    }),
    listeners.add('hide', (id) => {
      // A removed watcher leaves its session, as in a world of one process: the player may be given another body.
      if (node.world.has(id)) endSessions((watcher) => watcher === id);
    }),
    listeners.add('copy', () => {
      // The log may have lost the record that added the watcher. No call has removed it, so no game would give the player another one.
      endSessions((watcher) => watcher !== 0 && !node.world.has(watcher));
      gateway.resync();
      setAll();
    }),
    listeners.add('tick', (changes) => {
      if (node.isLagging()) return;
      try {
        gateway.publish(changes);
      } catch (error) {
        // Its room may end before the game disconnects it: that must not end the process of all others.
        if (!(error instanceof UmweltError && error.code === 'DISPOSED')) throw error;
        detach();
      }
    }),
  ];
  function detach(): void {
    if (stops.length === 0) return;
    for (const stop of stops.splice(0)) stop();
    gateways.set(gateway, false);
  }
  return detach;
}
