/**
 * A thousand players in a process of their own: each a real client on a real WebSocket.
 *
 * They do what the parent process tells them and count frames, ticks without a frame, and ended connections. At sampled
 * ticks the sum of each mirror is taken, to be compared with what the server would show.
 */
import { connect, type Socket } from 'node:net';
import { UmweltClient } from '@umwelt/client';
import type { CrowdAnswer, CrowdOrder } from './crowd-messages.ts';
import { machineMs, sighting, stepsOf } from './sight.ts';

/** Connections opened at the same time. */
const BATCH = 50;
const ACK_MS = 300;

type JoinOrder = Extract<CrowdOrder, { kind: 'join' }>;

const clients: UmweltClient[] = [];
const sums = { tick: [] as number[], client: [] as number[], sum: [] as number[] };
const arrivals = { tick: [] as number[], ms: [] as number[] };
let frames = 0;
let missing = 0;
let dropped = 0;
let reader: Socket | undefined;
let acknowledging: NodeJS.Timeout | undefined;

process.on('disconnect', () => process.exit());
process.on('message', (message) => void obey(message as CrowdOrder));

async function obey(order: CrowdOrder): Promise<void> {
  if (order.kind === 'join') {
    for (let i = 0; i < order.watchers.length; i += BATCH) {
      const batch = order.watchers.slice(i, i + BATCH);
      await Promise.all(batch.map((watcher, j) => join(order, watcher, i + j)));
    }
    answer({ kind: 'joined' });
  } else if (order.kind === 'read') read(order.credential);
  else if (order.kind === 'stall') stall(order.isStalled);
  else report();
}

function answer(message: CrowdAnswer): void {
  process.send?.(message);
}

let url = '';

/** Resolves when the first frame has arrived. */
function join(order: JoinOrder, watcher: number, number: number): Promise<void> {
  url = order.url;
  const client = new UmweltClient({ url, credential: () => String(watcher) });
  clients.push(client);
  const isTimed = number % order.timedClients === 0;
  let lastTick = 0;
  client.on('state', (state) => {
    if (state === 'waiting' || state === 'closed') dropped++;
  });
  return new Promise((resolve) => {
    client.on('frame', (tick) => {
      frames++;
      if (lastTick === 0) resolve();
      else missing += tick - lastTick - 1;
      lastTick = tick;
      if (isTimed) {
        arrivals.tick.push(tick);
        arrivals.ms.push(machineMs());
      }
      if (tick % order.sampleTicks === 0) sample(client, number, tick);
    });
    client.connect();
  });
}

function sample({ entities }: UmweltClient, number: number, tick: number): void {
  let sum = 0;
  for (const { id, x, y } of entities.values()) sum = (sum + sighting(id, stepsOf(x), stepsOf(y))) >>> 0;
  sums.tick.push(tick);
  sums.client.push(number);
  sums.sum.push(sum);
}

/** Opens a WebSocket and sends the hello of docs/frame-format.md; received bytes are read and dropped. */
function read(credential: string): void {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  reader = socket;
  socket.on('error', () => {});
  const lines = ['GET / HTTP/1.1', `Host: ${hostname}`, 'Connection: Upgrade', 'Upgrade: websocket'];
  const key = Buffer.alloc(16).toString('base64');
  socket.write([...lines, 'Sec-WebSocket-Version: 13', `Sec-WebSocket-Key: ${key}`, '', ''].join('\r\n'));
  socket.once('data', () => {
    const text = new TextEncoder().encode(credential);
    const hello = Uint8Array.of(1, 2, 0, 0, text.length, ...text);
    // A complete binary WebSocket frame, masked with zeros.
    socket.write(Uint8Array.of(0x82, 0x80 | hello.length, 0, 0, 0, 0, ...hello));
    socket.resume();
    answer({ kind: 'reading' });
  });
}

function stall(isStalled: boolean): void {
  if (isStalled) {
    clearInterval(acknowledging);
    reader?.pause();
    return;
  }
  reader?.resume();
  // Acknowledges a tick far ahead: the server takes it for its latest one.
  const ack = Uint8Array.of(0x82, 0x80 | 6, 0, 0, 0, 0, 3, 0xff, 0xff, 0xff, 0xff, 0x0f);
  acknowledging = setInterval(() => reader?.write(ack), ACK_MS);
}

function report(): void {
  answer({
    kind: 'report',
    frames,
    missing,
    dropped,
    sums: {
      tick: Uint32Array.from(sums.tick),
      client: Uint32Array.from(sums.client),
      sum: Uint32Array.from(sums.sum),
    },
    arrivals: { tick: Uint32Array.from(arrivals.tick), ms: Float64Array.from(arrivals.ms) },
    rssBytes: process.memoryUsage.rss(),
  });
  for (const client of clients) client.close();
}
