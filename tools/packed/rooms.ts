/** What a user's own script names of the packed Colyseus package: both its entry points, beside Colyseus itself. */
import { Room } from '@colyseus/core';
import { RoomInterest } from '@umwelt/colyseus';
import { perceive } from '@umwelt/colyseus/client';

console.log(JSON.stringify([typeof Room, typeof RoomInterest, typeof perceive]));
