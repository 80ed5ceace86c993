/** What comes to a port before it is a client, and what it may cost: counted in answers, sockets and bytes, not in time. */
import { connect, type Socket } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { WebSocketTransport, type WebSocketTransportOptions } from '../src/index.ts';
import { atEnd, closeCode, countOf, player, served, statusOf, until } from './socket-stage.ts';

interface Knock {
  readonly socket: Socket;
  heard: string;
  isClosed: boolean;
}

/** A connection of bytes, from an address of this machine. */
function knock(port: number, text = '', localAddress = '127.0.0.1'): Knock {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  const one: Knock = { socket, heard: '', isClosed: false };
  socket.on('error', () => {});
  socket.on('data', (data) => {
    one.heard += data.toString('latin1');
  });
  socket.on('close', () => {
    one.isClosed = true;
  });
  if (text !== '') socket.write(text);
  atEnd(() => socket.destroy());
  return one;
}

function countClosed(knocks: readonly Knock[]): number {
  return knocks.filter(({ isClosed }) => isClosed).length;
}

const REQUEST = 'GET /page HTTP/1.1\r\nHost: x\r\n\r\n';
const UPGRADE =
  'GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n' +
  'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n';
const HELLO = Uint8Array.of(1, 2, 0, 0, 1, 49);

describe('plain requests', () => {
  it.each([
    ['in one packet', REQUEST.repeat(2000)],
    ['that say that they upgrade', REQUEST.replace('\r\n\r\n', '\r\nUpgrade: x\r\n\r\n').repeat(2000)],
  ])('by the thousand, %s: one is answered, and the connection ends', async (_, text) => {
    let asked = 0;
    const { transport } = await served(
      {},
      {
        answer: (_request, response) => {
          asked++;
          setTimeout(() => response.end('page'), 20);
        },
      },
    );
    const one = knock(transport.port, text);
    for (let i = 0; i < 20; i++) one.socket.write(text);
    await until(() => one.isClosed);
    expect(asked).toBe(1);
    expect(one.heard.match(/HTTP\/1.1/g)?.length ?? 0).toBeLessThanOrEqual(1);
  });

  it('are answered with the end of their connection', async () => {
    const { transport } = await served({}, { publicHealth: true });
    const one = knock(transport.port, 'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: keep-alive\r\n\r\n');
    await until(() => one.isClosed);
    expect(one.heard).toContain('200 OK');
    expect(one.heard).toContain('Connection: close');
  });

  it('of one address are so many; others have their own', async () => {
    const { transport } = await served({}, { publicHealth: true, limits: { requestsPerSecond: 1 } });
    const statuses: number[] = [];
    for (let i = 0; i < 40; i++) statuses.push((await statusOf(transport.port, '/healthz')).status);
    expect(statuses.slice(0, 6)).toEqual([200, 200, 200, 200, 200, 200]);
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(0);
    const other = knock(transport.port, REQUEST.replace('/page', '/healthz'), '127.0.0.2');
    await until(() => other.isClosed);
    expect(other.heard).toContain('200 OK');
  });

  it('are counted by the address that a proxy tells', async () => {
    const { transport } = await served(
      {},
      { limits: { requestsPerSecond: 1 }, addressOf: ({ headers }) => String(headers['x-forwarded-for']) },
    );
    const answers: Knock[] = [];
    for (let i = 0; i < 30; i++) {
      answers.push(knock(transport.port, REQUEST.replace('Host', `X-Forwarded-For: 203.0.113.${i}\r\nHost`)));
    }
    await until(() => countClosed(answers) === 30);
    expect(answers.filter(({ heard }) => heard.includes('404 Not Found'))).toHaveLength(30);
  });
});

