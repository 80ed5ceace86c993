/**
 * The players of an endurance run: real clients on real sockets, whose connections are cut and stalled at random while it storms.
 *
 * A cut is the end of the socket without a word, now and then in the middle of the handshake; a stalled one is not read from for a while,
 * so that the system's buffers fill, then the server's, until the server has had enough.
 */
import { type OpenSocket, UmweltClient } from '@umwelt/client';
import { WebSocket } from 'ws';
import { heldMemory } from './held-memory.ts';
import { type Answer, BETWEEN_CUTS, type CrowdOrder, type Sighting, sightingOf } from './messages.ts';

const STORM_MS = 100;
/** Seconds from one to the next, of a client, on average. */
const BETWEEN_STALLS = 60;
const BETWEEN_INPUTS = 3;
const LONGEST_STALL_MS = 15_000;
/** Of connections, while it storms. */
const CUT_AT_ONCE = 0.05;
/** Connections asked for at once in the beginning. */
const BATCH = 50;

const tally = { frames: 0, cuts: 0, stalls: 0, resumed: 0, begunAnew: 0 };
let isStorming = false;
let sampled: readonly number[] = [];
let sightings: Sighting[] = [];
/** For tests: the player whose mirror is spoilt at each frame. */
let spoilt: number | undefined;

class Player {
  readonly client: UmweltClient;
  /** Whether this connection has brought a frame. */
  isUp = false;
  #socket: WebSocket | undefined;
  #stalled: NodeJS.Timeout | undefined;
  #wasWelcome = false;

  constructor(url: string, number: number) {
    this.client = new UmweltClient({
      url,
      credential: () => `player ${number}`,
      openSocket: this.#open,
      retryFirstMs: 200,
      retryMaxMs: 4000,
    });
    this.client.on('frame', (tick) => {
      if (!this.isUp && this.#wasWelcome) tally[this.client.welcome?.resumed ? 'resumed' : 'begunAnew']++;
      this.isUp = this.#wasWelcome = true;
      tally.frames++;
      if (sampled.includes(tick)) sightings.push({ client: number, tick, sum: this.#sum(number === spoilt) });
    });
    this.client.on('state', (state) => {
      if (state !== 'open') this.isUp = false;
    });
    this.client.connect();
  }

  cut(): void {
    tally.cuts++;
    this.#socket?.terminate();
  }

  stall(): void {
    if (this.#stalled !== undefined || this.#socket?.readyState !== WebSocket.OPEN) return;
    tally.stalls++;
    this.#socket.pause();
    this.#stalled = setTimeout(() => this.goOn(), Math.random() * LONGEST_STALL_MS);
  }

  goOn(): void {
    clearTimeout(this.#stalled);
    this.#stalled = undefined;
    this.#socket?.resume();
  }

  #sum(isSpoilt: boolean): number {
    let sum = 0;
    for (const { id, x, y, fields } of this.client.entities.values()) {
      sum = (sum + sightingOf(id, x, y, Number(fields.health), String(fields.name))) >>> 0;
      if (isSpoilt) break;
    }
    return sum;
  }

  readonly #open: OpenSocket = (url, events) => {
    const socket = new WebSocket(url);
    this.goOn();
    this.#socket = socket;
    socket.binaryType = 'nodebuffer';
    socket.on('open', () => {
      if (isStorming && Math.random() < CUT_AT_ONCE) this.cut();
      else events.opened();
    });
    socket.on('message', (data) => events.received(new Uint8Array(data as Buffer)));
    socket.on('close', (code, reason) => events.closed(code, reason.toString()));
    // It is closed then, too.
    socket.on('error', () => {});
    return {
      send: (bytes) => {
        if (socket.readyState === WebSocket.OPEN) socket.send(bytes);
      },
      close: (code, reason) => socket.close(code, reason),
    };
  };
}

const players: Player[] = [];
let stormedMs = 0;

function storm(): void {
  // The timer is late where the machine has much to do; there is to be as much of a storm then.
  const passed = (performance.now() - stormedMs) / 1000;
  stormedMs += passed * 1000;
  const happens = (seconds: number): boolean => Math.random() < passed / seconds;
  for (const player of players) {
    if (happens(BETWEEN_INPUTS)) player.client.sendInput(Uint8Array.of(Math.floor(Math.random() * 256)));
    if (!isStorming) continue;
    if (happens(BETWEEN_CUTS)) player.cut();
    else if (happens(BETWEEN_STALLS)) player.stall();
  }
}

async function join(url: string, clients: number): Promise<void> {
  while (players.length < clients) {
    for (let i = 0; i < BATCH && players.length < clients; i++) players.push(new Player(url, players.length));
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  stormedMs = performance.now();
  setInterval(storm, STORM_MS);
}

function answer(message: Answer): void {
  process.send?.(message);
}

process.on('disconnect', () => process.exit());
process.on('message', (order: CrowdOrder) => {
  if (order.kind === 'join') void join(order.url, order.clients);
  else if (order.kind === 'storm') {
    isStorming = order.isOn;
    if (!isStorming) for (const player of players) player.goOn();
  } else if (order.kind === 'sample') {
    sampled = order.ticks;
    sightings = [];
  } else if (order.kind === 'spoil') spoilt = 0;
  else if (order.kind === 'memory') answer(heldMemory());
  else answer({ kind: 'status', open: players.filter(({ isUp }) => isUp).length, ...tally, sightings });
});
