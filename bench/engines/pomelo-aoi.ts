/**
 * pomelo-aoi: towers (灯塔), from the best-known game server in JavaScript.
 *
 * The map is divided into towers. A watcher is registered in all towers within its range, counted in towers; a marker in
 * its own tower. A marker that stays within its tower changes nothing. That makes it cheap, and inexact: towers half a
 * range wide and a range of two towers cover every circle, and at constant density hold twice as many markers. So its
 * reports differ from the others', and are not compared.
 *
 * It reports each change as it happens. A tick here does what a game does with it: each mover is moved as a marker and as
 * a watcher, and watchers of only one of the two towers are notified. A pair that began and ended in one tick is reported
 * twice.
 *
 * Source: github.com/NetEase/pomelo-aoi, version 0.3.34.
 */
import type { Simulation } from '@umwelt/scenarios';
import pomelo, { type TowerAoi, type Watchers } from 'pomelo-aoi';
import type { EngineKind, EngineOptions } from './engine.ts';
import { Peer } from './peer.ts';

const TYPE = 'walker';
/** Towers in a range. */
export const TOWERS_A_RANGE = 2;

/** The id of an actor: its number plus one, because pomelo-aoi never removes an object with id 0. */
interface Walker {
  readonly id: number;
  readonly type: string;
}

class PomeloPeer extends Peer {
  readonly #aoi: TowerAoi;
  readonly #walkers: readonly Walker[];
  readonly #lastX: Float32Array;
  readonly #lastY: Float32Array;
  readonly #minX: number;
  readonly #minY: number;
  #isFirst = true;

  constructor(simulation: Simulation, options: EngineOptions) {
    super(simulation, options);
    const { capacity, bounds, range } = simulation;
    if (range.some((one) => one !== range[0])) throw new Error("'pomelo-aoi' has one range for all here");
    if (options.updates) throw new Error("'pomelo-aoi' does not say who moved within a tower");
    const tower = range[0]! / TOWERS_A_RANGE;
    this.#minX = bounds.minX;
    this.#minY = bounds.minY;
    this.#aoi = pomelo.getService({
      // The edge is outside the map.
      width: bounds.maxX - bounds.minX + tower,
      height: bounds.maxY - bounds.minY + tower,
      towerWidth: tower,
      towerHeight: tower,
    }).aoi;
    this.#walkers = Array.from({ length: capacity }, (_, actor) => ({ id: actor + 1, type: TYPE }));
    this.#lastX = new Float32Array(capacity);
    this.#lastY = new Float32Array(capacity);
    this.#listen();
  }

  protected override compare(): void {
    const { x, y } = this.simulation;
    if (this.#isFirst) this.#admitAll();
    else this.#moveAll();
    this.#isFirst = false;
    this.#lastX.set(x);
    this.#lastY.set(y);
  }

  #listen(): void {
    const { entered, left } = this;
    const aoi = this.#aoi;
    aoi.on('update', ({ id, oldWatchers, newWatchers }) => {
      const [before, now] = [walkersOf(oldWatchers), walkersOf(newWatchers)];
      for (const key in before) if (now[key] === undefined) left.push(before[key]! - 1, id - 1);
      for (const key in now) if (before[key] === undefined) entered.push(now[key]! - 1, id - 1);
    });
    aoi.on('updateWatcher', ({ id, addObjs, removeObjs }) => {
      for (const other of addObjs) if (other !== id) entered.push(id - 1, other - 1);
      for (const other of removeObjs) if (other !== id) left.push(id - 1, other - 1);
    });
  }

  /** Adds the markers first, then the watchers, each with all markers around it. */
  #admitAll(): void {
    const { x, y } = this.simulation;
    for (const walker of this.#walkers) this.#aoi.addObject(walker, this.#placeOf(walker, x, y));
    for (const walker of this.#walkers) {
      const place = this.#placeOf(walker, x, y);
      this.#aoi.addWatcher(walker, place, TOWERS_A_RANGE);
      for (const other of this.#aoi.getIdsByPos(place, TOWERS_A_RANGE)) {
        if (other !== walker.id) this.entered.push(walker.id - 1, other - 1);
      }
    }
  }

  #moveAll(): void {
    const { x, y } = this.simulation;
    for (const walker of this.#walkers) {
      const from = this.#placeOf(walker, this.#lastX, this.#lastY);
      const to = this.#placeOf(walker, x, y);
      this.#aoi.updateObject(walker, from, to);
      this.#aoi.updateWatcher(walker, from, to, TOWERS_A_RANGE, TOWERS_A_RANGE);
    }
  }

  /** Towers count from 0. */
  #placeOf({ id }: Walker, x: Float32Array, y: Float32Array): { x: number; y: number } {
    return { x: x[id - 1]! - this.#minX, y: y[id - 1]! - this.#minY };
  }
}

const NOBODY = {};

function walkersOf(watchers: Watchers): Readonly<Record<string, number>> {
  return watchers[TYPE] ?? NOBODY;
}

export const pomeloAoi: EngineKind = {
  name: 'pomelo-aoi',
  title: 'pomelo-aoi, by towers',
  ownRule: 'it works with towers, not circles, so its reports differ',
  expectedTickMs: ({ entities, perceived }) => (entities * (1000 + 100 * perceived)) / 1e6,
  create: (simulation, options) => new PomeloPeer(simulation, options),
};
