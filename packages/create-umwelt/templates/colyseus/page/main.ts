/** The page: joins the room, and draws what its player perceives. */
import { Client } from '@colyseus/sdk';
import { perceive } from '@umwelt/colyseus/client';
import { appearance } from '../appearance.ts';
import { ownName, show } from './meadow.ts';

const room = await new Client(location.origin).joinOrCreate('meadow', { name: ownName });
const client = perceive(room, { appearance });
client.connect();
show(client);
