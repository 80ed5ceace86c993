/**
 * Merges the report of a tick into the views of the clients whose watchers it concerns.
 *
 * Reports are read as columns, one row per watcher; a watcher without a client costs one lookup. A view that
 * is attached to a watcher takes over its relations as of the last tick, and from then on the changes.
 * Listeners may have changed the world since the tick: what they removed is reported with the next tick.
 */
import type { Changes, EntityId } from 'umwelt';
import type { GatewayWorld } from '../appearance/gateway-world.ts';
import type { ClientView } from './client-view.ts';

export class ViewIntake {
  readonly #world: GatewayWorld;
  /** By the slot of the watcher. */
  readonly #viewAt: (ClientView | undefined)[] = [];
  readonly #views = new Set<ClientView>();
  #tick: number;
  readonly #isAbsent = (marker: EntityId): boolean => !this.#world.has(marker);

  constructor(world: GatewayWorld) {
    this.#world = world;
    this.#tick = world.tickCount;
  }

  /** The newest tick that was merged. */
  get tick(): number {
    return this.#tick;
  }

  viewOf(watcher: EntityId): ClientView | undefined {
    const view = this.#viewAt[watcher >>> 10];
    return view?.watcher === watcher ? view : undefined;
  }

  /**
   * From now on the view shows what `watcher` perceives. The watcher must be present and have no other view.
   */
  attach(view: ClientView, watcher: EntityId): void {
    // Throws if the relations are not known, before anything has changed.
    const markers = this.#world.visibleTo(watcher);
    this.detach(view);
    view.watcher = watcher;
    view.isHeld = false;
    this.#viewAt[watcher >>> 10] = view;
    this.#views.add(view);
    view.interest = this.#world.interestKey(watcher);
    this.#relate(view, markers);
  }

