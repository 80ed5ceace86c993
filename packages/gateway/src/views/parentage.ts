/**
 * Attachments as frames need them: a parent enters before its children, and a client receives the parent of
 * each child.
 *
 * The world is asked once per tick for each entity that some client has, and a client whose entities are those of its last
 * frame is looked at only if one of them has got another parent. Memory: 8 bytes per slot, and 8 per entity asked about, once an
 * entity is attached. Cost: none while no entity is attached, else some 20 ns per entity that some client has, and a few
 * nanoseconds per row of the clients that get or lose an entity.
 */
import type { EntityId } from 'umwelt';
import type { GatewayWorld } from '../appearance/gateway-world.ts';
import { type ClientRows, OWN, RELATED, SENT } from './client-rows.ts';

export class Parentage {
  readonly #world: GatewayWorld;
  /** Changes whenever an entity that was asked about has another parent. */
  version = 0;
  /** Entities that were asked about. */
  #asked: EntityId[] = [];
  /** By slot: the entity that was asked about, 0 for none, and the id of its parent in this tick, 0 for none. */
  #idAt = new Uint32Array(0);
  #parents = new Uint32Array(0);
  #wasAny = false;
  /** Number of rows of the frames since the tick began. */
  #rowCount = 0;

  constructor(world: GatewayWorld) {
    this.#world = world;
  }

  /** Whether any entity in the world is attached. */
  get isAny(): boolean {
    return this.#world.attachedCount > 0;
  }

  beginTick(): void {
    const { isAny } = this;
    // Entities that no client has any more stay among those asked about, until there are more of them than rows.
    if (isAny && this.#wasAny && this.#asked.length <= this.#rowCount) this.#askAgain();
    else if (isAny || this.#wasAny) this.#forget();
    this.#wasAny = isAny;
    this.#rowCount = 0;
  }

  /** A frame is written of so many rows. */
  noteRows(count: number): void {
    this.#rowCount += count;
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
    const { count, ids, flags } = rows;
    const [idAt, parents] = [this.#idAt, this.#parents];
    for (let row = 0; row < count; row++) {
      const slot = ids[row]! >>> 10;
      // Nearly all are attached to nothing, and were asked about.
      if (idAt[slot] === ids[row] && parents[slot] === 0) continue;
      if ((flags[row]! & SENT) === 0) continue;
      const parent = this.rowOf(rows, row);
      if (parent >= 0 && (rows.flags[parent]! & SENT) !== 0) told.push(rows.ids[row]!, rows.ids[parent]!);
    }
    return told;
  }

  #parentOf(id: EntityId): EntityId {
    const slot = id >>> 10;
    if (slot >= this.#idAt.length) this.#grow();
    if (this.#idAt[slot] !== id) {
      this.#idAt[slot] = id;
      this.#parents[slot] = this.#parentNow(id);
      this.#asked.push(id);
    }
    return this.#parents[slot]!;
  }

  #parentNow(id: EntityId): EntityId {
    return this.#world.has(id) ? (this.#world.parentOf(id) ?? 0) : 0;
  }

  #askAgain(): void {
    const asked = this.#asked;
    let kept = 0;
    for (const id of asked) {
      const slot = id >>> 10;
      // Another entity has the slot by now, and was asked about, too.
      if (this.#idAt[slot] !== id) continue;
      const parent = this.#parentNow(id);
      if (parent !== this.#parents[slot]) this.version++;
      this.#parents[slot] = parent;
      if (this.#world.has(id)) asked[kept++] = id;
      else this.#idAt[slot] = 0;
    }
    asked.length = kept;
  }

  #forget(): void {
    for (const id of this.#asked) this.#idAt[id >>> 10] = 0;
    this.#asked = [];
    this.version++;
  }

  #grow(): void {
    const slots = Math.max(this.#world.slotCount, 2 * this.#idAt.length);
    const [idAt, parents] = [this.#idAt, this.#parents];
    this.#idAt = new Uint32Array(slots);
    this.#parents = new Uint32Array(slots);
    this.#idAt.set(idAt);
    this.#parents.set(parents);
  }
}
