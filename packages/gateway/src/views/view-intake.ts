/**
 * Brings what a tick reports into the views of the clients whose watchers it concerns.
 *
 * Reports are read as columns, a row a watcher; a watcher without a client costs one look. A view that is attached to a
 * watcher takes over its relations as of the last tick, and from then on what changes. The world may have been changed
 * since the tick by listeners: who was removed by them is heard of with the next one.
 */
import type { Changes, EntityId } from 'umwelt';
import type { GatewayWorld } from '../appearance/gateway-world.ts';
import type { ClientView } from './client-view.ts';

export class ViewIntake {
  readonly #world: GatewayWorld;
  /** By the watcher's slot. */
  readonly #viewAt: (ClientView | undefined)[] = [];
  readonly #views = new Set<ClientView>();
  #tick: number;
  readonly #isAbsent = (marker: EntityId): boolean => !this.#world.has(marker);

  constructor(world: GatewayWorld) {
    this.#world = world;
    this.#tick = world.tickCount;
  }

  /** The newest tick taken in. */
  get tick(): number {
    return this.#tick;
  }

  viewOf(watcher: EntityId): ClientView | undefined {
    const view = this.#viewAt[watcher >>> 10];
    return view?.watcher === watcher ? view : undefined;
  }

  /** From now on the view shows what `watcher`, who is present and shown to nobody else, perceives. */
  attach(view: ClientView, watcher: EntityId): void {
    // Throws where that is not known, and then nothing has changed.
    const markers = this.#world.visibleTo(watcher);
    this.detach(view);
    view.watcher = watcher;
    view.isHeld = false;
    this.#viewAt[watcher >>> 10] = view;
    this.#views.add(view);
    this.#relate(view, markers);
  }

  /** Goes on with a view of a watcher's relations as of the last tick, or of nobody's: 0. */
  adopt(view: ClientView, watcher: EntityId): void {
    view.watcher = watcher;
    if (watcher !== 0) this.#viewAt[watcher >>> 10] = view;
    this.#views.add(view);
  }

  /** The view shows nobody's relations any more, only its own entity. */
  detach(view: ClientView): void {
    if (view.watcher !== 0 && this.#viewAt[view.watcher >>> 10] === view) {
      this.#viewAt[view.watcher >>> 10] = undefined;
    }
    view.rows.leaveAll(this.#isAbsent);
    view.watcher = 0;
  }

  /** The view is of no more concern. */
  release(view: ClientView): void {
    this.detach(view);
    this.#views.delete(view);
  }

  /** Takes in what a tick reports. After a tick that was left out, relations are asked for instead. */
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

  /** The world is in another state than the ticks taken in led to. Those shown here are related to anew with the next one. */
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

  /** Has the views of its watchers tell of an entity that no report names. */
  tellOf(id: EntityId): void {
    if (!this.#world.has(id)) return;
    const marker = Uint32Array.of(id);
    for (const watcher of this.#world.watchersOf(id)) {
      this.viewOf(watcher)?.rows.update(marker, 0, 1, this.#tick);
    }
  }

  /** Goes along with where the watcher's views are; whoever missed a tick asks for its relations instead. */
  #follow(view: ClientView, isNext: boolean): void {
    if (view.watcher === 0) return;
    const wasHeld = view.isHeld;
    view.isHeld = this.#world.shows?.(view.watcher) === false;
    if (!view.isHeld && (wasHeld || !isNext)) this.#relate(view, this.#world.visibleTo(view.watcher));
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

  /** Pairs that a tick tells as left and as entered: whom the client has is to leave, and to enter anew. Rows were told who left. */
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

/** Whether a tick reports an entity as removed: what a listener removes later, the next tick tells. */
function removedBy({ removed }: Changes): (marker: EntityId) => boolean {
  if (removed.length === 0) return () => false;
  const ids = new Set(removed);
  return (marker) => ids.has(marker);
}
