/**
 * The transport for uWebSockets.js in docs/recipes.md carries a game's frames and inputs, keeps other pages out, and closes.
 *
 * uWebSockets.js is not on npm, so a stand-in on `ws` has the part of its app that the transport calls, as its types describe it. As
 * there, a request is valid only during `upgrade`, a message only during `message`, and a socket that is closed throws.
 */
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { Duplex } from 'node:stream';
import { UmweltClient } from '@umwelt/client';
import { World } from 'umwelt';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type RawData, WebSocket, WebSocketServer } from 'ws';
import { Gateway, type Transport } from '../src/index.ts';

const root = path.join(import.meta.dirname, '../../..');

interface Behavior {
  upgrade(response: object, request: object, context: object): void;
  open(socket: Socket): void;
  message(socket: Socket, message: ArrayBuffer, isBinary: boolean): void;
  close(socket: Socket, code: number, message: ArrayBuffer): void;
}

class Socket {
  #isOpen = true;
  readonly #socket: WebSocket;
  readonly #user: unknown;
  readonly #behavior: Behavior;

  constructor(socket: WebSocket, user: unknown, behavior: Behavior) {
    this.#socket = socket;
    this.#user = user;
    this.#behavior = behavior;
    socket.on('close', (code) => this.#closed(code));
    socket.on('message', (data: RawData, isBinary) => {
      if (!this.#isOpen) return;
      const bytes = Uint8Array.from(data as Buffer).buffer;
      behavior.message(this, bytes, isBinary);
      structuredClone(bytes, { transfer: [bytes] });
    });
    behavior.open(this);
  }

  getUserData = (): unknown => this.#user;
  getBufferedAmount = (): number => this.#live().bufferedAmount;
  send = (bytes: Uint8Array, isBinary: boolean): void => this.#live().send(bytes, { binary: isBinary });

  end(code: number, reason: string): void {
    this.#live().close(code, reason);
    this.#closed(code);
  }

  close(): void {
    this.#live().terminate();
    this.#closed(1006);
  }

  #live(): WebSocket {
    if (!this.#isOpen) throw new Error('invalid access of closed uWS.WebSocket');
    return this.#socket;
  }

  #closed(code: number): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#behavior.close(this, code, new ArrayBuffer(0));
  }
}

/** Its app, and the port that it listens on. */
function standIn() {
  const server = createServer();
  const sockets = new WebSocketServer({ noServer: true });
  const ws = (pattern: string, behavior: Behavior) => {
    server.on('upgrade', (incoming: IncomingMessage, raw: Duplex, head: Buffer) => {
      const [url = '', query = ''] = incoming.url!.split('?');
      expect(url).toBe(pattern);
      let isValid = true;
      const during = <T>(value: T): T => {
        if (!isValid) throw new Error('uWS.HttpRequest is valid only during the call');
        return value;
      };
      let status = '200 OK';
      const response = {
        getRemoteAddressAsText: () => new TextEncoder().encode(incoming.socket.remoteAddress).buffer,
        writeStatus(text: string) {
          status = text;
          return response;
        },
        end: () => raw.end(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\n\r\n`),
        upgrade(user: object, key: string) {
          expect(key).toBe(incoming.headers['sec-websocket-key']);
          sockets.handleUpgrade(incoming, raw, head, (socket) => new Socket(socket, user, behavior));
        },
      };
      const request = {
        getUrl: () => during(url),
        getQuery: () => during(query),
        forEach(call: (name: string, value: string) => void) {
          for (const [name, value] of Object.entries(during(incoming.headers))) call(name, String(value));
        },
      };
      behavior.upgrade(response, request, {});
      isValid = false;
    });
  };
  server.listen(0, '127.0.0.1');
  return { app: { ws }, server, port: () => (server.address() as AddressInfo).port };
}

const folder = path.join(root, '.cache', `uws-recipe-${process.pid}`);
let uws: ReturnType<typeof standIn>;
let gateway: Gateway;
let world: World;
let inputs: number[][];

beforeEach(async () => {
  const [, code = ''] = /```ts \[uws-transport\.ts\]\n([\s\S]*?)^```$/m.exec(
    readFileSync(path.join(root, 'docs/recipes.md'), 'utf8'),
  )!;
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, 'uws-transport.ts');
  writeFileSync(file, code);
  const { UwsTransport } = (await import(file)) as {
    UwsTransport: new (app: object, path: string, origins: string[]) => Transport;
  };
  uws = standIn();
  await once(uws.server, 'listening');
  world = new World();
  inputs = [];
  gateway = new Gateway(world, {
    tickMs: 20,
    appearance: { positionStep: 0.01 },
    authenticate: ({ credential, url }) =>
      credential === 'ticket' && url === '/play?room=3'
        ? { watcher: world.add({ x: 0, y: 0, range: 10 }) }
        : undefined,
    onInput: (_, payload) => inputs.push([...payload]),
  });
  await gateway.listen(new UwsTransport(uws.app, '/play', ['https://play.example']));
});

afterEach(async () => {
  await gateway.drain();
  uws.server.close();
  rmSync(folder, { recursive: true, force: true });
});

function clientWith(credential: string): UmweltClient {
  const client = new UmweltClient({
    url: `ws://127.0.0.1:${uws.port()}/play?room=3`,
    credential: () => credential,
  });
  client.connect();
  return client;
}

function step(): void {
  gateway.publish(world.tick());
}

test('frames arrive, inputs arrive, and a client is away after its end', async () => {
  const other = world.add({ x: 5, y: 0 });
  const client = clientWith('ticket');
  await vi.waitFor(() => {
    step();
    expect(client.entities.has(other)).toBe(true);
  });
  client.sendInput(Uint8Array.of(1, 2, 3));
  await vi.waitFor(() => expect(inputs).toEqual([[1, 2, 3]]));
  const [session] = gateway.sessions;
  client.close();
  await vi.waitFor(() => expect(session!.isConnected).toBe(false));
  step();
});

test('a client that is refused, or sends what is no message, is closed with a code', async () => {
  const codes: (number | undefined)[] = [];
  const refused = clientWith('no ticket');
  refused.on('state', (state, code) => state === 'closed' && codes.push(code));
  await vi.waitFor(() => expect(codes).toEqual([4001]));
  const stranger = new WebSocket(`ws://127.0.0.1:${uws.port()}/play?room=3`);
  stranger.on('open', () => stranger.send('a text'));
  stranger.on('close', (code) => codes.push(code));
  await vi.waitFor(() => expect(codes).toEqual([4001, 4000]));
});

test("a page of another site is refused, and everything while the gateway stops; the game's own page is not", async () => {
  const statuses: (number | undefined)[] = [];
  const open = (origin: string) => {
    const socket = new WebSocket(`ws://127.0.0.1:${uws.port()}/play`, { origin });
    socket.on('unexpected-response', (_, { statusCode }) => statuses.push(statusCode));
    socket.on('open', () => {
      statuses.push(101);
      socket.terminate();
    });
  };
  open('https://other.example');
  await vi.waitFor(() => expect(statuses).toEqual([403]));
  open('https://play.example');
  await vi.waitFor(() => expect(statuses).toEqual([403, 101]));
  await gateway.drain();
  open('https://play.example');
  await vi.waitFor(() => expect(statuses).toEqual([403, 101, 503]));
});
