/**
 * Broadcast messages: from a marker to the watchers related to it, and from a place to the watchers that
 * would perceive a marker there. They are queued until the next tick and then passed to the views of the
 * recipients.
 *
 * Memory: the queue is limited in messages and bytes. Messages beyond are dropped and counted.
 */
import { type EntityId, type Place, UmweltError } from 'umwelt';
import { stepsOf } from './appearance/appearance-columns.ts';
import type { GatewayWorld } from './appearance/gateway-world.ts';
import type { Schema } from './appearance/schema.ts';
import { badOption, told } from './bounds/bad-option.ts';
import type { GatewayLimits } from './sessions/limits.ts';
import type { Session } from './sessions/session.ts';
import type { QueuedMessage } from './views/client-view.ts';
import type { ViewIntake } from './views/view-intake.ts';

interface Broadcast extends QueuedMessage {
  /** Mask of senses: a relation must be perceived by one of them. 0: any relation counts. */
  readonly senses: number;
  /** The place that the message comes from, if it has no marker. */
  readonly place?: Place;
}

/** More than one frame could ever bring to a client. */
const WAITING_MAX = 65_536;
const WAITING_BYTES_MAX = 2 ** 26;

const NOBODY = new Uint32Array(0);

export class Broadcasts {
  readonly #intake: ViewIntake;
  readonly #senses: readonly string[];
  readonly #limits: GatewayLimits;
  readonly #schema: Schema;
  #waiting: Broadcast[] = [];
  #waitingBytes = 0;
  #lost = 0;

  constructor(intake: ViewIntake, schema: Schema, limits: GatewayLimits) {
    this.#intake = intake;
    this.#schema = schema;
    this.#senses = schema.senses;
    this.#limits = limits;
  }

  add(marker: EntityId, message: Uint8Array, sense: string | undefined): void {
    this.#checkLength(message);
    const bit = sense === undefined ? 0 : this.#senses.indexOf(sense);
    if (bit < 0) {
      const text = `sense is ${told(sense)}; expected ${this.#senses.join(', ')}`;
      throw new UmweltError('UNKNOWN_SENSE', text, { field: 'sense', value: sense });
    }
    this.#wait({ marker, bytes: new Uint8Array(message), senses: sense === undefined ? 0 : 1 << bit });
  }

  addAt(world: GatewayWorld, place: Place, message: Uint8Array): void {
    this.#checkLength(message);
    // Validates the place while the caller is on the stack. The recipients are determined at delivery.
    world.watchersAtInto(place, NOBODY);
    const { positionStep, dimensions } = this.#schema;
    const coordinates = [place.x, place.y, place.z ?? 0].slice(0, dimensions);
    const steps = coordinates.map((coordinate) => stepsOf(coordinate, positionStep));
    this.#wait({
      marker: 0,
      steps,
      bytes: new Uint8Array(message),
      senses: 0,
      place: structuredClone(place),
    });
  }

  /** Number of messages dropped since the last call. */
  takeLost(): number {
    const lost = this.#lost;
    this.#lost = 0;
    return lost;
  }

  /** Call this after the tick was taken in. Keeps the order of messages. */
  deliver(world: GatewayWorld, sessions: Iterable<Session>): void {
    if (this.#waiting.length === 0) return;
    const { waitingBytesMax } = this.#limits;
    const owners = new Map<EntityId, Session[]>();
    const connected = new Map<EntityId, Session>();
    for (const session of sessions) {
      if (!session.isConnected) continue;
      connected.set(session.watcher, session);
      const others = owners.get(session.own);
      if (others === undefined) owners.set(session.own, [session]);
      else others.push(session);
    }
    for (const broadcast of this.#waiting) {
      const { marker, senses, place } = broadcast;
      if (place !== undefined) {
        for (const watcher of world.watchersAt(place)) {
          connected.get(watcher)?.view.queue(broadcast, waitingBytesMax);
        }
        continue;
      }
      if (!world.has(marker)) continue;
      for (const session of owners.get(marker) ?? []) session.view.queue(broadcast, waitingBytesMax);
      for (const watcher of world.watchersOf(marker)) {
        const session = connected.get(watcher);
        if (session === undefined || session.own === marker) continue;
        if (senses !== 0 && !this.#isSensed(watcher, marker, senses)) continue;
        session.view.queue(broadcast, waitingBytesMax);
      }
    }
    this.#waiting = [];
    this.#waitingBytes = 0;
  }

  #checkLength(message: Uint8Array): void {
    const { broadcastBytesMax } = this.#limits;
    if (!(message instanceof Uint8Array)) throw badOption('message', message, 'a Uint8Array');
    if (message.length <= broadcastBytesMax) return;
    const text = `the message has ${message.length} bytes; expected at most ${broadcastBytesMax}`;
    throw new UmweltError('BAD_OPTION', text, { field: 'message', value: message.length });
  }

  #wait(broadcast: Broadcast): void {
    const bytes = this.#waitingBytes + broadcast.bytes.length;
    if (this.#waiting.length === WAITING_MAX || bytes > WAITING_BYTES_MAX) {
      this.#lost++;
      return;
    }
    this.#waiting.push(broadcast);
    this.#waitingBytes = bytes;
  }

  #isSensed(watcher: EntityId, marker: EntityId, senses: number): boolean {
    const rows = this.#intake.viewOf(watcher)?.rows;
    const row = rows?.find(marker) ?? -1;
    return row >= 0 && (rows!.senses[row]! & senses) !== 0;
  }
}
