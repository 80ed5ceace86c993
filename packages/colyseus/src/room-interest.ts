/**
 * The interest of a room: the one object through which a Colyseus room shows each client what it perceives.
 *
 * The room ticks its world and passes the reported changes to `publish`. In mode 'frames' a gateway sends
 * them to the clients as binary frames inside the room's connection. In mode 'view' they update each client's
 * StateView, and Colyseus's own patches do the rest. Drops and reconnections need no call: each `publish`
 * reads from `room.clients` which clients are connected, and a client for which Colyseus keeps no seat is
 * gone.
 */
import type { Client } from '@colyseus/core';
import { Schema } from '@colyseus/schema';
import type { AppearanceOptions, Gateway, GatewayWorld, ValuesOf } from '@umwelt/gateway';
import { type Changes, type EntityId, type Place, UmweltError } from 'umwelt';
import { FramesMode, type FramesOptions } from './frames-mode.ts';
import { badOption, type InterestMode, type InterestRoom } from './interest-mode.ts';
import { checkOptions } from './room-options.ts';
import { RoomSessions } from './room-sessions.ts';
import { ViewMode, type ViewOptions } from './view-mode.ts';

/** Options of `new RoomInterest()`, by mode. */
export type RoomInterestOptions<A extends AppearanceOptions = AppearanceOptions> =
  | FramesOptions<A>
  | ViewOptions;

/**
 * Shows each client of a room what its watcher perceives. In mode 'frames' it has the types of its
 * appearance, as a `Gateway` does. After `dispose`, calls throw `DISPOSED`.
 */
export class RoomInterest<const A extends AppearanceOptions = AppearanceOptions> {
  /** The world that this interest shows. */
  readonly world: GatewayWorld;
  readonly #sessions: RoomSessions;
  readonly #frames: FramesMode | undefined;
  readonly #mode: InterestMode;
  #tick: number;
  #disposed: Promise<void> | undefined;

