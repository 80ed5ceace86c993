/** The page: connects, and draws what its player perceives. */
import { UmweltClient } from '@umwelt/client';
import { appearance } from '../appearance.ts';
import { ownName, show } from './meadow.ts';

const url = new URL('/play', location.href);
url.protocol = url.protocol.replace('http', 'ws');
const client = new UmweltClient({ url: url.href, credential: () => ownName, appearance });
client.connect();
show(() => client);