describe('sockets that are no clients', () => {
  it('keep nobody out, however many there are: the oldest go', async () => {
    const { transport, url } = await served({}, { limits: { halfOpenMax: 20 } });
    const idle: Knock[] = [];
    for (let i = 0; i < 300; i++) idle.push(knock(transport.port, i % 2 === 0 ? '' : 'GET / HTTP/1.1\r\nHo'));
    await until(() => countClosed(idle) >= 280);
    const client = player(url, '1');
    await until(() => client.own !== undefined);
    expect(countClosed(idle)).toBeLessThanOrEqual(281);
  });

  it('go first where one address has most of them', async () => {
    // The honest one's time is not over, however long two hundred knocks take.
    const { transport } = await served({}, { limits: { halfOpenMax: 20, halfOpenMs: 1e6 } });
    const honest = knock(transport.port, '', '127.0.0.9');
    await until(() => !honest.socket.connecting);
    const idle = Array.from({ length: 200 }, () => knock(transport.port, '', '127.0.0.2'));
    await until(() => countClosed(idle) >= 181);
    expect(honest.isClosed).toBe(false);
    honest.socket.write(UPGRADE);
    await until(() => honest.heard.includes('101 Switching'));
  });

  it('have all the time that the operator gives them, also beyond what a timer can wait', async () => {
    const { transport } = await served({}, { publicHealth: true, limits: { halfOpenMs: 2 ** 31 } });
    const slow = knock(transport.port, 'GET /healthz HTTP/1.1\r\n');
    await until(() => !slow.socket.connecting);
    await new Promise((resolve) => setTimeout(resolve, 100));
    slow.socket.write('Host: x\r\n\r\n');
    await until(() => slow.isClosed);
    expect(slow.heard).toContain('200 OK');
  });

  it('are cut when their time is over, those that send a byte now and then, too', async () => {
    const { transport } = await served({}, { limits: { halfOpenMs: 300 } });
    const silent = knock(transport.port);
    const slow = knock(transport.port, 'GET ');
    const drips = setInterval(() => slow.socket.write('/'), 10);
    atEnd(() => clearInterval(drips));
    await until(() => silent.isClosed && slow.isClosed);
    expect(silent.heard + slow.heard).toBe('');
  });

  it('are cut when their request does not end', async () => {
    const { transport } = await served({}, { limits: { halfOpenMs: 1e6 } });
    const long = knock(transport.port, `GET /${'x'.repeat(40_000)}`);
    await until(() => long.isClosed);
  });

  it('come so often from one address, and from others as ever', async () => {
    const { transport } = await served({}, { limits: { socketsPerSecond: 1 } });
    const flood = Array.from({ length: 60 }, () => knock(transport.port, REQUEST));
    await until(() => countClosed(flood) === 60);
    const answered = flood.filter(({ heard }) => heard.includes('HTTP/1.1')).length;
    expect(answered).toBeGreaterThanOrEqual(6);
    expect(answered).toBeLessThan(60);
    const other = knock(transport.port, REQUEST, '127.0.0.2');
    await until(() => other.isClosed);
    expect(other.heard).toContain('HTTP/1.1');
  });
});

describe('a connection', () => {
  /** One that is let in, as bytes. */
  async function joined(url: string): Promise<WebSocket> {
    const socket = new WebSocket(url, { perMessageDeflate: false });
    atEnd(() => socket.terminate());
    socket.on('error', () => {});
    const welcomed = new Promise((resolve) => socket.once('message', resolve));
    await new Promise((resolve) => socket.once('open', resolve));
    socket.send(HELLO);
    await welcomed;
    return socket;
  }

  it('that was closed for what it did is not read from any more', async () => {
    const { gateway, transport } = await served();
    const one = knock(transport.port, UPGRADE);
    await until(() => one.heard.includes('101 Switching'));
    const masked = (payload: Buffer): Buffer =>
      Buffer.concat([
        Buffer.from([0x82, 0xfe, payload.length >> 8, payload.length & 255, 0, 0, 0, 0]),
        payload,
      ]);
    one.socket.write(masked(Buffer.alloc(200, 9)));
    await until(async () => (await countOf(gateway, 'closes_total{why="malformed"}')) === 1);
    const TOTAL = 256;
    const megabyte = Buffer.concat(Array.from({ length: 16 }, () => masked(Buffer.alloc(65_000, 9))));
    for (let i = 0; i < TOTAL; i++) one.socket.write(megabyte);
    await until(() => one.isClosed || one.socket.destroyed);
    // What fits into the buffers of the system goes; before, all of it did.
    expect(one.socket.bytesWritten - one.socket.writableLength).toBeLessThan(megabyte.length * 32);
  });

  it('is told why', async () => {
    const { url } = await served();
    for (const bytes of [Uint8Array.of(9, 9), new Uint8Array(100_000)]) {
      const socket = new WebSocket(url, { perMessageDeflate: false });
      socket.on('open', () => socket.send(bytes));
      expect(await closeCode(socket)).toBe(bytes.length === 2 ? 4000 : 1009);
    }
  });

  it('of a stranger is read no further than a greeting', async () => {
    const { gateway, transport } = await served();
    const one = knock(transport.port, UPGRADE);
    await until(() => one.heard.includes('101 Switching'));
    // Parts of a message that never ends, without content.
    one.socket.write(Buffer.from([0x02, 0x80, 0, 0, 0, 0]));
    const parts = Buffer.alloc(60_000);
    for (let at = 0; at < parts.length; at += 6) parts[at + 1] = 0x80;
    one.socket.write(parts);
    await until(() => one.isClosed);
    expect(await countOf(gateway, 'connections')).toBe(0);
  });

  it('that sends more than is read a second is read later', async () => {
    const limits = { receivedBytesPerSecond: 1000, messagesPerSecond: 1e9, inputsPerSecond: 1e8 };
    const { gateway, url } = await served({ limits });
    const socket = await joined(url);
    const inputs = 200_000;
    for (let i = 0; i < inputs; i++) socket.send(Uint8Array.of(2, 1, ...Array(50).fill(7)));
    const client = player(url, '2');
    await until(() => client.tick > 0);
    const { tick } = client;
    await until(() => client.tick > tick + 20);
    const taken = await countOf(gateway, 'inputs_total');
    expect(taken).toBeGreaterThan(100);
    expect(taken).toBeLessThan(inputs / 4);
    expect(socket.readyState).toBe(WebSocket.OPEN);
  });

  it('that delivers much at once has all of it taken in, whole and in order', async () => {
    const numbers: number[] = [];
    const { url } = await served({
      onInput: (_session, payload, number) => {
        if (payload.length === 200 && payload.every((byte) => byte === (number & 255))) numbers.push(number);
      },
    });
    const socket = await joined(url);
    const expected = Array.from({ length: 900 }, (_, i) => i + 200);
    for (const number of expected) {
      socket.send(Uint8Array.of(2, (number & 127) | 128, number >> 7, ...Array(200).fill(number & 255)));
    }
    await until(() => numbers.length === expected.length);
    expect(numbers).toEqual(expected);
  });

  it('has so many pings answered, and no more', async () => {
    const { url } = await served();
    const socket = await joined(url);
    let pongs = 0;
    socket.on('pong', () => pongs++);
    for (let i = 0; i < 3000; i++) socket.ping();
    await until(() => pongs >= 60);
    const frames: unknown[] = [];
    socket.on('message', (data) => frames.push(data));
    await until(() => frames.length > 10);
    expect(pongs).toBeLessThan(600);
  });

  it('that sends a message in a hundred parts is closed', async () => {
    const { url } = await served();
    const socket = await joined(url);
    const code = closeCode(socket);
    for (let i = 0; i < 100; i++) socket.send(Uint8Array.of(2), { fin: false });
    expect([1002, 1006, 1008]).toContain(await code);
  });
});

