/**
 * npm run example -- 06-cluster: one world in three processes, with a page to kill them: no entity disappears
 *
 * `shard.ts` is the game server. With `nats-server` each node is a process, else all are in this process, on a log in memory.
 * `--port NUMBER` (7640, 0 for any free one), `--bots NUMBER` (16), `--memory` to use no broker.
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import { bundlePage } from '../page-bundle.ts';
import { Bots } from './bots.ts';
import { Land } from './land.ts';
import { Overview } from './overview.ts';
import { WALKERS } from './rules.ts';

const PICTURE_MS = 100;
const NODES = 3;
const NODES_MAX = 6;

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '7640' },
    bots: { type: 'string', default: '16' },
    memory: { type: 'boolean', default: false },
  },
});
const page = await bundlePage(new URL('./page', import.meta.url));
const land = await Land.open(!values.memory);
console.log(`on ${land.ground}`);
await Promise.all(Array.from({ length: NODES }, () => land.add(WALKERS / NODES)));
const overview = await Overview.join(land.log);
const bots = new Bots(Number(values.bots), () => [...land.ports.values()]);
const pages = new Set<ServerResponse>();

const tell = (event: string, facts: unknown) => {
  const text = `event: ${event}\ndata: ${JSON.stringify(facts)}\n\n`;
  // A page that does not keep up gets a newer picture later: each picture is complete.
  for (const response of pages) if (!response.writableNeedDrain) response.write(text);
};
const timer = setInterval(() => {
  if (pages.size === 0) return;
  const { count, connected } = bots;
  tell('picture', { ...overview.picture(land.ports), bots: count, botsConnected: connected });
}, PICTURE_MS);

const actions: Readonly<Record<string, (name: string) => Promise<unknown>>> = {
  '/kill': async (name) => {
    if (await land.kill(name)) tell('said', { kind: 'kill', name });
  },
  '/add': async () => {
    if (land.ports.size < NODES_MAX) tell('said', { kind: 'add', name: await land.add() });
  },
};

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://here');
  const action = actions[pathname];
  if (action !== undefined && request.method === 'POST') {
    action(searchParams.get('name') ?? '').then(
      () => response.writeHead(204).end(),
      (error) => response.writeHead(500).end(String(error)),
    );
  } else if (pathname === '/feed') {
    response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
    response.write(`event: ground\ndata: ${JSON.stringify(land.ground)}\n\n`);
    pages.add(response);
    request.once('close', () => pages.delete(response));
  } else page(request, response);
});
server.once('error', (error) => {
  console.error(`${error.message}; choose another port with --port`);
  process.exit(2);
});
server.listen(Number(values.port), '127.0.0.1', () => {
  console.log(`http://localhost:${(server.address() as AddressInfo).port}/ (Ctrl-C stops)`);
});

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, async () => {
    clearInterval(timer);
    for (const response of pages) response.end();
    server.close();
    bots.close();
    overview.node.halt();
    await land.close();
    process.exit();
  });
}
