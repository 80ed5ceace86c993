/**
 * The real thing: WebSocket clients on the loopback, and what else knocks at a port.
 */
import { spawn } from 'node:child_process';
import { type AddressInfo, connect, createServer } from 'node:net';
import { UmweltClient } from '@umwelt/client';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { WebSocketTransport } from '../src/index.ts';
import { atEnd, closeCode, countOf, player, served, statusOf, until } from './socket-stage.ts';

describe('clients by WebSocket', () => {
  it('see each other, and each other go', async () => {
    const { gateway, url } = await served();
    const clients = Array.from({ length: 20 }, (_, i) => player(url, String(i)));
    await until(() => clients.every(({ entities }) => entities.size === 20));
    const own = clients[3]!.own!;
    expect(own.x).toBe(3);
    gateway.set(own.id, { name: 'Ümläut' });
    await until(() => clients.every(({ entities }) => entities.get(own.id)?.fields.name === 'Ümläut'));
    [...gateway.sessions].find(({ own: id }) => id === own.id)?.release();
    await until(() => clients[3]!.state === 'closed' && clients[4]!.entities.size === 19);
  });

  it('come back where their connection breaks, as who they were', async () => {
    const { gateway, world, url } = await served();
    const client = player(url, '7');
    await until(() => client.own !== undefined);
    const before = client.own?.id;
    let opened = 0;
    client.on('state', (state) => {
      if (state === 'open') opened++;
    });
    for (let round = 1; round <= 5; round++) {
      const [session] = gateway.sessions;
      session?.peer?.close('goingAway');
      await until(() => opened === round);
    }
    expect(client.own?.id).toBe(before);
    expect(world.size).toBe(1);
    expect(await countOf(gateway, 'joins_total{how="resumed"}')).toBe(5);
  });

  it('are sent away by a drain, after which the port is free', async () => {
    const { gateway, transport, url } = await served();
    const client = player(url, '1');
    await until(() => client.own !== undefined);
    await gateway.drain();
    await until(() => client.state === 'waiting' || client.state === 'connecting');
    expect(transport.port).toBe(0);
  });
});

describe('a client that is killed', () => {
  /** Of the newest connection. */
  let newest: WebSocket | undefined;

  function breakable(url: string, credential: string): UmweltClient {
    const client = new UmweltClient({
      url,
      credential: () => credential,
      retryFirstMs: 1,
      openSocket: (address, events) => {
        const socket = new WebSocket(address, { perMessageDeflate: false });
        newest = socket;
        socket.on('open', () => events.opened());
        socket.on('message', (data) => events.received(data as Buffer));
        socket.on('error', () => {});
        socket.on('close', (code) => events.closed(code, ''));
        return { send: (bytes) => socket.send(bytes), close: (code) => socket.close(code) };
      },
    });
    atEnd(() => client.close());
    client.connect();
    return client;
  }

  it('and comes back, a hundred times, has an equal mirror in the end', async () => {
    const { world, gateway, url } = await served();
    const crowd = world.addMany({ x: new Float32Array(200), y: new Float32Array(200) });
    let moves = 0;
    const mover = setInterval(() => {
      moves++;
      for (const [i, id] of crowd.entries()) {
        // A quarter of them at a time, in and out of its sight.
        if ((i + moves) % 4 === 0) world.move(id, (i * 7 + moves * 13) % 150, (i + moves) % 90);
        if (i === moves % 200) gateway.set(id, { name: `after ${moves}` });
      }
    }, 7);
    atEnd(() => clearInterval(mover));
    let client = breakable(url, '7');
    for (let round = 0; round < 100; round++) {
      const { tick } = client;
      await until(() => client.state === 'open' && client.tick > tick);
      if (round % 10 === 9) {
        // Its process is gone: one that knows nothing takes its place.
        newest?.terminate();
        client.close();
        client = breakable(url, '7');
      } else newest?.terminate();
    }
    clearInterval(mover);
    await until(() => client.state === 'open' && client.own !== undefined);
    const { tickCount } = world;
    await until(() => client.tick > tickCount + 1);
    const expected = [client.own!.id, ...world.visibleTo(client.own!.id)].map((id) => {
      const [x, y] = world.position(id);
      return `${id} ${x} ${y} ${gateway.get(id, 'name')}`;
    });
    const had = [...client.entities.values()].map(({ id, x, y, fields }) => `${id} ${x} ${y} ${fields.name}`);
    expect(had.length).toBeGreaterThan(10);
    expect(had.sort()).toEqual(expected.sort());
    expect(await countOf(gateway, 'joins_total{how="resumed"}')).toBeGreaterThanOrEqual(80);
  });
});

