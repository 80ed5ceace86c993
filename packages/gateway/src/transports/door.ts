/**
 * What stands before an HTTP server that anyone can reach: sockets that have not said anything yet, or not enough.
 *
 * A socket is read until its first request is whole, and that request alone goes to the server: Node would answer a thousand
 * of one packet before it did anything else. Whoever is slow is cut, and so is the oldest of the address that holds most
 * when there are too many; new sockets have a rate by address. None of this costs a parser, so half a request is cheap.
 *
 * Other runtimes than Node take connections elsewhere: there nothing stands before the server but its own time-outs.
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { AddressRates } from '../bounds/address-rates.ts';
import { Places } from '../bounds/places.ts';
import { DOOR_SAVED_SECONDS, type DoorLimits } from './door-limits.ts';

/** As long as Node would take. */
const HEAD_BYTES_MAX = 16_384;
/** Nobody's request comes in more pieces but that of one who sends a byte at a time. */
const HEAD_PIECES_MAX = 64;
const END_OF_HEAD = '\r\n\r\n';
/** To send an answer in; then it is cut. */
const ANSWER_MS = 60_000;
const NOTHING: Buffer = Buffer.alloc(0);

export class Door {
  readonly #limits: DoorLimits;
  readonly #sockets: AddressRates;
  readonly #requests: AddressRates;
  readonly #halfOpen = new Places<Socket>();
  readonly #deadlines = new Map<Socket, NodeJS.Timeout>();
  /** What came with a request and after it. */
  readonly #rests = new WeakMap<object, Buffer>();

  constructor(limits: DoorLimits) {
    this.#limits = limits;
    this.#sockets = new AddressRates(limits.socketsPerSecond, DOOR_SAVED_SECONDS);
    this.#requests = new AddressRates(limits.requestsPerSecond, DOOR_SAVED_SECONDS);
  }

  /** Sockets that are no clients yet. */
  get size(): number {
    return this.#halfOpen.size;
  }

  /** From now on, connections of the server come through this door. */
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

  /** Whether a socket of that address may be, too. */
  maySocket(address: string): boolean {
    return this.#sockets.take(address, performance.now());
  }

  /** Whether a plain request of that address is answered. */
  mayRequest(address: string): boolean {
    return this.#requests.take(address, performance.now());
  }

  /** What has come after the request of a socket that was upgraded. */
  restOf(socket: object): Buffer {
    return this.#rests.get(socket) ?? NOTHING;
  }

  /** It is a client's now, and no longer the door's. */
  release(socket: object): void {
    this.#halfOpen.delete(socket as Socket);
    clearTimeout(this.#deadlines.get(socket as Socket));
    this.#deadlines.delete(socket as Socket);
  }

  /** Its request is being answered: it is given the time for that. */
  answering(socket: Socket): void {
    socket.pause();
    if (this.#deadlines.has(socket)) this.#setDeadline(socket, ANSWER_MS);
  }

  /** Cuts what is no client's. */
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
    // Its close is told later, and others may come before.
    this.release(first);
    first.destroy();
  }

  #setDeadline(socket: Socket, ms: number): void {
    clearTimeout(this.#deadlines.get(socket));
    const deadline = setTimeout(() => socket.destroy(), ms);
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
