/**
 * Mode 'view': what watchers begin and cease to perceive drives the StateViews of their clients.
 *
 * The room keeps its Schema state; here it is only known which instance stands for which entity, which of them are in whose
 * view, and why. An instance is in a view once, for however many reasons; it is taken out with the last of them, also when it
 * has been taken out of the state or the world in the same tick. A view outlives its client's connection, as Colyseus has it:
 * who comes back is sent the state whole, through the view as it is then.
 *
 * No view is ever disposed of here. That frees its number at once, for the next view to take, while Colyseus keeps the old view for
 * a client that may come back, and a game may keep it for whatever it likes: both then see what the new owner of the number
 * sees. The encoder frees the number of a view that nobody holds any more when that is collected as garbage.
 *
 * Cost of a tick: the entered and left of those who are followed; what a patch costs, Colyseus's encoder decides.
 */
import type { Client } from '@colyseus/core';
import { type Schema, StateView } from '@colyseus/schema';
import type { Clock } from '@umwelt/gateway';
import { type Changes, type EntityId, UmweltError, type WorldReader } from 'umwelt';
import { Follow, hide, type Tracked } from './follow.ts';
import { badOption, type InterestMode } from './interest-mode.ts';
import type { RoomSessions } from './room-sessions.ts';

/** Options of mode 'view': what clients perceive is put into their `StateView`s. */
export interface ViewOptions {
  /** Which of the two it is. */
  readonly mode: 'view';
  /** How long the view of a client that is away is kept up to date, in milliseconds; one that is back later has it filled anew. 30,000. */
  readonly graceMs?: number;
  /** The system's unless given. */
  readonly clock?: Pick<Clock, 'now'>;
  /**
   * An instance was taken from a client's view: its entity is 'gone', removed from the world, or 'out of range', there and perceived no more.
   * The client itself sees both alike, so send it a message where it has to know; one sent here comes before the patch. Called for
   * clients in the room, by `publish`, when all views are up to date; what it throws `publish` throws, when all are told.
   */
  onHide?(client: Client, schema: Schema, reason: HideReason): void;
}

/** Why an instance was taken from a client's view. */
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
  /** Those that some view may lack. */
  readonly #fresh = new Set<Tracked>();
  /** The first thing that was wrong with what is being published. */
  #problem: unknown;
  readonly #onHide: ViewOptions['onHide'];
  /** To be told at the end of what is being published. */
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
    // First what may fail.
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
    // First, so that all else is told through the view that the client has now.
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
    return Promise.resolve();
  }

  /** Those known here and removed from the world. */
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

  /** Where the game has given the client another view, or none: what it was told by the one before, it has to be told anew. */
  #adoptView(follow: Follow): void {
    const client = this.#sessions.newest(follow.sessionId);
    if (client === undefined || client.view === follow.view) return;
    const shown = [...follow.shown];
    if (!follow.isResting) this.#rest(follow);
    follow.view = client.view ??= follow.view;
    for (const { schema } of shown) follow.view.remove(schema);
  }

  /** Takes note of whether the client is there. */
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

  /** Shows exactly what the watcher relates to, and itself. */
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

  /** At once, if it can be: who joins has its own instance in the first state that it is sent. */
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
  }

  /** Whether it could be added; if not, there is a problem. */
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
    if (follow !== undefined) this.#end(follow);
    this.#untrack(this.#tracked.get(id), reason);
  }

  /** Without a reason it is nobody's news: the game said so itself. */
  #hide(follow: Follow, tracked: Tracked, reason: HideReason | undefined): void {
    const { schema } = tracked;
    // One that is its own besides stays in the view.
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

/** `error` is what StateView said to an instance that it cannot have. */
function notInState(field: string, id: EntityId, error: unknown): UmweltError {
  const message = `${field} of entity ${id} could not be added to a view (${error}); expected an instance in the state`;
  return new UmweltError('BAD_OPTION', message, { field, id });
}
