/** What a user's script imports of the packed Colyseus package: both entry points, which load Colyseus. */
import { RoomInterest } from '@umwelt/colyseus';
import { perceive } from '@umwelt/colyseus/client';

console.log(JSON.stringify([typeof RoomInterest, typeof perceive]));
