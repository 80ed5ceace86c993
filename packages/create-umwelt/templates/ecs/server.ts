/** `npm start`: the game and its page on one port, and the inspector, which shows the running world, on another. */
import { createServer } from 'node:http';
import { WebSocketTransport } from '@umwelt/gateway';
import { inspect } from '@umwelt/inspector';
import { Game, TICK_MS } from './game.ts';

const port = Number(process.env.PORT ?? 5173);
const inspectorPort = Number(process.env.INSPECTOR_PORT ?? 7600);

const server = createServer();
// During development Vite serves the page. For players, `npm run build` writes it to `dist`, for any web server.
if (process.env.NODE_ENV !== 'production') {
  const { createServer: createPages } = await import('vite');
  const pages = await createPages({ server: { middlewareMode: true, hmr: { server } } });
  server.on('request', pages.middlewares);
} else server.on('request', (_, response) => response.writeHead(404).end('This port is for players only.\n'));

const game = new Game();
await game.gateway.listen(new WebSocketTransport({ server, path: '/play' }));
const inspector = await inspect(game.world, { port: inspectorPort });
server.listen(port, () => {
  console.log(`game:      http://localhost:${port}`);
  console.log(`inspector: ${inspector.url}`);
});
setInterval(() => game.step(), TICK_MS);
