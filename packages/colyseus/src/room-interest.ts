/**
 * A room whose clients get what they perceive: the one object that a Colyseus room holds.
 *
 * The room ticks its world and hands what the tick reports to `publish`. In mode 'frames' a gateway brings it to the clients as
 * binary frames inside the room's connection; in mode 'view' it drives each client's StateView, and Colyseus's own patches do
 * the rest. Drops and reconnections need no call: who is connected is read off `room.clients` at each `publish`, and
 * Colyseus says in `onLeave` when somebody is gone for good.
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

/** Shows each client of a room what its watcher perceives. In mode 'frames' it has the types of its appearance, as a `Gateway` does. */
export class RoomInterest<const A extends AppearanceOptions = AppearanceOptions> {
  /** The one it was made for. */
  readonly world: GatewayWorld;
  readonly #sessions: RoomSessions;
  readonly #frames: FramesMode | undefined;
  readonly #mode: InterestMode;
  #tick: number;
  #disposed: Promise<void> | undefined;

  /**
   * To be made in `onCreate`, or as a member of the room. Mode 'frames' also takes the reading half of a world that several processes
   * share, `node.world` of `@umwelt/cluster`; then `node.attach` calls `publish`. Throws `BAD_OPTION`, `UNKNOWN_SENSE`, `UNSUPPORTED`.
   */
  constructor(room: InterestRoom, world: GatewayWorld, options: RoomInterestOptions<A>) {
    const graceMs = checkOptions(options);
    if (options.mode === 'view' && world.shows !== undefined) {
      throw unsupported("mode 'view' is of a world of one process; expected mode 'frames'", 'mode');
    }
    this.world = world;
    this.#sessions = new RoomSessions(room);
    this.#tick = world.tickCount;
    this.#frames =
      options.mode === 'frames' ? new FramesMode(room, this.#sessions, world, options, graceMs) : undefined;
    this.#mode = this.#frames ?? new ViewMode(this.#sessions, world, options as ViewOptions, graceMs);
  }

  /**
   * The gateway behind mode 'frames': fields, broadcasts, metrics. Its `publish`, `listen` and `drain` are called from
   * here, or not at all. Throws `UNSUPPORTED` in mode 'view'.
   */
  get gateway(): Gateway<A> {
    if (this.#frames === undefined) throw unsupported("there is no gateway in mode 'view'", 'gateway');
    return this.#frames.gateway as Gateway<A>;
  }

  /** Whose relations clients are shown, as `node.attach` of `@umwelt/cluster` wants to know it; `release` as that of this object. */
  get sessions(): Iterable<{ readonly watcher: EntityId; release(): void }> {
    return [...(this.#frames?.followed() ?? [])];
  }

  /** As `gateway.set`. Throws `UNSUPPORTED` in mode 'view'. */
  set(id: EntityId, values: Readonly<Partial<ValuesOf<A>>>): void {
    this.gateway.set(id, values);
  }

  /** As `gateway.broadcast`. Throws `UNSUPPORTED` in mode 'view'. */
  broadcast(marker: EntityId, message: Uint8Array, options: { readonly sense?: string } = {}): void {
    this.gateway.broadcast(marker, message, options);
  }

  /** As `gateway.broadcastAt`. Throws `UNSUPPORTED` in mode 'view'. */
  broadcastAt(place: Place, message: Uint8Array): void {
    this.gateway.broadcastAt(place, message);
  }

  /** As `gateway.resync`: the world's state was replaced. Throws `UNSUPPORTED` in mode 'view'. */
  resync(): void {
    this.gateway.resync();
    this.#tick = this.world.tickCount;
  }

  /**
   * Shows a client what `watcher` perceives, instead of what it was shown before; a client that was shown this watcher's
   * relations before loses them. The client may be away, as long as Colyseus keeps its seat; it sees this when it is back. An
   * older client object of a session that is followed will do. `own` is what is shown beside, always: in mode 'view' a schema instance of the
   * state, and also the one tracked for the watcher; in mode 'frames' an entity, `watcher` unless given. Throws `BAD_OPTION` for a
   * client that is neither in the room nor allowed to come back and an own that does not fit, `STALE_ID`, `BAD_ID`.
   */
  follow(client: Client, watcher: EntityId, own?: Schema | EntityId): void {
    this.#checkOpen();
    // Only who is present has a position.
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
   * Mode 'view': `schema`, an instance in the room's state, is what clients have of entity `id`. Takes effect with the next
   * `publish`, by when the instance has to be in the state. Throws `UNSUPPORTED` in mode 'frames', `BAD_OPTION` for
   * what is no schema instance or is tracked for another entity, `STALE_ID`, `BAD_ID`.
   */
  track(id: EntityId, schema: Schema): void {
    this.#checkOpen();
    if (this.#frames !== undefined) {
      throw unsupported("track is of mode 'view'; in mode 'frames' set fields by gateway.set", 'mode');
    }
    this.world.position(id);
    checkSchema('schema', schema);
    this.#mode.track(id, schema);
  }

  /**
   * Ends what `follow` and `track` began for an entity: nobody is shown its schema any more, and whoever followed it is shown
   * nothing until the next `follow`. What is removed from the world is released with the next `publish` by itself. Does
   * nothing for an entity it has not heard of.
   */
  release(id: EntityId): void {
    this.#checkOpen();
    this.#mode.release(id);
  }

  /**
   * Brings a tick to the clients. To be called after each `world.tick()`, before anything else changes the world; a tick
   * left out is made up for. Throws `BAD_OPTION` for a tick that is not newer than the last one, and, when all else is done,
   * for a tracked schema that is not in the state: it is tried again with the next tick.
   */
  publish(changes: Changes): void {
    this.#checkOpen();
    if (changes.tick <= this.#tick) {
      const message = `tick ${changes.tick} was published; expected one after ${this.#tick}`;
      throw badOption('changes', changes.tick, message);
    }
    this.#tick = changes.tick;
    this.#sessions.refresh();
    this.#mode.publish(changes);
  }

  /** The end, for `onDispose`: nobody is followed any more. The world stays. Idempotent; other calls then throw `DISPOSED`. */
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
