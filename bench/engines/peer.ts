/**
 * What all peers share: the crowd they can do, its ids, who moved, and the three lists of a tick.
 *
 * Peers do the plain case only: everybody present from the first step to the last, in a plane, perceiving in a circle
 * by one range each. They read positions straight from the simulation's columns, which costs them nothing. A peer
 * extends this and says in `compare` how it finds and tells apart who is perceived now and who was.
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
  /** By actor: 1 when its position differs from that at the last tick. Kept only where updates are asked for. */
  protected readonly moved: Uint8Array;
  readonly #lastX: Float32Array;
  readonly #lastY: Float32Array;
  /** By actor: the id that a world gives, in which entities come in the same order and none ever goes. */
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

  /** Fills the three lists, which are empty, from what the simulation's columns say now. */
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

/** Throws when a simulation is more than peers can do. */
export function refuseBeyondPlain({ removed, count, capacity, dimensions, name, initFor }: Simulation): void {
  if (removed.count === 0 && count === capacity && dimensions === 2 && initFor === undefined) return;
  throw new Error(
    `scenario '${name}' is more than the peers can do: all present, in 2-D, alike but for range`,
  );
}
