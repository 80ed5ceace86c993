/**
 * How much `umwelt serve` carries over the loopback: a caller that puts a whole crowd every tick, in a process of its own.
 *
 * `node --conditions=umwelt:source packages/cli/test/serve-load.ts` prints a row for each crowd. The caller's messages are made before the
 * clock runs, so the time is that of the service, and of the caller's socket on the other core.
 */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { WebSocket } from 'ws';
import { writeBatch, writeHello } from '../src/serve/binary-commands.ts';
import type { Command } from '../src/serve/command.ts';
import { MORE, VIEWS } from '../src/serve/serve-format.ts';

/** So that each perceives about so many others. */
const PERCEIVED = 30;
const RANGE = 10;
/** Positions that the crowd takes by turns. */
const STEPS = 8;
const PUTS_A_MESSAGE = 20_000;

export interface LoadFigures {
  readonly putsPerSecond: number;
  /** From sending a batch to having all views of its tick; median of those after the first. */
  readonly tickMs: number;
  /** Of one tick, median. */
  readonly batchBytes: number;
  readonly viewBytes: number;
  /** Puts a second where no tick is asked for in between. */
  readonly putsPerSecondAlone: number;
}

export async function loadFigures(url: string, count: number, ticks: number): Promise<LoadFigures> {
  const socket = new WebSocket(url, { perMessageDeflate: false });
  await new Promise((resolve, reject) => socket.on('open', resolve).on('error', reject));
  const views = viewsOf(socket);
  socket.send(writeHello(''));
  const messages = Array.from({ length: STEPS }, (_, step) => batches(count, step));
  for (let at = 0; at < count; at += PUTS_A_MESSAGE) socket.send(writeBatch(watchers(at, count), 2));
  await say(socket, messages[0]!, views);
  const times: number[] = [];
  const bytes: number[] = [];
  const startMs = performance.now();
  for (let tick = 1; tick <= ticks; tick++) {
    const beganMs = performance.now();
    bytes.push(await say(socket, messages[tick % STEPS]!, views));
    times.push(performance.now() - beganMs);
  }
  const seconds = (performance.now() - startMs) / 1000;
  const aloneMs = performance.now();
  for (let tick = 1; tick <= ticks; tick++)
    for (const message of messages[tick % STEPS]!) socket.send(message);
  await say(socket, [], views);
  const aloneSeconds = (performance.now() - aloneMs) / 1000;
  socket.terminate();
  return {
    putsPerSecond: (count * ticks) / seconds,
    tickMs: median(times),
    batchBytes: messages[1]!.reduce((sum, { length }) => sum + length, 0),
    viewBytes: median(bytes),
    putsPerSecondAlone: (count * ticks) / aloneSeconds,
  };
}

/** Puts of everyone, in messages well below the limit. */
function batches(count: number, step: number): Buffer[] {
  const side = Math.sqrt((count * Math.PI * RANGE * RANGE) / PERCEIVED);
  const commands = Array.from({ length: count }, (_, i): Command => {
    const angle = i + (step / STEPS) * 2 * Math.PI;
    return {
      do: 'put',
      key: i,
      x: ((i * 0.754877666) % 1) * side + Math.cos(angle),
      y: ((i * 0.569840291) % 1) * side + Math.sin(angle),
    };
  });
  const messages = [];
  for (let at = 0; at < count; at += PUTS_A_MESSAGE) {
    messages.push(writeBatch(commands.slice(at, at + PUTS_A_MESSAGE), 2));
  }
  return messages;
}

/** The first puts of those from `start` on that one message holds. */
function watchers(start: number, count: number): Command[] {
  const length = Math.min(PUTS_A_MESSAGE, count - start);
  return Array.from({ length }, (_, i) => ({
    do: 'put',
    key: start + i,
    x: 0,
    y: (start + i) * 1000,
    properties: { range: RANGE },
  }));
}

/** Sends them and a tick; answers the bytes of its views. */
function say(socket: WebSocket, messages: readonly Buffer[], views: () => Promise<number>): Promise<number> {
  for (const message of messages) socket.send(message);
  socket.send(writeBatch([{ do: 'tick' }], 2));
  return views();
}

/** Waits for the views of the next tick; answers their bytes. */
function viewsOf(socket: WebSocket): () => Promise<number> {
  let sum = 0;
  let told = (_: number): void => {};
  let broke = (_: Error): void => {};
  socket.on('close', (code) => broke(new Error(`closed with ${code}`)));
  socket.on('message', (data) => {
    const bytes = data as Buffer;
    if (bytes[0] !== VIEWS) return;
    sum += bytes.length;
    if ((bytes[1]! & MORE) !== 0) return;
    told(sum);
    sum = 0;
  });
  return () =>
    new Promise((resolve, reject) => {
      told = resolve;
      broke = reject;
    });
}

function median(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[values.length >> 1] ?? 0;
}

async function main(): Promise<void> {
  const script = fileURLToPath(new URL('../src/main.ts', import.meta.url));
  const words = ['--conditions=umwelt:source', script, 'serve', '--rate', '0', '--port', '0'];
  const service = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  const url = await new Promise<string>((resolve) => {
    service.stdout.setEncoding('utf8').on('data', (text: string) => {
      const found = /ws:\S+/.exec(text);
      if (found !== null) resolve(found[0]);
    });
  });
  try {
    for (const count of [1000, 10_000]) {
      const figures = await loadFigures(url, count, Math.ceil(1_000_000 / count));
      process.stdout.write(
        `${count}: ${JSON.stringify(figures, (_, value) => (typeof value === 'number' ? Math.round(value * 100) / 100 : value))}\n`,
      );
    }
  } finally {
    service.kill();
  }
}

if (import.meta.main) await main();