describe('a page of another origin', () => {
  async function codeOf(url: string, origin: string): Promise<number | 'open'> {
    const socket = new WebSocket(url, { origin });
    atEnd(() => socket.terminate());
    const opened = new Promise<'open'>((resolve) => socket.once('open', () => resolve('open')));
    return Promise.race([opened, closeCode(socket)]);
  }

  it.each([
    'http://localhost:5173',
    'http://127.0.0.1:5173',
    'https://[::1]:5173',
    'http://game.localhost:1',
  ])('of this machine, %s, is let in while the game is being made, and not in production', async (origin) => {
    const { url } = await served();
    expect(await codeOf(url, origin)).toBe('open');
    vi.stubEnv('NODE_ENV', 'production');
    atEnd(() => vi.unstubAllEnvs());
    expect(await codeOf(url, origin)).toBe(1006);
  });

  it.each(['https://evil.example', 'http://localhost.evil.example', 'http://127.0.0.1.evil.example', 'null'])(
    'elsewhere, %s, is not',
    async (origin) => {
      const { url } = await served();
      expect(await codeOf(url, origin)).toBe(1006);
    },
  );

  it('is told of in one line, with the option that lets it in', async () => {
    const lines: string[] = [];
    const told = vi.spyOn(console, 'warn').mockImplementation((line: string) => lines.push(line));
    atEnd(() => told.mockRestore());
    const { url } = await served({ logger: undefined });
    await codeOf(url, 'https://staging.example');
    expect(lines).toEqual([
      "umwelt gateway: connection refused (why: origin, origin: https://staging.example, hint: list it in 'origins' of WebSocketTransport)",
    ]);
  });
});

describe('a transport', () => {
  it.each<[string, object, RegExp]>([
    [
      'origin for origins',
      { port: 0, origin: 'https://a.example' },
      /'origin' is no option of WebSocketTransport/,
    ],
    [
      'an origin with a path',
      { port: 0, origins: ['https://a.example/'] },
      /expected one such as https:\/\/a.example$/,
    ],
    [
      'an origin without a scheme',
      { port: 0, origins: ['a.example'] },
      /'a.example' among origins is no origin/,
    ],
    ['neither port nor server', {}, /neither port nor server is given/],
    ['a limit that is none', { port: 0, limits: { halfOpen: 3 } }, /'halfOpen' is no option of limits/],
    ['a limit of 0', { port: 0, limits: { halfOpenMs: 0 } }, /limits.halfOpenMs is 0/],
  ])('is not made with %s', (_, options, message) => {
    expect(() => new WebSocketTransport(options as WebSocketTransportOptions)).toThrow(message);
  });
});
