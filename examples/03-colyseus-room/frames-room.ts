/**
 * The same room without a state: clients get what they perceive as frames, over the same connection.
 *
 * The room keeps nothing besides the world: it has the positions, and other properties are fields, declared here.
 */
import { type Client, Room } from '@colyseus/core';
import { RoomInterest } from '@umwelt/colyseus';
import type { EntityId } from 'umwelt';
import { Forest, TICK_MS } from './forest.ts';

export class FramesRoom extends Room {
  readonly #forest = new Forest();
  readonly #interest = new RoomInterest(this, this.#forest.world, {
    mode: 'frames',
    tickMs: TICK_MS,
    appearance: { positionStep: 0.01, fields: { kind: { type: 'string' } } },
  });
  readonly #players = new Map<string, EntityId>();

  override onCreate(): void {
    for (const id of this.#forest.deer) this.#interest.gateway.set(id, { kind: 'deer' });
    this.onMessage('head', (client, direction) => {
      this.#forest.head(this.#players.get(client.sessionId)!, direction);
    });
    this.setTimestep(() => this.#interest.publish(this.#forest.step()), TICK_MS);
  }

  override onJoin(client: Client): void {
    const id = this.#forest.admit();
    this.#players.set(client.sessionId, id);
    this.#interest.gateway.set(id, { kind: 'player' });
    this.#interest.follow(client, id);
  }

  override onDrop(client: Client): void {
    // Rejects if the room is closing.
    this.allowReconnection(client, 20).catch(() => {});
  }

  override onLeave(client: Client): void {
    this.#forest.remove(this.#players.get(client.sessionId)!);
    this.#players.delete(client.sessionId);
  }

  override onDispose(): Promise<void> {
    return this.#interest.dispose();
  }
}