  /**
   * Create it in `onCreate`, or as a member of the room. Mode 'frames' also accepts the reading half of a
   * world that several processes share, `node.world` of `@umwelt/cluster`; then `node.attach` calls
   * `publish`. Throws `BAD_OPTION`, `UNKNOWN_SENSE`, `UNSUPPORTED`.
   */
  constructor(room: InterestRoom, world: GatewayWorld, options: RoomInterestOptions<A>) {
    const graceMs = checkOptions(options);
    if (options.mode === 'view' && world.shows !== undefined) {
      throw unsupported("mode 'view' needs a world of one process; expected mode 'frames'", 'mode');
    }
    this.world = world;
    this.#sessions = new RoomSessions(room);
    this.#tick = world.tickCount;
    this.#frames =
      options.mode === 'frames' ? new FramesMode(room, this.#sessions, world, options, graceMs) : undefined;
    this.#mode = this.#frames ?? new ViewMode(this.#sessions, world, options as ViewOptions, graceMs);
  }

  /**
   * The gateway of mode 'frames': fields, broadcasts, metrics. Do not call its `publish`, `listen` and
   * `drain` yourself. Throws `UNSUPPORTED` in mode 'view'.
   */
  get gateway(): Gateway<A> {
    if (this.#frames === undefined) throw unsupported("there is no gateway in mode 'view'", 'gateway');
    return this.#frames.gateway as Gateway<A>;
  }

  /**
   * The watchers that clients follow, in the form that `node.attach` of `@umwelt/cluster` needs. Their
   * `release` does the same as `release` of this object.
   */
  get sessions(): Iterable<{ readonly watcher: EntityId; release(): void }> {
    return [...(this.#frames?.followed() ?? [])];
  }

  /** Same as `gateway.set`. Throws `UNSUPPORTED` in mode 'view'. */
  set(id: EntityId, values: Readonly<Partial<ValuesOf<A>>>): void {
    this.gateway.set(id, values);
  }

  /** Same as `gateway.broadcast`. Throws `UNSUPPORTED` in mode 'view'. */
  broadcast(marker: EntityId, message: Uint8Array, options: { readonly sense?: string } = {}): void {
    this.gateway.broadcast(marker, message, options);
  }

  /** Same as `gateway.broadcastAt`. Throws `UNSUPPORTED` in mode 'view'. */
  broadcastAt(place: Place, message: Uint8Array): void {
    this.gateway.broadcastAt(place, message);
  }

  /**
   * Same as `gateway.resync`, for when the state of the world was replaced. Throws `UNSUPPORTED` in mode
   * 'view'.
   */
  resync(): void {
    this.gateway.resync();
    this.#tick = this.world.tickCount;
  }

  /**
   * Shows a client what `watcher` perceives, instead of what it was shown before. If another client follows
   * this watcher, that client is shown nothing any more. The client may be away as long as Colyseus keeps its
   * seat; it is shown this when it is back. `client` may also be an older client object of a followed
   * session.
   *
   * `own` is always shown in addition. In mode 'view' it is a schema instance of the state, which may also be
   * the one tracked for the watcher. In mode 'frames' it is an entity, `watcher` unless given. Throws
   * `BAD_OPTION` for a client that is neither in the room nor allowed to come back and for an `own` of the
   * wrong kind, `STALE_ID`, `BAD_ID`.
   */
  follow(client: Client, watcher: EntityId, own?: Schema | EntityId): void {
    this.#checkOpen();
    // `position` throws unless the entity is present.
    this.world.position(watcher);
    if (own !== undefined) this.#checkOwn(own);
    const newest = this.#sessions.resolve(client);
    if (newest === undefined) {
      const { sessionId } = client;
      const message = `client ${sessionId} is not in the room; expected one that is, or that is allowed to come back`;
      throw badOption('client', sessionId, message);
    }
    this.#mode.follow(newest, watcher, own);
  }

  /**
   * Mode 'view': clients receive `schema`, an instance in the room's state, for entity `id`. Takes effect
   * with the next `publish`; by then the instance must be in the state. Throws `UNSUPPORTED` in mode
   * 'frames', `BAD_OPTION` if `schema` is not a schema instance or is tracked for another entity, `STALE_ID`,
   * `BAD_ID`.
   */
  track(id: EntityId, schema: Schema): void {
    this.#checkOpen();
    if (this.#frames !== undefined) {
      throw unsupported(
        "track is for mode 'view' only; in mode 'frames' set fields with gateway.set",
        'mode',
      );
    }
    this.world.position(id);
    checkSchema('schema', schema);
    this.#mode.track(id, schema);
  }

  /**
   * Ends what `follow` and `track` started for an entity: no client is shown its schema any more, and the
   * client that followed it is shown nothing until the next `follow`. An entity that is removed from the
   * world is released by the next `publish`. Does nothing for an unknown entity.
   */
  release(id: EntityId): void {
    this.#checkOpen();
    this.#mode.release(id);
  }

  /**
   * Sends a tick to the clients. Call it after each `world.tick()`, before anything else changes the world.
   * If a tick is skipped, the next call updates every client to the current state. Throws `BAD_OPTION` for a
   * tick that is not newer than the last one, or newer than the world's, and for another world's changes at the
   * same tick. Throws `BAD_OPTION`, after everything else is done, for a tracked schema that is not in the state,
   * and for one that Colyseus sends to every client because no `.view()` is on the path to it; the next tick
   * tries it again.
   */
  publish(changes: Changes): void {
    this.#checkOpen();
    if (typeof changes?.tick !== 'number')
      throw badOption('changes', changes, 'changes has no tick; expected what world.tick() returned');
    // A later tick than the world's is of another room's world.
    if (!(changes.tick <= this.world.tickCount)) {
      const message = `tick ${changes.tick} was given; expected at most ${this.world.tickCount}, the tick of this room's world`;
      throw badOption('changes', changes.tick, message);
    }
    if (changes.tick === this.world.tickCount && changes !== this.world.lastChanges) {
      const message = `the changes of another world at tick ${changes.tick} were given; expected those of this room's world, world.lastChanges`;
      throw badOption('changes', changes.tick, message);
    }
    if (changes.tick <= this.#tick) {
      const message = `tick ${changes.tick} was published; expected one after ${this.#tick}`;
      throw badOption('changes', changes.tick, message);
    }
    this.#tick = changes.tick;
    this.#sessions.refresh();
    this.#mode.publish(changes);
  }

  /**
   * Ends the interest, for `onDispose`: no watcher is followed any more. The world stays. Idempotent; other
   * calls then throw `DISPOSED`.
   */
  dispose(): Promise<void> {
    this.#disposed ??= this.#mode.dispose();
    return this.#disposed;
  }

  #checkOwn(own: Schema | EntityId): void {
    if (this.#frames === undefined) checkSchema('own', own);
    else if (typeof own === 'number') this.world.position(own);
    else throw badOption('own', own, "own is no entity; expected the id of one in mode 'frames'");
  }

  #checkOpen(): void {
    if (this.#disposed !== undefined) {
      throw new UmweltError('DISPOSED', 'the interest of this room was disposed of');
    }
  }
}

function checkSchema(field: string, value: unknown): void {
  if (Schema.isSchema(value)) return;
  throw badOption(field, value, `${field} is no schema instance; expected one of the room's state`);
}

function unsupported(message: string, field: string): UmweltError {
  return new UmweltError('UNSUPPORTED', message, { field });
}
