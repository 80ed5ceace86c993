/**
 * Protects an HTTP server against sockets that have sent no request yet, or only a part of one.
 *
 * The door reads a socket until its first request is complete, and passes only that request to the server:
 * Node would answer a thousand requests of one packet before doing anything else. A slow socket is destroyed.
 * If there are too many sockets, the oldest socket of the address that holds most is destroyed. New sockets
 * are rate-limited by address. None of this needs a parser, so an incomplete request is cheap.
 *
 * Runtimes other than Node accept connections elsewhere: there the server has only its own time-outs.
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { AddressRates } from '../bounds/address-rates.ts';
import { Places } from '../bounds/places.ts';
import { TIMER_MS_MAX } from '../bounds/timer.ts';
import { DOOR_SAVED_SECONDS, type DoorLimits } from './door-limits.ts';

/** The same limit as Node's. */
const HEAD_BYTES_MAX = 16_384;
/** A genuine request does not arrive in more pieces; a client that sends one byte at a time does. */
const HEAD_PIECES_MAX = 64;
const END_OF_HEAD = '\r\n\r\n';
/** Time to send an answer; then the socket is destroyed. */
const ANSWER_MS = 60_000;
const NOTHING: Buffer = Buffer.alloc(0);

export class Door {
  readonly #limits: DoorLimits;
  readonly #sockets: AddressRates;
  readonly #requests: AddressRates;
  readonly #halfOpen = new Places<Socket>();
  readonly #deadlines = new Map<Socket, NodeJS.Timeout>();
  /** Bytes that arrived after a request. */
  readonly #rests = new WeakMap<object, Buffer>();

  constructor(limits: DoorLimits) {
    this.#limits = limits;
    this.#sockets = new AddressRates(limits.socketsPerSecond, DOOR_SAVED_SECONDS);
    this.#requests = new AddressRates(limits.requestsPerSecond, DOOR_SAVED_SECONDS);
  }

  /** Sockets that are not clients yet. */
  get size(): number {
    return this.#halfOpen.size;
  }

  /** Makes the connections of the server pass through this door. */
  guard(server: Server): void {
    const listeners = server.listeners('connection') as ((this: Server, socket: Socket) => void)[];
    if (listeners.length === 0) return;
    server.removeAllListeners('connection');
    server.on('connection', (socket) =>
      this.#knock(socket, () => {
        for (const listener of listeners) listener.call(server, socket);
      }),
    );
  }

  /** Whether one more socket of that address is allowed. */
  maySocket(address: string): boolean {
    return this.#sockets.take(address, performance.now());
  }

  /** Whether a plain request of that address is answered. */
  mayRequest(address: string): boolean {
    return this.#requests.take(address, performance.now());
  }

  /** Bytes that arrived after the request of an upgraded socket. */
  restOf(socket: object): Buffer {
    return this.#rests.get(socket) ?? NOTHING;
  }

  /** The socket is a client's now: the door's limits no longer apply. */
  release(socket: object): void {
    this.#halfOpen.delete(socket as Socket);
    clearTimeout(this.#deadlines.get(socket as Socket));
    this.#deadlines.delete(socket as Socket);
  }

  /** The request is being answered: sets the deadline of the answer. */
  answering(socket: Socket): void {
    socket.pause();
    if (this.#deadlines.has(socket)) this.#setDeadline(socket, ANSWER_MS);
  }

  /** Destroys every socket that is not a client's. */
  close(): void {
    for (const socket of [...this.#halfOpen]) socket.destroy();
  }

  #knock(socket: Socket, enter: () => void): void {
    // Without a listener, a reset would end the process.
    socket.on('error', () => socket.destroy());
    const address = socket.remoteAddress ?? '';
    if (!this.maySocket(address)) {
      socket.destroy();
      return;
    }
    this.#halfOpen.add(socket, address);
    this.#setDeadline(socket, this.#limits.halfOpenMs);
    socket.once('close', () => this.release(socket));
    if (this.#halfOpen.size > this.#limits.halfOpenMax) this.#cutOne();
    if (!socket.destroyed) this.#readHead(socket, enter);
  }

  #cutOne(): void {
    const { first } = this.#halfOpen;
    if (first === undefined) return;
    // Release it now: its close event comes later, and other sockets may arrive before it.
    this.release(first);
    first.destroy();
  }

  #setDeadline(socket: Socket, ms: number): void {
    clearTimeout(this.#deadlines.get(socket));
    const deadline = setTimeout(() => socket.destroy(), Math.min(ms, TIMER_MS_MAX));
    deadline.unref();
    this.#deadlines.set(socket, deadline);
  }

  #readHead(socket: Socket, enter: () => void): void {
    let head = NOTHING;
    let pieces = 0;
    const end = (): void => {
      socket.destroy();
    };
    const take = (chunk: Buffer): void => {
      const from = Math.max(0, head.length - END_OF_HEAD.length + 1);
      head = head.length === 0 ? chunk : Buffer.concat([head, chunk]);
      pieces++;
      const at = head.indexOf(END_OF_HEAD, from);
      if (at < 0 && head.length < HEAD_BYTES_MAX && pieces < HEAD_PIECES_MAX) return;
      socket.off('data', take).off('end', end);
      if (at < 0 || at > HEAD_BYTES_MAX) {
        socket.destroy();
        return;
      }
      const length = at + END_OF_HEAD.length;
      this.#rests.set(socket, head.subarray(length));
      socket.pause();
      socket.unshift(head.subarray(0, length));
      enter();
      socket.resume();
    };
    socket.on('data', take).once('end', end);
  }
}
