/** `npm start`: the game and its page on one port, and the inspector, which shows the running world, on another. */
import { createServer } from 'node:http';
import { WebSocketTransport } from '@umwelt/gateway';
import { inspect } from '@umwelt/inspector';
import { Game, TICK_MS } from './game.ts';

const port = portOf('PORT', 5173);
const inspectorPort = portOf('INSPECTOR_PORT', 7600);

const server = createServer();
// During development Vite serves the page. For players, `npm run build` writes it to `dist`, for any web server.
if (process.env.NODE_ENV !== 'production') {
  const { createServer: createPages } = await import('vite');
  const pages = await createPages({ server: { middlewareMode: true, hmr: { server } } });
  server.on('request', pages.middlewares);
} else server.on('request', (_, response) => response.writeHead(404).end('This port is for players only.\n'));

const game = new Game();
await game.gateway.listen(new WebSocketTransport({ server, path: '/play' }));
server.on('error', portTaken('PORT'));
server.listen(port, async () => {
  const inspector = await inspect(game.world, {
    port: inspectorPort,
    title: 'Meadow',
    kinds: ['player', 'sheep'],
    kindOf: (id) => (game.gateway.get(id, 'kind') === 'player' ? 0 : 1),
    nameOf: (id) => game.gateway.get(id, 'name'),
  }).catch(portTaken('INSPECTOR_PORT'));
  console.log(`game:      http://localhost:${port}`);
  console.log(`inspector: ${inspector.url}`);
});
setInterval(() => game.step(), TICK_MS);

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
