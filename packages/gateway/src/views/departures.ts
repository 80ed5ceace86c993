/**
 * Entities that a client was told have left, until it is known to have heard it.
 *
 * Should the connection break, the client may have missed the frame: then it still has them, and only this list
 * remembers. What it acknowledges is dropped from the front. The list is bounded: where the oldest had to be forgotten,
 * whoever reconnects with less has to be told everything anew.
 */
import type { EntityId } from 'umwelt';
import type { ByteReader } from '../wire/byte-reader.ts';
import type { ByteWriter } from '../wire/byte-writer.ts';

const DEPARTURES_MAX = 4096;

interface Departure {
  readonly id: EntityId;
  /** The client had it from the frame of one tick to that of the other. */
  readonly enteredTick: number;
  readonly leftTick: number;
  /** It left because it was removed from the world, then or when it had come back. */
  isRemoved: boolean;
}

export class Departures {
  /** By leftTick. */
  #list: Departure[] = [];
  /** Up to this tick the list has holes. */
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

  /** Whether it is known what a client has that took in no frame after that of `tick`. */
  knows(tick: number): boolean {
    return tick >= this.#forgottenTick;
  }

  /** Calls `visit` for those the client had after the frame of `tick`. */
  eachHadAt(tick: number, visit: (id: EntityId, enteredTick: number) => void): void {
    for (const { id, enteredTick, leftTick } of this.#list) {
      if (enteredTick <= tick && tick < leftTick) visit(id, enteredTick);
    }
  }

  /** These came back and were removed before the client could be told of it: should it still have them, they are gone. */
  noteRemoved(ids: ReadonlySet<EntityId>): void {
    for (const departure of this.#list) if (ids.has(departure.id)) departure.isRemoved = true;
  }

  /** Those that left because they were removed, at last: one may have left and come back before. */
  removedIds(): Set<EntityId> {
    return new Set(this.#list.filter(({ isRemoved }) => isRemoved).map(({ id }) => id));
  }

  /** From the frame of `tick` on nothing before it matters: who has less is told everything anew. */
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

  /** What `write` wrote; earlier versions did not say who was removed. */
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
