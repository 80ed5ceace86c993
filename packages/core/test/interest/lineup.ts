/**
 * One watcher at the origin and a line of markers in front of it: enough to test most rules of interest.
 *
 * The watcher perceives up to 100 and is no marker. Tests refer to a marker by its place in the line; the
 * markers' ids ascend with the place.
 */
import { type EntityId, type EntityPatch, type Interest, World, type WorldOptions } from '../../src/index.ts';

export interface LineupOptions {
  readonly world?: WorldOptions;
  readonly watcher?: EntityPatch;
  readonly marker?: EntityPatch;
}

/** What a tick reports to the watcher, by place in the line. */
export interface Told {
  readonly entered: number[];
  readonly left: number[];
  readonly updated: number[];
  readonly sensed: number[];
}

export class Lineup {
  readonly world: World;
  readonly watcher: EntityId;
  readonly markers: EntityId[] = [];
  readonly #marker: EntityPatch;

  constructor(interest: Interest, distances: readonly number[], options: LineupOptions = {}) {
    this.world = new World({ interests: { default: interest }, ...options.world });
    this.watcher = this.world.add({ x: 0, y: 0, range: 100, marker: false, ...options.watcher });
    this.#marker = options.marker ?? {};
    for (const distance of distances) this.add(distance);
  }

  /** Adds a marker to the line. Returns its place. */
  add(distance: number, patch: EntityPatch = {}): number {
    return this.markers.push(this.world.add({ x: distance, y: 0, ...this.#marker, ...patch })) - 1;
  }

  walk(place: number, distance: number): void {
    this.world.move(this.markers[place], distance, 0);
  }

  update(place: number, patch: EntityPatch): void {
    this.world.update(this.markers[place], patch);
  }

  tick(): Told {
    const view = this.world.tick().of(this.watcher);
    this.world.validate();
    return {
      entered: this.#places(view?.entered),
      left: this.#places(view?.left),
      updated: this.#places(view?.updated),
      sensed: this.#places(view?.sensed),
    };
  }

  /** Runs `count` ticks. Returns what the last one reported. */
  ticks(count: number): Told {
    for (let i = 1; i < count; i++) this.tick();
    return this.tick();
  }

  /** The places of the markers that the watcher relates to. */
  get seen(): number[] {
    return this.#places(this.world.visibleTo(this.watcher));
  }

  #places(ids: Uint32Array = new Uint32Array(0)): number[] {
    return [...ids].map((id) => this.markers.indexOf(id));
  }
}

export const NOTHING: Told = { entered: [], left: [], updated: [], sensed: [] };
