/** A client whose time, timers and connection are in the hands of a test, and messages written as the document says. */
import { type ClientOptions, type SocketEvents, UmweltClient } from '../src/index.ts';

export class Stage {
  readonly client: UmweltClient;
  readonly told: string[] = [];
  /** Why those left that did. */
  readonly reasons: string[] = [];
  /** What the client sent, newest connection last. */
  readonly sent: Uint8Array[] = [];
  /** Codes by which the client ended connections. */
  readonly closed: number[] = [];
  opened = 0;
  /** Where the last connection went. */
  url = '';
  nowMs = 1000;
  events: SocketEvents | undefined;
  #timers: { dueMs: number; action: () => void }[] = [];

  constructor(options: Partial<ClientOptions> = {}) {
    this.client = new UmweltClient({
      url: 'test:',
      now: () => this.nowMs,
      random: () => 1,
      setTimer: (action, ms) => {
        const timer = { dueMs: this.nowMs + ms, action };
        this.#timers.push(timer);
        return () => {
          this.#timers = this.#timers.filter((one) => one !== timer);
        };
      },
      openSocket: (url, events) => {
        this.opened++;
        this.url = url;
        this.events = events;
        return {
          send: (bytes) => this.sent.push(bytes),
          close: (code) => this.closed.push(code),
        };
      },
      ...options,
    });
    this.client.on('enter', ({ id }) => this.told.push(`enter ${id}`));
    this.client.on('update', ({ id }) => this.told.push(`update ${id}`));
    this.client.on('leave', ({ id }, reason) => {
      this.told.push(`leave ${id}`);
      this.reasons.push(reason);
    });
    this.client.on('message', ({ id }, bytes) => this.told.push(`message ${id}: ${[...bytes]}`));
    this.client.on('state', (state, code) => this.told.push(code === undefined ? state : `${state} ${code}`));
  }

  get timerCount(): number {
    return this.#timers.length;
  }

  /** Opens, welcomed as new. */
  open(): this {
    this.client.connect();
    this.events?.opened();
    this.receive(welcome(false));
    return this;
  }

  receive(bytes: readonly number[]): void {
    this.events?.received(Uint8Array.from(bytes));
  }

  /** Lets time pass, and timers run in it. */
  pass(ms: number): void {
    const endMs = this.nowMs + ms;
    for (;;) {
      const [next] = this.#timers.toSorted((one, other) => one.dueMs - other.dueMs);
      if (next === undefined || next.dueMs > endMs) break;
      this.#timers = this.#timers.filter((timer) => timer !== next);
      this.nowMs = next.dueMs;
      next.action();
    }
    this.nowMs = endMs;
  }

  taken(): string[] {
    return this.told.splice(0);
  }
}

const TOKEN = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16];

/**
 * Ticks of 50 ms unless given, steps of 0.5 world units, sight; one field, `hp`; ten inputs a second unless given; of the
 * world with that number.
 */
export function welcome(resumed: boolean, world = 1, tickMs = 50, inputsPerSecond = 10): number[] {
  const worldId = [world, 0, 0, 0, 0, 0, 0, 9];
  const head = [1, 3, resumed ? 1 : 0, ...TOKEN, ...worldId, ...doubles(tickMs, 0.5)];
  return [...head, 2, 1, ...text('sight'), 1, 2, ...text('hp'), ...doubles(inputsPerSecond)];
}

function doubles(...values: number[]): number[] {
  return [...new Uint8Array(new Float64Array(values).buffer)];
}

export interface FrameParts {
  readonly flags?: number;
  readonly number: number;
  readonly tick: number;
  readonly own?: number;
  readonly left?: readonly number[];
  /** With its flag. */
  readonly gone?: readonly number[];
  readonly entered?: readonly number[];
  readonly updated?: readonly number[];
  readonly sensed?: readonly number[];
  readonly messages?: readonly number[];
}

/** A frame from its sections, each without the 0 at its end. */
export function frame(parts: FrameParts): number[] {
  const { flags = 0, number, tick, own, left = [], entered = [], updated = [], sensed = [] } = parts;
  const head = [2, flags | (own === undefined ? 0 : 2), ...varint(number), ...varint(tick), 0];
  if (own !== undefined) head.push(...varint(own));
  const { gone = [] } = parts;
  if (gone.length > 0) head[1]! |= 16;
  const sections = [left, ...(gone.length > 0 ? [gone] : []), entered, updated, sensed, parts.messages ?? []];
  return [...head, ...sections.flatMap((section) => [...section, 0])];
}

/** Enters at slot = `step` - 1 + the slot before, generation 1, in steps. */
export function entering(step: number, x: number, y: number, hp?: number): number[] {
  const fields = hp === undefined ? [] : varint(hp);
  return [step, 1, 1, hp === undefined ? 2 : 10, ...signed(x), ...signed(y), ...fields];
}

export function moving(step: number, dx: number, dy: number): number[] {
  return [step, 1, ...signed(dx), ...signed(dy)];
}

export function varint(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))];
}

function signed(value: number): number[] {
  return varint(value < 0 ? -2 * value - 1 : 2 * value);
}

function text(value: string): number[] {
  const bytes = new TextEncoder().encode(value);
  return [bytes.length, ...bytes];
}
