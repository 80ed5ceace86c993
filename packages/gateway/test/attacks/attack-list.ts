/**
 * What hostile programs do to a port: each attack is a function that goes on until it is told to stop, from the loopback to the
 * loopback and nowhere else.
 *
 * They are written on bare sockets, so that one process attacks with all it has. How many sockets one holds, and how many it
 * opens a second, is bounded: the other end is to be tested, not the machine.
 */
import { connect, type Socket } from 'node:net';

export interface Target {
  /** Of 127.0.0.1. */
  readonly port: number;
  /** Of the loopback, where the attack comes from. */
  readonly address: string;
  readonly signal: AbortSignal;
}

/** What was done, by name. */
export type Tally = Record<string, number>;

interface AttackShape {
  /** Sockets at once. */
  readonly sockets: number;
  /** New ones in 10 ms. */
  readonly opens: number;
  /** Begins one; what it answers is called whenever the socket takes more, until it answers false. */
  readonly begin: (socket: Socket, tally: Tally) => undefined | (() => boolean);
}

const UPGRADE = Buffer.from(
  'GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n' +
    'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
);
const REQUESTS = Buffer.from('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(1500));

/** One WebSocket frame of a client, masked with zeros. */
function frameOf(opcode: number, payload: readonly number[], isLast = true): Buffer {
  return Buffer.from([opcode | (isLast ? 0x80 : 0), 0x80 | payload.length, 0, 0, 0, 0, ...payload]);
}

function many(frame: Buffer, bytes = 60_000): Buffer {
  return Buffer.concat(Array.from({ length: Math.ceil(bytes / frame.length) }, () => frame));
}

/** Hello with a credential, after the upgrade. */
function helloOf(credential: string): Buffer {
  const text = [...Buffer.from(credential)];
  return frameOf(2, [1, 2, 0, 0, text.length, ...text]);
}

let joined = 0;
const INPUTS = many(frameOf(2, [2, 1, 7, 7]));
const PINGS = many(frameOf(9, []));
const PARTS = many(frameOf(0, [], false));
const NONSENSE = many(frameOf(2, [9, 9]));

/** Writes as much as the socket takes, and more as soon as it takes more. */
function pouring(socket: Socket, bytes: Buffer, tally: Tally, name: string): () => boolean {
  return () => {
    tally[name] = (tally[name] ?? 0) + bytes.length;
    return socket.write(bytes);
  };
}

export const ATTACKS: Readonly<Record<string, AttackShape>> = {
  /** Plain requests by the thousand in one connection. */
  pipelines: {
    sockets: 4,
    opens: 4,
    begin: (socket, tally) => pouring(socket, REQUESTS, tally, 'bytes'),
  },
  /** Sockets that say nothing, or half of a request. */
  'half-open': {
    sockets: 6000,
    opens: 20,
    begin: (socket, tally) => {
      if ((tally.opened ?? 0) % 2 === 0) socket.write('GET / HTTP/1.1\r\nHos');
      return undefined;
    },
  },
  /** Sockets that come and go. */
  connections: {
    sockets: 200,
    opens: 30,
    begin: (socket) => {
      socket.destroy();
      return undefined;
    },
  },
  /** WebSockets that never say hello. */
  strangers: {
    sockets: 4000,
    opens: 20,
    begin: (socket) => {
      socket.write(UPGRADE);
      return undefined;
    },
  },
  /** Clients that are let in, acknowledge nothing, and come again as others. */
  hellos: {
    sockets: 4000,
    opens: 20,
    begin: (socket) => {
      socket.write(UPGRADE);
      socket.write(helloOf(`bot ${joined++}`));
      return undefined;
    },
  },
  /** Clients whom the game never answers. */
  'never-settling': {
    sockets: 4000,
    opens: 20,
    begin: (socket) => {
      socket.write(UPGRADE);
      socket.write(helloOf('never'));
      return undefined;
    },
  },
  /** Four clients that send inputs as fast as they can, and come back when they are thrown out. */
  inputs: {
    sockets: 4,
    opens: 1,
    begin: (socket, tally) => {
      socket.write(UPGRADE);
      socket.write(helloOf(`flood ${(tally.opened ?? 0) % 4}`));
      return pouring(socket, INPUTS, tally, 'bytes');
    },
  },
  /** The same with WebSocket's own pings. */
  pings: {
    sockets: 4,
    opens: 1,
    begin: (socket, tally) => {
      socket.write(UPGRADE);
      socket.write(helloOf(`flood ${(tally.opened ?? 0) % 4}`));
      return pouring(socket, PINGS, tally, 'bytes');
    },
  },
  /** A message that goes on and on, in parts without content. */
  continuations: {
    sockets: 4,
    opens: 4,
    begin: (socket, tally) => {
      socket.write(UPGRADE);
      socket.write(frameOf(2, [], false));
      return pouring(socket, PARTS, tally, 'bytes');
    },
  },
  /** What is closed for abuse, and goes on sending. */
  'after-close': {
    sockets: 4,
    opens: 4,
    begin: (socket, tally) => {
      socket.write(UPGRADE);
      return pouring(socket, NONSENSE, tally, 'bytes');
    },
  },
};

/** Resolves once it has been told to stop and all its sockets are gone. */
export async function attack(name: string, target: Target): Promise<Tally> {
  const shape = ATTACKS[name];
  if (shape === undefined) throw new Error(`no attack '${name}'; expected one of ${Object.keys(ATTACKS)}`);
  const sockets = new Set<Socket>();
  const tally: Tally = { opened: 0, ended: 0 };
  const open = (): void => {
    const { port, address } = target;
    const socket = connect({ port, host: '127.0.0.1', localAddress: address });
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('data', () => {});
    socket.on('close', () => {
      sockets.delete(socket);
      tally.ended!++;
    });
    socket.once('connect', () => {
      tally.opened!++;
      const more = shape.begin(socket, tally);
      if (more === undefined) return;
      const pour = (): void => {
        while (!socket.destroyed && more());
      };
      socket.on('drain', pour);
      pour();
    });
  };
  while (!target.signal.aborted) {
    for (let i = 0; i < shape.opens && sockets.size < shape.sockets; i++) open();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  for (const socket of sockets) socket.destroy();
  return tally;
}
