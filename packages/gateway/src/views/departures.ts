/**
 * Entities that were reported to a client as left, until the client has acknowledged it.
 *
 * If the connection breaks, the client may have missed the frame. Then it still has these entities, and only
 * this list knows. Acknowledged entries are dropped from the front. The list is bounded: if the oldest
 * entries had to be dropped, a client that reconnects from before them is resynchronised.
 */
import type { EntityId } from 'umwelt';
import type { ByteReader } from '../wire/byte-reader.ts';
import type { ByteWriter } from '../wire/byte-writer.ts';

const DEPARTURES_MAX = 4096;

interface Departure {
  readonly id: EntityId;
  /** The client had the entity from the frame of `enteredTick` until the frame of `leftTick`. */
  readonly enteredTick: number;
  readonly leftTick: number;
  /** It left because it was removed from the world, then or after it had come back. */
  isRemoved: boolean;
}

export class Departures {
  /** By leftTick. */
  #list: Departure[] = [];
  /** Up to this tick the list is incomplete. */
  #forgottenTick = 0;

  get count(): number {
    return this.#list.length;
  }

  add(id: EntityId, enteredTick: number, leftTick: number, isRemoved: boolean): void {
    this.#list.push({ id, enteredTick, leftTick, isRemoved });
    if (this.#list.length > DEPARTURES_MAX) this.#dropFirst(DEPARTURES_MAX / 2);
  }

  /** The client has taken in the frame of `tick`. */
  acknowledge(tick: number): void {
    const first = this.#list.findIndex(({ leftTick }) => leftTick > tick);
    this.#dropFirst(first < 0 ? this.#list.length : first);
  }

  /** Whether the list can tell what a client has that took in no frame after `tick`. */
  knows(tick: number): boolean {
    return tick >= this.#forgottenTick;
  }

  /** The entities that the client had after the frame of `tick`. */
  hadAt(tick: number): Map<EntityId, { readonly enteredTick: number }> {
    const had = this.#list.filter(({ enteredTick, leftTick }) => enteredTick <= tick && tick < leftTick);
    return new Map(had.map((departure) => [departure.id, departure]));
  }

  /**
   * These entities came back and were removed before the client was sent either: if it still has them, they
   * are gone.
   */
  noteRemoved(ids: ReadonlySet<EntityId>): void {
    for (const departure of this.#list) if (ids.has(departure.id)) departure.isRemoved = true;
  }

  /** The entities that were removed in the end: an entity may have left and come back before that. */
  removedIds(): Set<EntityId> {
    return new Set(this.#list.filter(({ isRemoved }) => isRemoved).map(({ id }) => id));
  }

  /** Nothing before the frame of `tick` matters any more: a client that has less is resynchronised. */
  forgetBefore(tick: number): void {
    this.#list = [];
    this.#forgottenTick = Math.max(this.#forgottenTick, tick);
  }

  /** For a snapshot. */
  write(writer: ByteWriter): void {
    writer.varint(this.#forgottenTick);
    writer.varint(this.#list.length);
    for (const { id, enteredTick, leftTick, isRemoved } of this.#list) {
      for (const value of [id, enteredTick, leftTick, isRemoved ? 1 : 0]) writer.varint(value);
    }
  }

  /** Reads what `write` wrote. Earlier versions did not store which entities were removed. */
  read(reader: ByteReader, saysRemoved: boolean): void {
    this.#forgottenTick = reader.varint();
    const count = reader.varint();
    this.#list = [];
    for (let i = 0; i < count; i++) {
      const [id, enteredTick, leftTick] = [reader.varint(), reader.varint(), reader.varint()];
      this.add(id, enteredTick, leftTick, saysRemoved && reader.varint() !== 0);
    }
  }

  #dropFirst(count: number): void {
    if (count === 0) return;
    this.#forgottenTick = Math.max(this.#forgottenTick, this.#list[count - 1]!.leftTick);
    this.#list.splice(0, count);
  }
}
