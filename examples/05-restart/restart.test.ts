/**
 * Two hundred real clients, while the server stops on SIGTERM and continues in a new process: each keeps its identity, gets what
 * changed since without a resync, and misses nothing.
 */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type OpenSocket, UmweltClient } from '@umwelt/client';
import { expect, onTestFinished, test } from 'vitest';
import { ExampleProcess } from '../example-process.ts';

const CLIENTS = 200;
const FRAME = 2;
const RESYNC = 1;

/** A client over a real WebSocket, and what its server sent it. */
class Player {
  readonly client: UmweltClient;
  resyncs = 0;
  entered = 0;
  left = 0;
  frames = 0;

  constructor(url: string, name: string) {
    this.client = new UmweltClient({
      url,
      credential: () => name,
      openSocket: this.#open,
      retryFirstMs: 100,
    });
    this.client.on('enter', () => this.entered++);
    this.client.on('leave', () => this.left++);
    this.client.on('frame', () => this.frames++);
    this.client.connect();
  }

  readonly #open: OpenSocket = (url, events) => {
    const socket = new WebSocket(url);
    socket.binaryType = 'arraybuffer';
    socket.onopen = () => events.opened();
    socket.onmessage = ({ data }) => {
      const bytes = new Uint8Array(data as ArrayBuffer);
      if (bytes[0] === FRAME && (bytes[1]! & RESYNC) !== 0) this.resyncs++;
      events.received(bytes);
    };
    socket.onclose = ({ code, reason }) => events.closed(code, reason);
    return {
      send: (bytes) => socket.send(bytes as Uint8Array<ArrayBuffer>),
      close: (code, reason) => socket.close(code === 1000 ? code : undefined, reason),
    };
  };
}

async function until(isTrue: () => boolean, what: () => string): Promise<void> {
  const deadlineMs = Date.now() + 60_000;
  while (!isTrue()) {
    if (Date.now() > deadlineMs) throw new Error(`not in a minute: ${what()}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

test('two hundred players live through a restart of their server', { timeout: 180_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'town-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'snapshot');
  const first = new ExampleProcess('05-restart', '--port', '0', '--file', file);
  const [, url = '', port = ''] = await first.printed(/(ws:\/\/\S+:(\d+)\/)/);
  await first.printed(/a new town/);
  const players = Array.from({ length: CLIENTS }, (_, i) => new Player(url, `player ${i}`));
  onTestFinished(() => {
    for (const { client } of players) client.close();
  });
  const slowest = (): number => Math.min(...players.map(({ frames }) => frames));
  await until(
    () => slowest() >= 20,
    () => `20 frames each, at least; got ${slowest()}`,
  );
  // Each player heads east from here on.
  for (const { client } of players) client.sendInput(Uint8Array.of(0, 0));
  await until(
    () => players.every(({ client }) => client.inputTaken > 0),
    () => 'every input taken in',
  );
  const before = players.map(({ client, entered, left, resyncs }) => {
    expect(resyncs).toBe(1);
    return { own: client.own!.id, name: client.own!.fields.name, tick: client.tick, entered, left };
  });
  expect(new Set(before.map(({ own }) => own)).size).toBe(CLIENTS);

  await first.stop();
  expect(first.output).toMatch(/saved after tick \d+\n$/);
  const savedTick = Number(/saved after tick (\d+)/.exec(first.output)?.[1]);
  expect(await readdir(folder)).toEqual(['snapshot']);
  const mirrors = players.map(({ client }) => new Map(client.entities));
  const counts = players.map(({ entered, left }) => ({ entered, left }));
  const second = new ExampleProcess('05-restart', '--port', port, '--file', file);
  const goesOn = await second.printed(/continues after tick (\d+) with (\d+) players/);
  expect(goesOn.slice(1).map(Number)).toEqual([savedTick, CLIENTS]);
  await until(
    () => players.every(({ client }) => client.tick > savedTick + 5),
    () => `all back: ${players.filter(({ client }) => client.tick > savedTick + 5).length}`,
  );

  let kept = 0;
  for (const [i, { client, resyncs, entered, left }] of players.entries()) {
    expect(client.welcome?.resumed).toBe(true);
    // The only resync was the initial one.
    expect(resyncs).toBe(1);
    expect([client.own?.id, client.own?.fields.name]).toEqual([before[i]!.own, before[i]!.name]);
    expect(client.inputTaken).toBe(1);
    // An entity that is still there is the same object; entered and left entities were reported.
    const mirror = mirrors[i]!;
    const came = [...client.entities].filter(([id, entity]) => mirror.get(id) !== entity).length;
    const went = mirror.size - (client.entities.size - came);
    expect(entered - counts[i]!.entered - came).toBe(left - counts[i]!.left - went);
    kept += client.entities.size - came;
  }
  expect(kept).toBeGreaterThan(CLIENTS);
  // The process that loads a snapshot deletes it.
  expect(await readdir(folder)).toEqual([]);
  await second.stop();
});
