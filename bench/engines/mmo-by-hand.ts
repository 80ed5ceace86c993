/**
 * The rules of scenario mmo written by hand, as the best of the servers we read do it: a grid with cells as wide as range
 * plus margin, in which entities change their cell as they move, and for each player a Set that is changed in place.
 *
 * It implements the rules of this one game only. Bosses, which are seen from afar, are a list of their own; parties are
 * lists; attached entities are tested with their player; channels are compared. Positions and changes are read from the
 * simulation. Distances are float32, as the engine's, so that both report the same.
 */
import type { Simulation } from '@umwelt/scenarios';
import { PairList } from './pair-list.ts';

const f32 = Math.fround;

interface Init {
  readonly channel?: number;
  readonly gain?: number;
  readonly minReach?: number;
  readonly maxReach?: number;
  readonly onlyGroup?: readonly string[];
  readonly group?: { readonly party?: number; readonly owner?: number };
}

export class MmoByHand {
  readonly entered = new PairList();
  readonly left = new PairList();
  readonly updated = new PairList();
  readonly #simulation: Simulation;
  readonly #range: number;
  readonly #margin: number;
  readonly #cellSize: number;
  /** Cells, in rows; the actors in each. */
  readonly #cells: number[][];
  readonly #width: number;
  /** By actor: its cell and its place in the cell; -1: in none. */
  readonly #cellOf: Int32Array;
  readonly #placeIn: Int32Array;
  readonly #channel: Uint16Array;
  /** From how far a player perceives the actor, world units. */
  readonly #reach: Float32Array;
  readonly #heldReach: Float32Array;
  readonly #most: Float32Array;
  readonly #least: Float32Array;
  readonly #party: Uint32Array;
  readonly #owner: Uint32Array;
  readonly #isOwned: Uint8Array;
  readonly #isMoved: Uint8Array;
  readonly #lastX: Float32Array;
  readonly #lastY: Float32Array;
  readonly #children: (number[] | undefined)[];
  readonly #players: number[] = [];
  readonly #bosses: number[] = [];
  readonly #parties = new Map<number, number[]>();
  readonly #known: (Set<number> | undefined)[];
  /** By actor: the number of the scan that found it last. */
  readonly #seenIn: Uint32Array;
  #look = 0;
  #seen = 0;

