/**
 * The world that a gateway shows: a `World`, or the reading half of one that several processes share, such as `node.world` of
 * `@umwelt/cluster`. What a shared one adds is optional, so a `World` is one.
 */
import type { EntityId, World, WorldReader } from 'umwelt';

/** A world that a gateway can show. */
export type GatewayWorld = WorldReader & {
  /** Has the next tick report the entity as updated. Absent where only a log changes the world: then that does it. */
  touch?: World['touch'];
  /**
   * Whether what the watcher perceives is known here, as of the last tick. A client whose watcher's views are elsewhere for
   * a while is sent nothing, and keeps what it has; later it is told the difference. Absent: always.
   */
  shows?(watcher: EntityId): boolean;
  /** 8 bytes: ids are those of this world, wherever else it is shown. Absent: the gateway chooses one. */
  readonly worldId?: Uint8Array;
};
