/**
 * A room on each of many processes that shows its clients one shared world: players perceive each other whichever process's room
 * they are in.
 *
 * Each process has a node of `@umwelt/cluster` and defines the room with it: `server.define('forest', SharedRoom, { node })`.
 * Colyseus accepts players and keeps their connections; the cluster has the world. A player whose process died continues with
 * the same hero in another process.
 */
import { type Client, Room } from '@colyseus/core';
import type { ClusterNode } from '@umwelt/cluster';
import { RoomInterest } from '@umwelt/colyseus';
import { type EntityId, UmweltError } from 'umwelt';

const RANGE = 40;

export class SharedRoom extends Room {
  // The room exists on all nodes at all times, also without clients.
  override autoDispose = false;
  #node!: ClusterNode;
  #interest!: RoomInterest;
  #stops: (() => void)[] = [];
  /** By session id. */
  readonly #heroes = new Map<string, EntityId>();

  override onCreate({ node }: { node: ClusterNode }): void {
    this.#node = node;
    this.#interest = new RoomInterest(this, node.world, {
      mode: 'frames',
      tickMs: 50,
      appearance: { positionStep: 0.01, fields: { name: { type: 'string' } } },
      onInput: ({ sessionId }, payload) => this.#pass(this.#heroes.get(sessionId) ?? 0, payload),
    });
    this.#stops = [
      node.attach(this.#interest),
      // The player is in another process's room now.
      node.on('hide', (id) => {
        for (const client of this.clients) if (this.#heroes.get(client.sessionId) === id) client.leave();
      }),
    ];
  }

  override async onJoin(client: Client, { name }: { name: string }): Promise<void> {
    const node = this.#node;
    const gone = new AbortController();
    client.ref.once('close', () => gone.abort());
    const hero =
      node.find(name) ?? (await node.add({ x: 0, y: 0, range: RANGE, key: name, fields: { name } }));
    // Not if the connection has ended: the player may have gone on to another process, and would be taken from there.
    await node.show(hero, { signal: gone.signal });
    // The player has come a second time: the earlier client must not hide the hero when it leaves.
    for (const earlier of this.clients) {
      if (this.#heroes.get(earlier.sessionId) !== hero) continue;
      this.#heroes.delete(earlier.sessionId);
      earlier.leave();
    }
    this.#heroes.set(client.sessionId, hero);
    this.#interest.follow(client, hero);
  }

  override onLeave({ sessionId }: Client): void {
    const hero = this.#heroes.get(sessionId);
    this.#heroes.delete(sessionId);
    if (hero !== undefined) this.#node.hide(hero);
  }

  override onDispose(): Promise<void> {
    for (const stop of this.#stops) stop();
    return this.#interest.dispose();
  }

  /** To the owner of the hero. An error here would close the player's connection: while the log stands still, inputs are lost. */
  #pass(hero: EntityId, input: Uint8Array): void {
    try {
      if (this.#node.world.has(hero)) this.#node.send(hero, input);
    } catch (error) {
      if (!(error instanceof UmweltError && error.code === 'TOO_MUCH')) throw error;
    }
  }
}