  /** Continues with a view that has the watcher's relations as of the last tick. `watcher` is 0 for none. */
  adopt(view: ClientView, watcher: EntityId): void {
    view.watcher = watcher;
    if (watcher !== 0) this.#viewAt[watcher >>> 10] = view;
    if (this.#world.has(watcher)) view.interest = this.#world.interestKey(watcher);
    this.#views.add(view);
  }

  /** The view shows no watcher's relations any more, only its own entity. */
  detach(view: ClientView): void {
    if (view.watcher !== 0 && this.#viewAt[view.watcher >>> 10] === view) {
      this.#viewAt[view.watcher >>> 10] = undefined;
    }
    view.rows.leaveAll(this.#isAbsent);
    view.watcher = 0;
    // Without a watcher there are no relations to wait for.
    view.isHeld = false;
  }

  /** The view is not used any more. */
  release(view: ClientView): void {
    this.detach(view);
    this.#views.delete(view);
  }

  /** Merges the report of a tick. If a tick was skipped, reads all relations from the world instead. */
  take(changes: Changes): void {
    const isNext = changes.tick === this.#tick + 1;
    this.#tick = changes.tick;
    for (const view of this.#views) {
      if (view.watcher !== 0 && !this.#world.has(view.watcher)) this.detach(view);
      this.#follow(view, isNext);
      if (view.own !== 0 && !this.#world.has(view.own)) view.setOwn(0, changes.tick, true);
    }
    if (!isNext) return;
    const isRemoved = removedBy(changes);
    this.#eachRow(changes, 'left', (view, markers, from, to) =>
      view.rows.leave(markers, from, to, isRemoved),
    );
    this.#tellTeleports(changes);
    this.#eachRow(changes, 'entered', (view, markers, from, to) =>
      view.rows.enter(markers, from, to, changes.tick, this.#sensesOf(view)),
    );
    this.#eachRow(changes, 'sensed', (view, markers, from, to) =>
      view.rows.sense(markers, from, to, changes.tick, this.#sensesOf(view)),
    );
    this.#eachRow(changes, 'updated', (view, markers, from, to) => view.hear(markers, from, to));
  }

  /**
   * The state of the world was replaced. At the next tick, views whose watchers are present read their
   * relations from the world again.
   */
  beginAnew(): void {
    this.#tick = this.#world.tickCount;
    for (const view of this.#views) {
      if (view.watcher !== 0) {
        if (this.#world.has(view.watcher)) view.isHeld = true;
        else this.detach(view);
      }
      if (view.own !== 0 && !this.#world.has(view.own)) view.setOwn(0, this.#tick);
      view.beginAnew(this.#tick);
    }
  }

  /** Marks an entity that no report names as changed in the views of its watchers. */
  tellOf(id: EntityId): void {
    if (!this.#world.has(id)) return;
    const marker = Uint32Array.of(id);
    for (const watcher of this.#world.watchersOf(id)) {
      this.viewOf(watcher)?.rows.update(marker, 0, 1, this.#tick);
    }
  }

  /**
   * Follows whether this process has the relations of the watcher (`GatewayWorld.shows`). A view that has
   * missed a tick reads its relations from the world. If the watcher's interest has changed, changes that waited for
   * their turn by its update rates are in no report any more, so everything may have changed.
   */
  #follow(view: ClientView, isNext: boolean): void {
    if (view.watcher === 0) return;
    const wasHeld = view.isHeld;
    view.isHeld = this.#world.shows?.(view.watcher) === false;
    if (view.isHeld) return;
    const interest = this.#world.interestKey(view.watcher);
    if (wasHeld || !isNext) this.#relate(view, this.#world.visibleTo(view.watcher));
    else if (interest !== view.interest) view.rows.updateAll(this.#tick);
    view.interest = interest;
  }

  #eachRow(
    changes: Changes,
    kind: 'entered' | 'left' | 'updated' | 'sensed',
    visit: (view: ClientView, markers: Uint32Array, from: number, to: number) => void,
  ): void {
    const { count, watchers, offsets, markers } = changes.columns(kind);
    for (let row = 0; row < count; row++) {
      const view = this.viewOf(watchers[row]!);
      if (view !== undefined && !view.isHeld) visit(view, markers, offsets[row]!, offsets[row + 1]!);
    }
  }

  /**
   * Handles pairs that a tick reports as both left and entered (teleports): an entity that the client has
   * must leave and enter again. Call it after `left` was merged and before `entered`.
   */
  #tellTeleports(changes: Changes): void {
    const left = changes.columns('left');
    const entered = changes.columns('entered');
    let row = 0;
    for (let i = 0; i < left.count && row < entered.count; i++) {
      const watcher = left.watchers[i]!;
      while (row < entered.count && entered.watchers[row]! < watcher) row++;
      if (row === entered.count || entered.watchers[row] !== watcher) continue;
      const view = this.viewOf(watcher);
      if (view === undefined || view.isHeld) continue;
      let at = entered.offsets[row]!;
      for (let j = left.offsets[i]!; j < left.offsets[i + 1]!; j++) {
        const marker = left.markers[j]!;
        while (at < entered.offsets[row + 1]! && entered.markers[at]! < marker) at++;
        if (at < entered.offsets[row + 1]! && entered.markers[at] === marker)
          view.rows.tellAnew(marker, changes.tick);
      }
    }
  }

  #relate(view: ClientView, markers: Uint32Array): void {
    view.rows.leaveAll(this.#isAbsent);
    view.rows.enter(markers, 0, markers.length, this.#tick, this.#sensesOf(view));
  }

  #sensesOf(view: ClientView): (marker: EntityId) => number {
    return (marker) => (this.#world.has(marker) ? this.#world.senses(view.watcher, marker) : 0);
  }
}

/**
 * Returns a test whether the tick reports an entity as removed. What a listener removes afterwards is
 * reported by the next tick.
 */
function removedBy({ removed }: Changes): (marker: EntityId) => boolean {
  if (removed.length === 0) return () => false;
  const ids = new Set(removed);
  return (marker) => ids.has(marker);
}
