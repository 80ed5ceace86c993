/** Clients on an HTTP server of the user's: the gateway takes what is its own, and leaves everything else as it was. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { WebSocketTransport, type WebSocketTransportOptions } from '../src/index.ts';
import { atEnd, closeCode, countOf, player, served, statusOf, until } from './socket-stage.ts';

async function listening(listener: RequestListener = (_, response) => response.end('mine')): Promise<Server> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(() => {
    server.close();
    server.closeAllConnections();
  });
  return server;
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

async function servedOn(server: Server, options: Partial<WebSocketTransportOptions> = {}) {
  const transport = new WebSocketTransport({ server, path: '/play', ...options });
  const stage = await served({}, {});
  await stage.gateway.listen(transport);
  const url = server.listening ? `ws://127.0.0.1:${portOf(server)}/play` : '';
  return { ...stage, transport, url };
}

describe('a gateway on a server of the user', () => {
  it('has its clients, and the server its requests', async () => {
    const server = await listening();
    const { url, transport } = await servedOn(server);
    const clients = [player(url, '1'), player(url, '2')];
    await until(() => clients.every(({ entities }) => entities.size === 2));
    expect(await statusOf(portOf(server), '/healthz')).toEqual({ status: 200, body: 'mine' });
    expect(transport.port).toBe(portOf(server));
  });

  it('may be there before the server listens', async () => {
    const server = createServer();
    const { transport } = await servedOn(server);
    expect(transport.port).toBe(0);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    atEnd(() => server.close());
    const client = player(`ws://127.0.0.1:${portOf(server)}/play`, '1');
    await until(() => client.own !== undefined);
  });

  it('leaves other upgrades to others', async () => {
    const server = await listening();
    const chat = new WebSocketServer({ noServer: true });
    server.on('upgrade', (request, socket, head) => {
      if (request.url === '/chat') chat.handleUpgrade(request, socket, head, (line) => line.send('hello'));
    });
    const { url, gateway } = await servedOn(server);
    const line = new WebSocket(url.replace('/play', '/chat'));
    atEnd(() => line.terminate());
    const said = await new Promise((resolve) => line.once('message', (data) => resolve(String(data))));
    expect(said).toBe('hello');
    const client = player(url, '1');
    await until(() => client.own !== undefined);
    expect(await countOf(gateway, 'connections')).toBe(1);
  });

  it('refuses those that nobody else would take', async () => {
    const server = await listening();
    const { url, gateway } = await servedOn(server);
    expect(await closeCode(new WebSocket(url.replace('/play', '/chat')))).toBe(1006);
    expect(await countOf(gateway, 'closes_total{why="refused path"}')).toBe(1);
  });

  it('shares it with the gateway of another world, and one of them refuses what neither has', async () => {
    const server = await listening();
    const cave = await servedOn(server, { path: '/cave' });
    const town = await servedOn(server, { path: '/town' });
    const base = `ws://127.0.0.1:${portOf(server)}`;
    const clients = [player(`${base}/cave`, '1'), player(`${base}/town`, '2')];
    await until(() => clients.every(({ own }) => own !== undefined));
    expect(clients.map(({ own }) => own?.x)).toEqual([1, 2]);
    expect(await closeCode(new WebSocket(`${base}/moon`))).toBe(1006);
    expect(await countOf(cave.gateway, 'closes_total{why="refused path"}')).toBe(1);
    expect(await countOf(town.gateway, 'closes_total{why="refused path"}')).toBe(0);
    await cave.gateway.drain();
    expect(await closeCode(new WebSocket(`${base}/cave`))).toBe(1006);
    expect(await countOf(town.gateway, 'closes_total{why="refused path"}')).toBe(1);
  });

  it('is told when another gateway has its path on the server', async () => {
    const server = await listening();
    const { gateway, transport, url } = await servedOn(server);
    const other = await served();
    const late = new WebSocketTransport({ server, path: '/play' });
    await expect(other.gateway.listen(late)).rejects.toThrow(
      "another transport on the same server has path '/play'; expected a path of its own for each",
    );
    await expect(other.gateway.listen(transport)).rejects.toThrow('the transport is started');
    const client = player(url, '1');
    await until(() => client.own !== undefined);
    await gateway.drain();
    await other.gateway.listen(late);
    const next = player(url, '2');
    await until(() => next.own !== undefined);
  });

  it('goes, and the server stays', async () => {
    const server = await listening();
    const { url, gateway } = await servedOn(server);
    const client = player(url, '1');
    await until(() => client.own !== undefined);
    await gateway.drain();
    expect((await statusOf(portOf(server), '/')).body).toBe('mine');
    expect(server.listenerCount('upgrade')).toBe(0);
    expect(client.state).not.toBe('open');
  });

  it('counts new sockets of an address', async () => {
    const server = await listening();
    const { url, gateway } = await servedOn(server, { limits: { socketsPerSecond: 1 } });
    const sockets = Array.from({ length: 30 }, () => new WebSocket(url));
    let [opened, refused] = [0, 0];
    for (const socket of sockets) {
      atEnd(() => socket.terminate());
      socket.on('open', () => opened++).on('error', () => refused++);
    }
    await until(() => opened + refused === 30);
    expect(opened).toBeGreaterThanOrEqual(6);
    expect(refused).toBeGreaterThan(0);
    expect(await countOf(gateway, 'connections')).toBe(opened);
  });

  it.each<[string, object]>([
    ['port', { port: 0 }],
    ['host', { host: '127.0.0.1' }],
    ['answer', { answer: () => {} }],
  ])('is not told the %s: that is of the server', (name, options) => {
    const server = createServer();
    expect(() => new WebSocketTransport({ server, ...options })).toThrow(`${name} and server are given`);
  });
});

it('the guide has a server that does so', async () => {
  const guide = readFileSync(new URL('../../../docs/gateway.md', import.meta.url), 'utf8');
  const [, code = ''] = /```ts\n(import \{ createServer \}.+?)```/s.exec(guide) ?? [];
  const free = code
    .replace('adminPort: 7701', 'adminPort: 0')
    .replace('listen(7700)', "listen(0, '127.0.0.1')");
  const program = `${free}\nserver.on('listening', () => console.log(server.address().port));`;
  const words = ['--conditions=umwelt:source', '--input-type=module', '--eval', program];
  const child = spawn(process.execPath, words, {
    stdio: ['ignore', 'pipe', 'inherit'],
    cwd: import.meta.dirname,
  });
  atEnd(() => child.kill('SIGKILL'));
  let output = '';
  child.stdout.on('data', (data) => {
    output += data;
  });
  await until(() => output.includes('\n'));
  const port = Number(output);
  expect((await statusOf(port, '/')).body).toBe('the page of the game');
  const client = player(`ws://127.0.0.1:${port}/play`, '');
  await until(() => client.own !== undefined);
});
