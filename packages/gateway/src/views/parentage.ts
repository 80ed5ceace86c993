/**
 * Attachments as frames need them: a parent enters before its children, and a client receives the parent of
 * each child.
 *
 * The world is asked once per tick for each entity that some client has. Memory: 8 bytes per slot once an
 * entity is attached. Cost: none while no entity is attached, else a few nanoseconds per row.
 */
import type { EntityId } from 'umwelt';
import type { GatewayWorld } from '../appearance/gateway-world.ts';
import { type ClientRows, OWN, RELATED, SENT } from './client-rows.ts';

export class Parentage {
  readonly #world: GatewayWorld;
  #tick = 0;
  /** By slot: the tick at which the world was asked, and the id of the parent, 0 for none. */
  #askedAt = new Uint32Array(0);
  #parents = new Uint32Array(0);

  constructor(world: GatewayWorld) {
    this.#world = world;
  }

  /** Whether any entity in the world is attached. */
  get isAny(): boolean {
    return this.#world.attachedCount > 0;
  }

  beginTick(tick: number): void {
    this.#tick = tick;
  }

  /** The row of the parent of a row's entity, if the client should have the parent too; else -1. */
  rowOf(rows: ClientRows, row: number): number {
    const parent = this.#parentOf(rows.ids[row]!);
    if (parent === 0) return -1;
    const at = rows.find(parent);
    return at >= 0 && (rows.flags[at]! & (RELATED | OWN)) !== 0 ? at : -1;
  }

  /**
   * The children that the client has, each followed by its parent, if the client has both. Ids, children
   * ascending.
   */
  toldTo(rows: ClientRows): number[] {
    const told: number[] = [];
    if (!this.isAny) return told;
    for (let row = 0; row < rows.count; row++) {
      if ((rows.flags[row]! & SENT) === 0) continue;
      const parent = this.rowOf(rows, row);
      if (parent >= 0 && (rows.flags[parent]! & SENT) !== 0) told.push(rows.ids[row]!, rows.ids[parent]!);
    }
    return told;
  }

  #parentOf(id: EntityId): EntityId {
    const slot = id >>> 10;
    if (slot >= this.#askedAt.length) this.#grow();
    if (this.#askedAt[slot] !== this.#tick) {
      this.#askedAt[slot] = this.#tick;
      this.#parents[slot] = this.#world.has(id) ? (this.#world.parentOf(id) ?? 0) : 0;
    }
    return this.#parents[slot]!;
  }

  #grow(): void {
    const slots = Math.max(this.#world.slotCount, 2 * this.#askedAt.length);
    this.#askedAt = new Uint32Array(slots);
    this.#parents = new Uint32Array(slots);
  }
}