  /** `margin`: world units. */
  constructor(simulation: Simulation, margin: number) {
    const { capacity, bounds } = simulation;
    this.#simulation = simulation;
    this.#range = simulation.range.reduce((most, range) => Math.max(most, range), 0);
    this.#margin = margin;
    this.#cellSize = this.#range + margin;
    this.#width = Math.ceil((bounds.maxX - bounds.minX) / this.#cellSize) + 3;
    const height = Math.ceil((bounds.maxY - bounds.minY) / this.#cellSize) + 3;
    this.#cells = Array.from({ length: this.#width * height }, () => []);
    this.#cellOf = new Int32Array(capacity).fill(-1);
    this.#placeIn = new Int32Array(capacity);
    this.#channel = new Uint16Array(capacity);
    this.#reach = new Float32Array(capacity);
    this.#heldReach = new Float32Array(capacity);
    this.#most = new Float32Array(capacity);
    this.#least = new Float32Array(capacity);
    this.#party = new Uint32Array(capacity);
    this.#owner = new Uint32Array(capacity);
    this.#isOwned = new Uint8Array(capacity);
    this.#isMoved = new Uint8Array(capacity);
    this.#lastX = new Float32Array(capacity);
    this.#lastY = new Float32Array(capacity);
    this.#children = new Array<number[] | undefined>(capacity);
    this.#known = new Array<Set<number> | undefined>(capacity);
    this.#seenIn = new Uint32Array(capacity);
  }

  tick(): void {
    const { added, moved, changed } = this.#simulation;
    for (const list of [this.entered, this.left, this.updated]) list.clear();
    for (let i = 0; i < added.count; i++) this.#add(added.indices[i]!);
    for (let i = 0; i < moved.count; i++) this.#move(moved.indices[i]!);
    for (let i = 0; i < (changed?.count ?? 0); i++) this.#change(changed!.indices[i]!);
    for (const player of this.#players) this.#lookFor(player);
    for (let i = 0; i < moved.count; i++) this.#isMoved[moved.indices[i]!] = 0;
  }

  #add(actor: number): void {
    const simulation = this.#simulation;
    const init = (simulation.initFor?.(actor) ?? {}) as Init;
    const { channel = 0, gain = 1, minReach = 0, maxReach = Number.POSITIVE_INFINITY } = init;
    this.#channel[actor] = channel;
    this.#least[actor] = minReach;
    this.#most[actor] = maxReach;
    this.#setGain(actor, gain);
    this.#owner[actor] = init.group?.owner ?? 0;
    this.#isOwned[actor] = init.onlyGroup === undefined ? 0 : 1;
    this.#lastX[actor] = simulation.x[actor]!;
    this.#lastY[actor] = simulation.y[actor]!;
    const parent = simulation.parentOf?.(actor) ?? -1;
    if (parent >= 0) {
      const children = this.#children[parent] ?? [];
      this.#children[parent] = children;
      if (!children.includes(actor)) children.push(actor);
      return;
    }
    if (simulation.range[actor]! > 0) this.#enrol(actor, init.group?.party ?? 0);
    if (minReach > this.#range) this.#bosses.push(actor);
    else this.#enter(actor);
  }

  #enrol(player: number, party: number): void {
    this.#players.push(player);
    this.#known[player] = new Set();
    this.#party[player] = party;
    const fellows = this.#parties.get(party) ?? [];
    this.#parties.set(party, fellows);
    fellows.push(player);
  }

  #change(actor: number): void {
    const { channel, gain } = (this.#simulation.patchFor?.(actor) ?? {}) as Init;
    if (channel !== undefined) this.#channel[actor] = channel;
    if (gain !== undefined) this.#setGain(actor, gain);
  }

  #setGain(actor: number, gain: number): void {
    const base = f32(f32(this.#range) * f32(gain));
    this.#reach[actor] = Math.min(Math.max(base, this.#least[actor]!), this.#most[actor]!);
    this.#heldReach[actor] = this.#reach[actor]! + this.#margin;
  }

  #move(actor: number): void {
    const { x, y } = this.#simulation;
    if (x[actor] === this.#lastX[actor] && y[actor] === this.#lastY[actor]) return;
    this.#lastX[actor] = x[actor]!;
    this.#lastY[actor] = y[actor]!;
    this.#isMoved[actor] = 1;
    const cell = this.#cellOf[actor]!;
    if (cell < 0 || cell === this.#cellAt(actor)) return;
    const last = this.#cells[cell]!.pop()!;
    if (last !== actor) {
      this.#cells[cell]![this.#placeIn[actor]!] = last;
      this.#placeIn[last] = this.#placeIn[actor]!;
    }
    this.#enter(actor);
  }

  #enter(actor: number): void {
    const cell = this.#cellAt(actor);
    this.#cellOf[actor] = cell;
    this.#placeIn[actor] = this.#cells[cell]!.push(actor) - 1;
  }

  #cellAt(actor: number): number {
    const { x, y, bounds } = this.#simulation;
    const column = Math.floor((x[actor]! - bounds.minX) / this.#cellSize) + 1;
    const row = Math.floor((y[actor]! - bounds.minY) / this.#cellSize) + 1;
    return row * this.#width + column;
  }

  #lookFor(player: number): void {
    const known = this.#known[player]!;
    this.#look++;
    this.#seen = 0;
    const middle = this.#cellOf[player]!;
    const party = this.#party[player]!;
    for (let row = -1; row <= 1; row++) {
      for (let column = -1; column <= 1; column++) {
        this.#lookAt(this.#cells[middle + row * this.#width + column]!, player, known);
      }
    }
    this.#lookAt(this.#bosses, player, known);
    for (const fellow of this.#parties.get(party)!) {
      if (fellow !== player && this.#channel[fellow] === this.#channel[player])
        this.#see(fellow, player, known);
    }
    this.#seeChildren(player, player, known);
    if (known.size === this.#seen) return;
    for (const marker of known) {
      if (this.#seenIn[marker] === this.#look) continue;
      known.delete(marker);
      this.left.push(player, marker);
    }
  }

  #lookAt(markers: readonly number[], player: number, known: Set<number>): void {
    const { x, y } = this.#simulation;
    const [atX, atY] = [x[player]!, y[player]!];
    const channel = this.#channel[player]!;
    for (let i = 0; i < markers.length; i++) {
      const marker = markers[i]!;
      if (this.#channel[marker] !== channel || marker === player) continue;
      const [dx, dy] = [f32(x[marker]! - atX), f32(y[marker]! - atY)];
      const squared = f32(f32(dx * dx) + f32(dy * dy));
      const held = this.#heldReach[marker]!;
      if (squared > f32(held * held)) continue;
      const reach = this.#reach[marker]!;
      if (squared > f32(reach * reach) && !known.has(marker)) continue;
      if (this.#isOwned[marker] === 1 && this.#owner[marker] !== this.#owner[player]) continue;
      // Party members are shown at any distance.
      if (this.#party[marker] !== 0 && this.#party[marker] === this.#party[player]) continue;
      this.#see(marker, player, known);
    }
  }

  #see(marker: number, player: number, known: Set<number>): void {
    this.#seenIn[marker] = this.#look;
    this.#seen++;
    if (!known.has(marker)) {
      known.add(marker);
      this.entered.push(player, marker);
    } else if (this.#isMoved[marker] === 1) this.updated.push(player, marker);
    if (this.#children[marker] !== undefined) this.#seeChildren(marker, player, known);
  }

  #seeChildren(parent: number, player: number, known: Set<number>): void {
    for (const child of this.#children[parent] ?? []) {
      const isHere = this.#simulation.present[child] === 1;
      if (isHere && this.#channel[child] === this.#channel[player]) this.#see(child, player, known);
    }
  }
}
