/** The page: joins the room, and draws what its player perceives. */
import { Client } from '@colyseus/sdk';
import { perceive } from '@umwelt/colyseus/client';
import { appearance } from '../appearance.ts';
import { ownName, show } from './meadow.ts';

const rooms = new Client(location.origin);
let client = await join();
show(() => client);

/** Joins the room; tries again while there is no server. */
async function join() {
  const room = await rooms.joinOrCreate('meadow', { name: ownName }).catch(() => undefined);
  if (room === undefined) {
    await new Promise((resolve) => setTimeout(resolve, 1000));
    return join();
  }
  // The SDK brings back a broken connection. This player is gone for good, for example because the server was restarted.
  room.onLeave(async () => {
    client = await join();
  });
  const joined = perceive(room, { appearance });
  joined.connect();
  return joined;
}
