/**
 * npm run example -- 02-ws-game: a small game in the browser: gather embers at night, seen and heard by others, or cloaked
 *
 * `game.ts` is the server, with the engine and a gateway; `page/main.ts` is the browser's part. `--port NUMBER` (7610, 0 for any
 * free one), `--host ADDRESS` to play with others (127.0.0.1).
 */
import { parseArgs } from 'node:util';
import { WebSocketTransport } from '@umwelt/gateway';
import { bundlePage } from '../page-bundle.ts';
import { Game } from './game.ts';
import { TICK_MS } from './rules.ts';

const { values } = parseArgs({
  options: { port: { type: 'string', default: '7610' }, host: { type: 'string', default: '127.0.0.1' } },
});
const game = new Game();
const transport = new WebSocketTransport({
  port: Number(values.port),
  host: values.host,
  answer: await bundlePage(new URL('./page', import.meta.url)),
});
try {
  await game.listen(transport);
} catch (error) {
  console.error(`${error instanceof Error ? error.message : error}; choose another port with --port`);
  process.exit(2);
}
const timer = setInterval(() => game.step(), TICK_MS);
const host = values.host === '127.0.0.1' ? 'localhost' : values.host;
console.log(`http://${host}:${transport.port}/ (Ctrl-C stops)`);

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    clearInterval(timer);
    void game.drain();
  });
}
