/**
 * Messages from markers to whoever relates to them: collected until the tick, then given to the views concerned.
 */
import { type EntityId, UmweltError, type World } from 'umwelt';
import type { GatewayLimits } from './sessions/limits.ts';
import type { Session } from './sessions/session.ts';
import type { QueuedMessage } from './views/client-view.ts';
import type { ViewIntake } from './views/view-intake.ts';

interface Broadcast extends QueuedMessage {
  /** A relation must be perceived by one of these senses; 0: any relation will do. */
  readonly senses: number;
}

export class Broadcasts {
  readonly #intake: ViewIntake;
  readonly #senses: readonly string[];
  readonly #limits: GatewayLimits;
  #waiting: Broadcast[] = [];

  constructor(intake: ViewIntake, senses: readonly string[], limits: GatewayLimits) {
    this.#intake = intake;
    this.#senses = senses;
    this.#limits = limits;
  }

  add(marker: EntityId, message: Uint8Array, sense: string | undefined): void {
    const { broadcastBytesMax } = this.#limits;
    if (message.length > broadcastBytesMax) {
      const text = `the message has ${message.length} bytes; expected at most ${broadcastBytesMax}`;
      throw new UmweltError('BAD_OPTION', text, { field: 'message', value: message.length });
    }
    const bit = sense === undefined ? 0 : this.#senses.indexOf(sense);
    if (bit < 0) {
      const text = `sense is '${sense}'; expected ${this.#senses.join(', ')}`;
      throw new UmweltError('UNKNOWN_SENSE', text, { field: 'sense', value: sense });
    }
    this.#waiting.push({
      marker,
      bytes: new Uint8Array(message),
      senses: sense === undefined ? 0 : 1 << bit,
    });
  }

  /** After the tick was taken in. Order is kept. */
  deliver(world: World, sessions: Iterable<Session>): void {
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
      const { marker, senses } = broadcast;
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
  }

  #isSensed(watcher: EntityId, marker: EntityId, senses: number): boolean {
    const rows = this.#intake.viewOf(watcher)?.rows;
    const row = rows?.find(marker) ?? -1;
    return row >= 0 && (rows!.senses[row]! & senses) !== 0;
  }
}
