// Example of: ViewOptions, RoomInterestOptions, InterestRoom, HideReason
import { schema, t } from '@colyseus/schema';
import {
  type HideReason,
  type InterestRoom,
  RoomInterest,
  type RoomInterestOptions,
  type ViewOptions,
} from '@umwelt/colyseus';
import { World } from 'umwelt';

const Unit = schema({ x: t.float32(), y: t.float32() }, 'Unit');

// Clients with Colyseus' own schemas: what they perceive is added to their StateViews, and removed from them.
const hidden: HideReason[] = [];
const views: ViewOptions = { mode: 'view', onHide: (_client, _instance, reason) => hidden.push(reason) };
const options: RoomInterestOptions = views;

// In a room of yours it is `this`; here it is a room without clients.
const room: InterestRoom = { clients: [], onMessage() {}, hasReservedSeat: () => false } as never;
const world = new World();
const interest = new RoomInterest(room, world, options);
const wolf = world.add({ x: 3, y: 4 });
interest.track(wolf, new Unit().assign({ x: 3, y: 4 }));
interest.release(wolf);
interest.publish(world.tick());
console.log(hidden.length, [...interest.sessions].length); // 0 0
await interest.dispose();
