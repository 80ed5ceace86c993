/**
 * What all peers share: the crowds that they support, the ids, which actors moved, and the three lists of a tick.
 *
 * Peers support the plain case only: every actor is present from the first step to the last, in a plane, and perceives in
 * a circle by one range. They read positions from the simulation's columns, which costs them nothing. A peer extends this
 * class and implements `compare`: it finds the perceived markers and compares them with those of the last tick.
 */
import type { Simulation } from '@umwelt/scenarios';
import type { Engine, EngineOptions, TickCounts } from './engine.ts';
import { PairHash } from './pair-hash.ts';
import { PairList } from './pair-list.ts';

export abstract class Peer implements Engine {
  protected readonly simulation: Simulation;
  protected readonly updates: boolean;
  protected readonly entered = new PairList();
  protected readonly left = new PairList();
  protected readonly updated = new PairList();
  /** By actor: 1 if its position differs from the last tick's. Kept only if updates are reported. */
  protected readonly moved: Uint8Array;
  readonly #lastX: Float32Array;
  readonly #lastY: Float32Array;
  /** By actor: the id that a world assigns if entities are added in the same order and none is removed. */
  readonly #ids: Uint32Array;
  readonly #counts: TickCounts = { entered: 0, left: 0, updated: 0, idSum: 0 };
  #arrived = 0;

  constructor(simulation: Simulation, options: EngineOptions) {
    const { capacity } = simulation;
    this.simulation = simulation;
    this.updates = options.updates;
    this.moved = new Uint8Array(capacity);
    this.#lastX = new Float32Array(capacity);
    this.#lastY = new Float32Array(capacity);
    this.#ids = new Uint32Array(capacity);
  }

  /** Fills the three empty lists from the simulation's columns. */
  protected abstract compare(): void;

  tick(): TickCounts {
    this.#admit();
    const { entered, left, updated } = this;
    for (const list of [entered, left, updated]) list.clear();
    if (this.updates) this.#noteMoves();
    this.compare();
    const counts = this.#counts;
    counts.entered = entered.count;
    counts.left = left.count;
    counts.updated = updated.count;
    counts.idSum = (entered.sum() + left.sum() + updated.sum()) | 0;
    return counts;
  }

  hash(): string {
    const hash = new PairHash();
    hash.add('entered', this.entered, this.#ids).add('left', this.left, this.#ids);
    return hash.add('updated', this.updated, this.#ids).toString();
  }

  dispose(): void {}

  #admit(): void {
    const { added } = this.simulation;
    for (let i = 0; i < added.count; i++) this.#ids[added.indices[i]!] = this.#arrived++ * 1024 + 1;
    refuseBeyondPlain(this.simulation);
  }

  #noteMoves(): void {
    const { x, y, capacity } = this.simulation;
    const { moved } = this;
    const lastX = this.#lastX;
    const lastY = this.#lastY;
    for (let actor = 0; actor < capacity; actor++) {
      moved[actor] = x[actor] !== lastX[actor] || y[actor] !== lastY[actor] ? 1 : 0;
      lastX[actor] = x[actor]!;
      lastY[actor] = y[actor]!;
    }
  }
}

/** Throws if a simulation needs more than peers support. */
export function refuseBeyondPlain({ removed, count, capacity, dimensions, name, initFor }: Simulation): void {
  if (removed.count === 0 && count === capacity && dimensions === 2 && initFor === undefined) return;
  throw new Error(
    `scenario '${name}' needs more than the peers support: all present, in 2-D, alike except for their ranges`,
  );
}
