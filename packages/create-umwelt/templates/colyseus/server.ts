/** `npm start`: a Colyseus server with the room and its page on one port, and the inspector of the first room's world on another. */
import { matchMaker, Server } from '@colyseus/core';
import { WebSocketTransport } from '@colyseus/ws-transport';
import { inspect } from '@umwelt/inspector';
import type { World } from 'umwelt';
import { MeadowRoom } from './meadow-room.ts';

const port = Number(process.env.PORT ?? 5173);
const inspectorPort = Number(process.env.INSPECTOR_PORT ?? 7600);

// During development Vite serves the page. For players, `npm run build` writes it to `dist`, for any web server.
const isForPlayers = process.env.NODE_ENV === 'production';
const vite = isForPlayers ? undefined : await import('vite');
// Colyseus accepts every WebSocket on its port, so Vite tells the page on the next one which files were saved.
const pages = await vite?.createServer({ server: { middlewareMode: true, hmr: { port: port + 1 } } });

const server = new Server({
  transport: new WebSocketTransport(),
  greet: false,
  express: (app) => {
    if (pages !== undefined) app.use(pages.middlewares);
  },
});
let rooms = 0;
server.define('meadow', MeadowRoom, {
  opened: (world: World) => (rooms++ === 0 ? inspect(world, { port: inspectorPort }) : undefined),
});
await server.listen(port);
await matchMaker.createRoom('meadow', {});
console.log(`game:      http://localhost:${port}`);
console.log(`inspector: http://localhost:${inspectorPort}`);
