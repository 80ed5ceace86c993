// Example of: RoomInterest, FramesOptions, perceive, PerceiveOptions, PlayerRoom
import type { AddressInfo } from 'node:net';
import { type Client, Room, Server } from '@colyseus/core';
import { Client as Sdk } from '@colyseus/sdk';
import { WebSocketTransport } from '@colyseus/ws-transport';
import { type FramesOptions, RoomInterest } from '@umwelt/colyseus';
import { type PerceiveOptions, type PlayerRoom, perceive } from '@umwelt/colyseus/client';
import { World } from 'umwelt';

const appearance = { positionStep: 0.01, fields: { name: { type: 'string' } } } as const;
const frames: FramesOptions<typeof appearance> = { mode: 'frames', tickMs: 20, appearance };

class MeadowRoom extends Room {
  readonly world = new World();
  readonly interest = new RoomInterest(this, this.world, frames);

  override onCreate(): void {
    const wolf = this.world.add({ x: 3, y: 4 });
    this.interest.set(wolf, { name: 'wolf' });
    this.setTimestep(() => this.interest.publish(this.world.tick()), 20);
  }

  override onJoin(client: Client): void {
    this.interest.follow(client, this.world.add({ x: 0, y: 0, range: 30 }));
  }

  override onDispose(): Promise<void> {
    return this.interest.dispose();
  }
}

const transport = new WebSocketTransport();
const server = new Server({ transport, greet: false });
server.define('meadow', MeadowRoom);
await server.listen(0, '127.0.0.1');
const { port } = transport.server!.address() as AddressInfo;

// The page of a player.
const room = await new Sdk(`http://127.0.0.1:${port}`).joinOrCreate('meadow');
const joined: PlayerRoom = room;
const options: PerceiveOptions<typeof appearance> = { appearance };
const client = perceive(joined, options);
const wolf = new Promise<string>((resolve) => {
  client.on('enter', (entity) => entity.fields.name !== '' && resolve(entity.fields.name));
});
client.connect();
console.log(await wolf); // wolf
await room.leave();
await server.gracefullyShutdown(false);