/** A server as the guide has it, in a process of its own: says its port, and ends when it is told to. */
const SERVER = `
  import { Gateway, WebSocketTransport } from '@umwelt/gateway';
  import { World } from 'umwelt';
  const world = new World();
  const gateway = new Gateway(world, {
    tickMs: 20,
    appearance: { positionStep: 1 },
    authenticate: () => ({ watcher: world.add({ x: 0, y: 0, range: 1 }) }),
    onLeave: ({ watcher }) => world.remove(watcher),
  });
  const transport = new WebSocketTransport({ port: 0, host: '127.0.0.1' });
  await gateway.listen(transport);
  const ticking = setInterval(() => gateway.publish(world.tick()), 20);
  process.once('SIGTERM', async () => {
    await gateway.drain();
    clearInterval(ticking);
    console.log(world.size + ' are left');
  });
  console.log(transport.port);
`;

it('a process that is told to end sends its clients to another and ends by itself', async () => {
  const words = ['--conditions=umwelt:source', '--input-type=module', '--eval', SERVER];
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  atEnd(() => child.kill('SIGKILL'));
  let output = '';
  child.stdout.on('data', (data) => {
    output += data;
  });
  await until(() => output.includes('\n'));
  const client = player(`ws://127.0.0.1:${output.trim()}/`, '1');
  await until(() => client.own !== undefined);
  const codes: (number | undefined)[] = [];
  client.on('state', (state, code) => state === 'waiting' && codes.push(code));
  const over = new Promise<number | null>((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  expect(await over).toBe(0);
  await until(() => codes.length > 0);
  expect(codes[0]).toBe(1001);
  expect(output).toContain('0 are left');
});

describe('what else knocks', () => {
  it('is turned away: a page of another site', async () => {
    const { gateway, url } = await served();
    const code = await closeCode(new WebSocket(url, { origin: 'https://evil.example' }));
    expect(code).toBe(1006);
    expect(await countOf(gateway, 'closes_total{why="refused origin"}')).toBe(1);
  });

  it('is let in: a page of a site that is listed, and the own site', async () => {
    const { url } = await served({}, { origins: ['https://play.example'] });
    for (const origin of ['https://play.example', url.replace('ws:', 'http:').slice(0, -1)]) {
      const socket = new WebSocket(url, { origin });
      await new Promise((resolve, reject) => socket.on('open', resolve).on('error', reject));
      socket.terminate();
    }
  });

  it('is closed: a message that is too long, or text, or no WebSocket frame', async () => {
    const { gateway, url, transport } = await served();
    const long = new WebSocket(url, { perMessageDeflate: false });
    long.on('open', () => long.send(new Uint8Array(100_000)));
    expect(await closeCode(long)).toBe(1009);
    const text = new WebSocket(url);
    text.on('open', () => text.send('hello'));
    expect(await closeCode(text)).toBe(4000);
    const raw = connect(transport.port, '127.0.0.1');
    raw.on('error', () => {});
    raw.write(
      `GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n${'\u007f'.repeat(64)}`,
    );
    await new Promise((resolve) => raw.on('close', resolve).resume());
    expect(await countOf(gateway, 'closes_total{why="tooBig"}')).toBe(1);
    await until(async () => (await countOf(gateway, 'connections')) === 0);
    expect(await countOf(gateway, 'closes_total{why="malformed"}')).toBe(2);
  });

  it('is closed: a connection that never says who it is', async () => {
    const { gateway, url } = await served({ limits: { authenticateMs: 100 } });
    const codes = await Promise.all(Array.from({ length: 50 }, () => closeCode(new WebSocket(url))));
    expect(new Set(codes)).toEqual(new Set([4002]));
    expect(await countOf(gateway, 'closes_total{why="tooLate"}')).toBe(50);
  });

  it('does not keep others from being served: random bytes, resets, half a handshake', async () => {
    const { transport, url } = await served();
    const client = player(url, '1');
    await until(() => client.own !== undefined);
    const half = connect(transport.port, '127.0.0.1');
    half.write('GET / HTTP/1.1\r\nHost: x\r\nUpg');
    atEnd(() => half.destroy());
    for (let i = 0; i < 50; i++) {
      const socket = connect(transport.port, '127.0.0.1');
      socket.on('error', () => {});
      socket.write(Uint8Array.from({ length: 200 }, (_, j) => (i * 37 + j * j) & 255));
      if (i % 2 === 0) socket.resetAndDestroy();
    }
    const { tick } = client;
    await until(() => client.tick > tick + 5);
    expect(client.state).toBe('open');
  });
});

describe('a client that stops reading', () => {
  it('is closed in time, and others miss nothing', async () => {
    const limits = { behindMs: 300, bufferedBytesMax: 20_000, bytesPerSecond: 1e9, frameBytesMax: 500_000 };
    const { world, gateway, url } = await served({ limits });
    const crowd = world.addMany({ x: new Float32Array(4000), y: new Float32Array(4000) });
    const client = player(url, '1');
    await until(() => client.entities.size === 4001);
    const stalled = new WebSocket(url);
    const hello = Uint8Array.of(1, 2, 0, 0, 1, 50);
    stalled.on('error', () => {});
    stalled.on('open', () => {
      stalled.send(hello);
      stalled.pause();
    });
    atEnd(() => stalled.terminate());
    let moves = 0;
    const mover = setInterval(() => {
      moves++;
      for (const id of crowd) world.move(id, moves % 50, (moves * 3) % 50);
    }, 20);
    atEnd(() => clearInterval(mover));
    await until(async () => (await countOf(gateway, 'closes_total{why="tooSlow"}')) === 1);
    clearInterval(mover);
    const { tick } = client;
    await until(() => client.tick > tick + 2);
    expect(client.state).toBe('open');
    expect(client.entities.get(crowd[0]!)).toMatchObject({ x: moves % 50, y: (moves * 3) % 50 });
  });
});

describe('how a gateway says it is', () => {
  it.each(['play', '/play?room=1', '/play#1'])('refuses the path %s, which no request has', (path) => {
    expect(() => new WebSocketTransport({ port: 0, path })).toThrow(
      `path is '${path}'; expected a path such as '/play'`,
    );
  });

  it('leaves other paths to the game, and what is its own not', async () => {
    const { transport } = await served(
      {},
      { answer: (request, response) => response.end(`page ${request.url}`) },
    );
    expect(await statusOf(transport.port, '/?x')).toEqual({ status: 200, body: 'page /?x' });
    expect((await statusOf(transport.port, '/healthz')).body).toBe('page /healthz');
    expect((await statusOf(transport.port, '/', 'POST')).status).toBe(405);
  });

  it('is not told on the port of the clients, unless the operator says so', async () => {
    const { transport } = await served();
    for (const path of ['/healthz', '/readyz', '/metrics']) {
      expect((await statusOf(transport.port, path)).status).toBe(404);
    }
    expect(transport.adminPort).toBe(0);
  });

  it('is told on the port of the clients where the operator says so, before any page, without metrics', async () => {
    const { transport } = await served(
      {},
      { publicHealth: true, adminPort: 0, answer: (_request, response) => response.writeHead(404).end() },
    );
    expect(await statusOf(transport.port, '/healthz')).toEqual({ status: 200, body: 'ok\n' });
    expect(await statusOf(transport.port, '/readyz')).toEqual({ status: 200, body: 'ready\n' });
    expect((await statusOf(transport.port, '/metrics')).status).toBe(404);
    expect((await statusOf(transport.port, '/healthz', 'POST')).status).toBe(405);
    expect(await statusOf(transport.adminPort, '/readyz')).toEqual({ status: 200, body: 'ready\n' });
  });

  it('is not ready while it drains with notice, though it serves on', async () => {
    const { gateway, transport } = await served({}, { adminPort: 0 });
    const drained = gateway.drain({ noticeMs: 4000 });
    const not = { status: 503, body: 'not ready\n' };
    expect(await statusOf(transport.adminPort, '/readyz')).toEqual(not);
    expect((await statusOf(transport.adminPort, '/healthz')).status).toBe(200);
    const { adminPort } = transport;
    await drained;
    await expect(statusOf(adminPort, '/healthz')).rejects.toThrow();
  });

  it("is asked on the operator's port, with metrics, and on no other", async () => {
    const { gateway, transport } = await served({}, { adminPort: 0 });
    for (const path of ['/healthz', '/readyz', '/metrics']) {
      expect((await statusOf(transport.port, path)).status).toBe(404);
    }
    expect(await statusOf(transport.adminPort, '/healthz')).toEqual({ status: 200, body: 'ok\n' });
    expect((await statusOf(transport.adminPort, '/readyz', 'POST')).status).toBe(405);
    const metrics = await statusOf(transport.adminPort, '/metrics');
    expect(metrics.status).toBe(200);
    expect(metrics.body).toContain('umwelt_gateway_clients 0');
    expect((await statusOf(transport.adminPort, '/readyz')).status).toBe(200);
    expect(gateway.status()).toMatchObject({ ready: true, clients: 0 });
  });

  it('rejects where the port is taken, and refuses one that is none', async () => {
    const { gateway, transport } = await served();
    const again = new WebSocketTransport({ port: transport.port, host: '127.0.0.1' });
    await expect(gateway.listen(again)).rejects.toMatchObject({ code: 'EADDRINUSE' });
    expect(() => new WebSocketTransport({ port: 70_000 })).toThrow(/port is 70000/);
    await expect(gateway.listen({ port: 7700 } as never)).rejects.toThrow(
      /transport is an object; expected a Transport/,
    );
  });

  it.each(['port', 'adminPort'] as const)(
    'serves once a %s that was taken is free, when asked again',
    async (name) => {
      const { gateway } = await served();
      const taken = createServer();
      await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
      const { port } = taken.address() as AddressInfo;
      const transport = new WebSocketTransport({ port: 0, adminPort: 0, host: '127.0.0.1', [name]: port });
      await expect(gateway.listen(transport)).rejects.toMatchObject({ code: 'EADDRINUSE' });
      await new Promise((resolve) => taken.close(resolve));
      await gateway.listen(transport);
      await expect(gateway.listen(transport)).rejects.toMatchObject({ code: 'BAD_OPTION' });
      const client = player(`ws://127.0.0.1:${transport.port}/`, '1');
      await until(() => client.own !== undefined);
      expect((await statusOf(transport.adminPort, '/readyz')).status).toBe(200);
    },
  );

  it('is not left open by a drain that comes while it is being opened, and not opened after it', async () => {
    const { gateway } = await served();
    const transport = new WebSocketTransport({ port: 0, host: '127.0.0.1' });
    const opened = gateway.listen(transport);
    await gateway.drain();
    await opened;
    expect(transport.port).toBe(0);
    await expect(gateway.listen(transport)).rejects.toMatchObject({ code: 'DISPOSED' });
  });
});
