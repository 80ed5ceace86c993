/**
 * The world that a gateway replicates: a `World`, or the reading half of a world that several processes
 * share, such as `node.world` of `@umwelt/cluster`. The additional members of a shared world are optional, so
 * a `World` is a `GatewayWorld`.
 */
import type { EntityId, World, WorldReader } from 'umwelt';

/** A world that a gateway can replicate. */
export type GatewayWorld = WorldReader & {
  /** Makes the next tick report the entity as updated. Absent if the world is changed by a log only. */
  touch?: World['touch'];
  /**
   * Whether this process knows what the watcher perceives, as of the last tick. While it does not, the client
   * of this watcher is sent no frame and keeps what it has; afterwards it is sent the difference. Absent:
   * always.
   */
  shows?(watcher: EntityId): boolean;
  /**
   * 8 bytes that identify the world whose ids these are, the same in every process that shows it. Absent: the
   * gateway chooses one.
   */
  readonly worldId?: Uint8Array;
};
