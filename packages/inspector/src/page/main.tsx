/** The inspector's page: the feed of the server that served it. */
import { beginPage } from './begin-page.tsx';
import { Connection } from './connection.ts';

const address = new URL('feed', location.href);
// On a public address the page's URL has the token; the feed needs it too.
address.search = location.search;
address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
beginPage({ connect: (listener) => new Connection(address.href, listener) });
