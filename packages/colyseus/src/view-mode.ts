/**
 * Mode 'view': the relations of watchers drive the StateViews of their clients.
 *
 * The room keeps its Schema state. This class only knows which instance belongs to which entity, and which
 * instances are in which view, and why. An instance is in a view once, for any number of reasons; it is
 * removed with the last reason, even if it was removed from the state or the world in the same tick. A view
 * outlives its client's connection, as in Colyseus: a client that comes back is sent the whole state through
 * the view as it is then.
 *
 * No view is ever disposed of here. Disposing frees the number of the view at once, for the next view to
 * take, while Colyseus keeps the old view for a client that may come back, and the game may keep it too: both
 * would then see what the new owner of the number sees. The encoder frees the number of an unreferenced view
 * when the view is garbage-collected.
 *
 * Cost of a tick: the entered and left relations of followed watchers. The cost of a patch depends on
 * Colyseus's encoder.
 */
import type { Client } from '@colyseus/core';
import { $changes, type Schema, StateView } from '@colyseus/schema';
import type { Clock } from '@umwelt/gateway';
import { type Changes, type EntityId, UmweltError, type WorldReader } from 'umwelt';
import { Follow, hide, type Tracked } from './follow.ts';
import { badOption, type InterestMode } from './interest-mode.ts';
import type { RoomSessions } from './room-sessions.ts';

/** Options of mode 'view': what clients perceive is added to their `StateView`s. */
export interface ViewOptions {
  /** Selects the mode. */
  readonly mode: 'view';
  /**
   * How long the view of a client that is away is kept up to date, in milliseconds. The view of a client that
   * returns later is filled again. Default 30,000.
   */
  readonly graceMs?: number;
  /** The system clock unless given. */
  readonly clock?: Pick<Clock, 'now'>;
  /**
   * An instance was removed from a client's view. `reason` is 'gone' if its entity was removed from the
   * world, 'out of range' if the entity is still there but no longer perceived. The client itself cannot tell
   * the two apart: if it must know, send it a message; a message sent here arrives before the patch. Called
   * for clients in the room, by `publish`, after all views are up to date. If it throws, `publish` throws the
   * same error after all other calls.
   */
  onHide?(client: Client, schema: Schema, reason: HideReason): void;
}

/** Why an instance was removed from a client's view. */
export type HideReason = 'gone' | 'out of range';

interface Hidden {
  readonly follow: Follow;
  readonly schema: Schema;
  readonly reason: HideReason;
}

export class ViewMode implements InterestMode {
  readonly #sessions: RoomSessions;
  readonly #world: WorldReader;
  readonly #graceMs: number;
  readonly #clock: Pick<Clock, 'now'>;
  #tick: number;
  readonly #bySession = new Map<string, Follow>();
  readonly #byWatcher = new Map<EntityId, Follow>();
  readonly #tracked = new Map<EntityId, Tracked>();
  readonly #idOf = new Map<Schema, EntityId>();
  /** Instances that may be missing in some view. */
  readonly #fresh = new Set<Tracked>();
  /**
   * Shown instances that no `.view()` hides from other clients, and the tick after which that is an error: an instance may be in two
   * places of the state for a moment, and Colyseus settles with the next patch whether it is hidden.
   */
  readonly #suspects = new Map<Tracked, number>();
  /** The first error of the current `publish`. */
  #problem: unknown;
  readonly #onHide: ViewOptions['onHide'];
  /** Calls of `onHide` to make at the end of the current `publish`. */
  #hidden: Hidden[] = [];

  constructor(sessions: RoomSessions, world: WorldReader, options: ViewOptions, graceMs: number) {
    this.#sessions = sessions;
    this.#world = world;
    this.#graceMs = graceMs;
    this.#clock = options.clock ?? performance;
    this.#tick = world.tickCount;
    this.#onHide = options.onHide?.bind(options);
  }

