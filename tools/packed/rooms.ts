/** What a user's own script names of the packed Colyseus package: both its entry points, which bring Colyseus in. */
import { RoomInterest } from '@umwelt/colyseus';
import { perceive } from '@umwelt/colyseus/client';

console.log(JSON.stringify([typeof RoomInterest, typeof perceive]));
