/**
 * An ordinary Colyseus room with its state in Schema; the world decides which parts of it each client is sent.
 *
 * Three things differ from an ordinary room: the map is a `.view()`, each creature is tracked, each player follows its own.
 */
import { type Client, Room } from '@colyseus/core';
import { schema, t } from '@colyseus/schema';
import { RoomInterest } from '@umwelt/colyseus';
import type { EntityId } from 'umwelt';
import { Forest, TICK_MS } from './forest.ts';

const Creature = schema({ kind: t.string(), x: t.float32(), y: t.float32() }, 'Creature');
const ForestState = schema({ creatures: t.map(Creature).view() }, 'ForestState');

export class ViewRoom extends Room {
  override state = new ForestState();
  readonly #forest = new Forest();
  readonly #interest = new RoomInterest(this, this.#forest.world, { mode: 'view' });
  readonly #players = new Map<string, EntityId>();

  override onCreate(): void {
    for (const id of this.#forest.deer) this.#show(id, 'deer');
    this.onMessage('head', (client, direction) => {
      this.#forest.head(this.#players.get(client.sessionId)!, direction);
    });
    this.setTimestep(() => this.#step(), TICK_MS);
  }

  override onJoin(client: Client): void {
    const id = this.#forest.admit();
    this.#players.set(client.sessionId, id);
    this.#show(id, 'player');
    this.#interest.follow(client, id);
  }

  override onDrop(client: Client): void {
    // Rejects if the room is closing.
    this.allowReconnection(client, 20).catch(() => {});
  }

  override onLeave(client: Client): void {
    const id = this.#players.get(client.sessionId)!;
    this.#players.delete(client.sessionId);
    this.#forest.remove(id);
    this.state.creatures.delete(String(id));
  }

  override onDispose(): Promise<void> {
    return this.#interest.dispose();
  }

  #show(id: EntityId, kind: string): void {
    const creature = new Creature().assign({ kind });
    this.state.creatures.set(String(id), creature);
    this.#interest.track(id, creature);
  }

  #step(): void {
    this.#interest.publish(this.#forest.step());
    for (const [id, creature] of this.state.creatures) {
      const [x = 0, y = 0] = this.#forest.world.position(Number(id));
      creature.assign({ x, y });
    }
  }
}