  follow(client: Client, watcher: EntityId, own: Schema | EntityId | undefined): void {
    const { sessionId } = client;
    const before = this.#bySession.get(sessionId);
    if (before !== undefined) this.#adoptView(before);
    const follow = before ?? new Follow(sessionId, watcher, client.view ?? new StateView());
    // First the part that may throw.
    if (own !== undefined) addOwn(follow, own as Schema);
    client.view ??= follow.view;
    if (follow.own !== undefined && !follow.isResting) follow.remove(follow.own);
    follow.own = own as Schema | undefined;
    this.#bySession.set(sessionId, follow);
    const holder = this.#byWatcher.get(watcher);
    if (holder !== undefined && holder !== follow) this.#end(holder);
    if (this.#byWatcher.get(follow.watcher) === follow) this.#byWatcher.delete(follow.watcher);
    this.#byWatcher.set(watcher, follow);
    follow.watcher = watcher;
    follow.isFresh = true;
    this.#showItself(watcher);
  }

  track(id: EntityId, schema: Schema): void {
    const other = this.#idOf.get(schema);
    if (other === id) return;
    if (other !== undefined) {
      throw badOption('schema', other, `the schema is tracked for entity ${other}; expected another one`);
    }
    this.#untrack(this.#tracked.get(id), undefined);
    const tracked: Tracked = { id, schema, shownTo: new Set() };
    this.#tracked.set(id, tracked);
    this.#idOf.set(schema, id);
    this.#fresh.add(tracked);
    this.#showItself(id);
  }

  release(id: EntityId): void {
    this.#release(id, undefined);
  }

  publish(changes: Changes): void {
    const isNext = changes.tick === this.#tick + 1;
    this.#tick = changes.tick;
    this.#problem = undefined;
    this.#checkSuspects();
    // First, so that everything else goes to the client's current view.
    for (const follow of this.#bySession.values()) this.#adoptView(follow);
    for (const id of isNext ? changes.removed : this.#gone()) this.#release(id, 'gone');
    for (const follow of this.#bySession.values()) {
      this.#lookAfter(follow);
      if (!isNext) follow.isFresh = true;
    }
    if (isNext) {
      this.#eachRow(changes, 'left', (follow, tracked) => this.#hide(follow, tracked, 'out of range'));
      this.#eachRow(changes, 'entered', (follow, tracked) => this.#show(follow, tracked));
    }
    for (const follow of this.#bySession.values()) if (follow.isFresh) this.#fill(follow);
    this.#showFresh();
    this.#tellHidden();
    if (this.#problem !== undefined) throw this.#problem;
  }

  dispose(): Promise<void> {
    for (const follow of this.#bySession.values()) this.#end(follow);
    this.#tracked.clear();
    this.#idOf.clear();
    this.#fresh.clear();
    this.#suspects.clear();
    return Promise.resolve();
  }

  /** Known entities that were removed from the world. */
  #gone(): EntityId[] {
    return [...this.#byWatcher.keys(), ...this.#tracked.keys()].filter((id) => !this.#world.has(id));
  }

  #eachRow(
    changes: Changes,
    kind: 'entered' | 'left',
    visit: (follow: Follow, tracked: Tracked) => void,
  ): void {
    const { count, watchers, offsets, markers } = changes.columns(kind);
    for (let row = 0; row < count; row++) {
      const follow = this.#byWatcher.get(watchers[row]!);
      if (follow === undefined || follow.isFresh) continue;
      for (let at = offsets[row]!; at < offsets[row + 1]!; at++) {
        const tracked = this.#tracked.get(markers[at]!);
        if (tracked !== undefined) visit(follow, tracked);
      }
    }
  }

  /**
   * If the game has given the client another view, or none, everything shown through the previous view must
   * be shown again.
   */
  #adoptView(follow: Follow): void {
    const client = this.#sessions.newest(follow.sessionId);
    if (client === undefined || client.view === follow.view) return;
    const shown = [...follow.shown];
    if (!follow.isResting) this.#rest(follow);
    follow.view = client.view ??= follow.view;
    for (const { schema } of shown) follow.view.remove(schema);
  }

  /** Updates whether the client is away. */
  #lookAfter(follow: Follow): void {
    const client = this.#sessions.present(follow.sessionId);
    if (client === undefined) {
      const nowMs = this.#clock.now();
      follow.awaySinceMs ??= nowMs;
      if (nowMs - follow.awaySinceMs >= this.#graceMs && !follow.isResting) this.#rest(follow);
      return;
    }
    follow.awaySinceMs = undefined;
    if (!follow.isResting) return;
    follow.isResting = false;
    follow.isFresh = true;
    if (follow.own !== undefined) this.#add(follow, follow.own, follow.watcher);
  }

  #rest(follow: Follow): void {
    for (const tracked of follow.shown) hide(follow, tracked);
    if (follow.own !== undefined) follow.remove(follow.own);
    follow.isResting = true;
  }

  /** Shows exactly the entities that the watcher is related to, and the watcher itself. */
  #fill(follow: Follow): void {
    if (follow.isResting) return;
    follow.isFresh = false;
    const { watcher } = follow;
    // A listener may have removed it since the tick.
    const visible = this.#world.has(watcher)
      ? new Set(this.#world.visibleTo(watcher)).add(watcher)
      : new Set();
    for (const tracked of follow.shown)
      if (!visible.has(tracked.id)) this.#hide(follow, tracked, 'out of range');
    for (const id of visible) {
      const tracked = this.#tracked.get(id as EntityId);
      if (tracked !== undefined) this.#show(follow, tracked);
    }
  }

  /**
   * At once if possible, so that a joining client has its own instance in the first state that it is sent.
   */
  #showItself(id: EntityId): void {
    const follow = this.#byWatcher.get(id);
    const tracked = this.#tracked.get(id);
    if (follow !== undefined && tracked !== undefined) this.#show(follow, tracked);
  }

  #showFresh(): void {
    for (const tracked of [...this.#fresh]) {
      this.#fresh.delete(tracked);
      if (!this.#world.has(tracked.id)) continue;
      for (const watcher of [tracked.id, ...this.#world.watchersOf(tracked.id)]) {
        const follow = this.#byWatcher.get(watcher);
        if (follow !== undefined) this.#show(follow, tracked);
      }
    }
  }

  #show(follow: Follow, tracked: Tracked): void {
    if (follow.isResting || follow.shown.has(tracked)) return;
    if (!this.#add(follow, tracked.schema, tracked.id)) {
      this.#fresh.add(tracked);
      return;
    }
    follow.shown.add(tracked);
    tracked.shownTo.add(follow);
    if (isForAll(tracked.schema) && !this.#suspects.has(tracked)) this.#suspects.set(tracked, this.#tick + 1);
  }

  #checkSuspects(): void {
    for (const [tracked, tick] of this.#suspects) {
      if (!isForAll(tracked.schema)) this.#suspects.delete(tracked);
      else if (this.#tick > tick) this.#problem ??= sentToAll(tracked.id);
    }
  }

  /** Returns whether it could be added; if not, stores the error. */
  #add(follow: Follow, schema: Schema, id: EntityId): boolean {
    try {
      follow.add(schema);
      return true;
    } catch (error) {
      this.#problem ??= notInState('schema', id, error);
      return false;
    }
  }

  #release(id: EntityId, reason: HideReason | undefined): void {
    const follow = this.#byWatcher.get(id);
    if (follow !== undefined) {
      if (reason !== undefined) this.#noteAllHidden(follow);
      this.#end(follow);
    }
    this.#untrack(this.#tracked.get(id), reason);
  }

  /** The watcher was removed from the world: everything is removed from the view of its client. */
  #noteAllHidden(follow: Follow): void {
    if (this.#onHide === undefined || follow.isResting) return;
    const schemas = new Set(Array.from(follow.shown, ({ schema }) => schema));
    if (follow.own !== undefined) schemas.add(follow.own);
    for (const schema of schemas) {
      const id = this.#idOf.get(schema);
      const isThere = id !== undefined && this.#world.has(id);
      this.#hidden.push({ follow, schema, reason: isThere ? 'out of range' : 'gone' });
    }
  }

  /** Without a reason `onHide` is not called: the game itself ended it. */
  #hide(follow: Follow, tracked: Tracked, reason: HideReason | undefined): void {
    const { schema } = tracked;
    // An instance that is also the client's own stays in the view.
    if (
      reason !== undefined &&
      this.#onHide !== undefined &&
      follow.shown.has(tracked) &&
      follow.own !== schema
    ) {
      this.#hidden.push({ follow, schema, reason });
    }
    hide(follow, tracked);
  }

  #tellHidden(): void {
    const told = this.#hidden;
    this.#hidden = [];
    for (const { follow, schema, reason } of told) {
      // What teleports leaves and enters in one tick: the client keeps the instance.
      if (follow.has(schema)) continue;
      const client = this.#sessions.present(follow.sessionId);
      if (client === undefined) continue;
      try {
        this.#onHide?.(client, schema, reason);
      } catch (error) {
        this.#problem ??= error;
      }
    }
  }

