/** `npm start`: a Colyseus server with the room and its page on one port, and the inspector of the first room's world on another. */
import { matchMaker, Server } from '@colyseus/core';
import { WebSocketTransport } from '@colyseus/ws-transport';
import { inspect } from '@umwelt/inspector';
import { MeadowRoom } from './meadow-room.ts';

const port = portOf('PORT', 5173);
const inspectorPort = portOf('INSPECTOR_PORT', 7600);

// During development Vite serves the page. For players, `npm run build` writes it to `dist`, for any web server.
const isForPlayers = process.env.NODE_ENV === 'production';
const vite = isForPlayers ? undefined : await import('vite');
// Colyseus accepts every WebSocket on its port, so Vite tells the page on another one which files were saved.
// Downwards from the last ports.
const next = port < 65_534 ? 1 : -1;
const savesPort = port + (inspectorPort === port + next ? 2 * next : next);
const pages = await vite?.createServer({ server: { middlewareMode: true, hmr: { port: savesPort } } });

const transport = new WebSocketTransport();
// First of the listeners: Colyseus's own only logs, and its `listen` would wait for ever.
transport.server!.prependOnceListener('error', portTaken('PORT'));
const server = new Server({
  transport,
  greet: false,
  express: (app) => {
    if (pages !== undefined) app.use(pages.middlewares);
  },
});
// Players join the meadow that the server opens below. They may not `create` others: a meadow stays, and a hostile client could
// open thousands.
matchMaker.controller.exposedMethods = ['joinOrCreate', 'reconnect'];
let rooms = 0;
server.define('meadow', MeadowRoom, {
  opened: ({ world, interest: { gateway } }: MeadowRoom) => {
    if (rooms++ > 0) return;
    return inspect(world, {
      port: inspectorPort,
      title: 'Meadow',
      kinds: ['player', 'sheep'],
      kindOf: (id) => (gateway.get(id, 'kind') === 'player' ? 0 : 1),
      nameOf: (id) => gateway.get(id, 'name'),
    }).catch(portTaken('INSPECTOR_PORT'));
  },
});
await server.listen(port);
await matchMaker.createRoom('meadow', {});
console.log(`game:      http://localhost:${port}`);
console.log(`inspector: http://localhost:${inspectorPort}`);

/** The port that an environment variable chooses. Ends the process if the variable is no port. */
function portOf(variable: string, standard: number): number {
  const port = process.env[variable] ?? standard;
  if (Number(port) >= 1 && Number(port) <= 65_535 && Number.isInteger(Number(port))) return Number(port);
  console.error(`${variable} is '${port}'; expected a port, from 1 to 65535.`);
  process.exit(1);
}

/** Ends the process if a port is taken, and says what to do. `variable`: the environment variable that chooses the port. */
function portTaken(variable: string) {
  return (error: Error & { readonly code?: string; readonly port?: number }): never => {
    if (error.code !== 'EADDRINUSE') throw error;
    console.error(
      `Port ${error.port} is in use: stop the program that uses it, or set ${variable} to another port.`,
    );
    process.exit(1);
  };
}