  #untrack(tracked: Tracked | undefined, reason: HideReason | undefined): void {
    if (tracked === undefined) return;
    for (const follow of tracked.shownTo) {
      this.#adoptView(follow);
      this.#hide(follow, tracked, reason);
    }
    this.#tracked.delete(tracked.id);
    this.#idOf.delete(tracked.schema);
    this.#fresh.delete(tracked);
    this.#suspects.delete(tracked);
  }

  #end(follow: Follow): void {
    this.#adoptView(follow);
    if (!follow.isResting) this.#rest(follow);
    this.#bySession.delete(follow.sessionId);
    if (this.#byWatcher.get(follow.watcher) === follow) this.#byWatcher.delete(follow.watcher);
  }
}

function addOwn(follow: Follow, own: Schema): void {
  if (follow.isResting) return;
  try {
    follow.add(own);
  } catch (error) {
    throw notInState('own', follow.watcher, error);
  }
}

/** Whether Colyseus sends all of it to every client, whatever their views hold. */
function isForAll(schema: Schema): boolean {
  return schema[$changes]?.hasFilteredFields === false;
}

function sentToAll(id: EntityId): UmweltError {
  const message = `schema of entity ${id} is sent to every client, perceived or not; expected .view() on the path to it, as in t.map(Unit).view()`;
  return new UmweltError('BAD_OPTION', message, { field: 'schema', id });
}

/** `error` is what StateView threw for an instance that is not in the state. */
function notInState(field: string, id: EntityId, error: unknown): UmweltError {
  const message = `${field} of entity ${id} could not be added to a view (${error}); expected an instance in the state`;
  return new UmweltError('BAD_OPTION', message, { field, id });
}
