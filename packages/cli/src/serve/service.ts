/**
 * One world for servers in any language: takes their commands, ticks, and sends each caller the views of its watchers.
 *
 * The entities of all callers are in one world; an entity belongs to the connection that put it, and is removed with it. The
 * service ticks at a rate, or on a caller's request; each tick every caller gets one message, or several if there is much to
 * send.
 *
 * Cost of a tick: the world's, and a few nanoseconds per reported pair.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type {
  Connection,
  ConnectionEvents,
  ConnectionRequest,
  GatewayStatus,
  RefusalFacts,
  Transport,
} from '@umwelt/gateway';
import { type Changes, UmweltError, type World } from 'umwelt';
import type { Clock } from '../clock.ts';
import type { Welcome } from './answer.ts';
import { Caller, type CallerHome } from './caller.ts';
import { KeyedWorld } from './keyed-world.ts';
import type { CloseReason } from './serve-format.ts';
import { SERVE_LIMITS, type ServeLimits } from './serve-limits.ts';
import { ServeMetrics } from './serve-metrics.ts';
import { tellAll, tellSounds, tellTick } from './told-ticks.ts';

/** Interval of checks of callers that are behind, and of unauthenticated ones. */
const WATCH_MS = 20;
/** Maximum log lines per second about callers; further events are only counted. */
const LOG_LINES_PER_SECOND = 20;

export interface ServiceOptions {
  readonly world: World;
  /** Ticks per second; 0: on a caller's request. */
  readonly rate: number;
  /** The token that callers must send; undefined: none. */
  readonly token: string | undefined;
  readonly clock: Clock;
  readonly limits?: Partial<ServeLimits>;
  /** Receives log lines. */
  readonly log?: (line: string) => void;
}

export class Service implements CallerHome {
  readonly keyed: KeyedWorld;
  readonly limits: ServeLimits;
  readonly counts = new ServeMetrics();
  readonly isOnDemand: boolean;
  readonly #rate: number;
  readonly #tokenDigest: Buffer | undefined;
  readonly #clock: Clock;
  readonly #log: (line: string) => void;
  readonly #transports: Transport[] = [];
  /** By number; undefined if free. Number 0 is no caller. */
  readonly #callers: (Caller | undefined)[] = [undefined];
  /** Oldest first. */
  readonly #strangers = new Set<Caller>();
  #isOpen = true;
  #isWatching = false;
  #stopWatching = (): void => {};
  #linesLeft = LOG_LINES_PER_SECOND;
  #linesSinceMs: number;

  constructor({ world, rate, token, clock, limits, log }: ServiceOptions) {
    this.limits = { ...SERVE_LIMITS, ...limits };
    this.keyed = new KeyedWorld(world, this.limits.entitiesMax);
    this.isOnDemand = rate === 0;
    this.#rate = rate;
    this.#tokenDigest = token === undefined ? undefined : digestOf(token);
    this.#clock = clock;
    this.#log = log ?? (() => {});
    this.#linesSinceMs = clock.now();
  }

  /** Accepts callers on this transport. Rejects with its errors, such as `EADDRINUSE`. */
  async listen(transport: Transport): Promise<void> {
    await transport.start({
      messageBytesMax: this.limits.messageBytesMax,
      connectionsMax: this.limits.callersMax + this.limits.strangersMax,
      strangerBytesMax: this.limits.strangerBytesMax,
      mayAccept: () => this.#isOpen,
      accept: (connection, request) => this.accept(connection, request),
      refused: (why, facts) => this.#refused(why, facts),
      status: () => this.status(),
      metrics: () => Promise.resolve(this.metrics()),
    });
    this.#transports.push(transport);
  }

  accept(connection: Connection, request: ConnectionRequest): ConnectionEvents {
    const caller = new Caller(this, connection, request.address);
    this.#strangers.add(caller);
    this.#watchLater();
    if (this.#strangers.size > this.limits.strangersMax) {
      const [oldest] = this.#strangers;
      oldest?.close('tooLate');
    }
    // Servers send no origin. This is a page in a browser, which must at least know the token.
    if (request.origin !== undefined && this.#tokenDigest === undefined) caller.close('unauthenticated');
    return caller;
  }

  /** One tick of the world, sent to every caller. */
  tick(): Changes {
    const changes = this.#tickWorld();
    this.counts.ticks.add(1);
    const told = this.#callers.map((caller) => caller?.beginTick(changes.tick));
    tellTick(this.keyed, changes, told, this.limits.tickBytesMax, this.counts);
    for (const [number, one] of told.entries()) {
      if (one?.resync) tellAll(this.keyed, number, one, this.limits.tickBytesMax);
    }
    tellSounds(this.keyed, told, this.limits.tickBytesMax);
    // Callers may be closed only now: that removes their entities, and the lists of other callers refer to them.
    for (const [number, one] of told.entries()) {
      if (one === undefined) continue;
      if (one.writer.byteLength > this.limits.tickBytesMax) this.#callers[number]?.close('tooMuch');
      else this.#callers[number]?.endTick(one.writer);
    }
    return changes;
  }

  status(): GatewayStatus {
    return { ready: this.#isOpen, tick: this.keyed.world.tickCount, clients: this.#callerCount };
  }

  /** In the text format of Prometheus. */
  metrics(): string {
    this.counts.callers.set(this.#callerCount);
    this.counts.entities.set(this.keyed.world.size);
    return this.counts.text();
  }

  /** Accepts no further callers, closes all, and resolves when all are closed. */
  async drain(): Promise<void> {
    this.#isOpen = false;
    this.#stopWatching();
    for (const transport of this.#transports) transport.stop();
    for (const caller of [...this.#strangers, ...this.#callers]) caller?.close('goingAway');
    await Promise.all(this.#transports.map((transport) => transport.close()));
  }

  now(): number {
    return this.#clock.now();
  }

  welcome(version: number): Welcome {
    const { world } = this.keyed;
    const { messageBytesMax, entitiesMax } = this.limits;
    return {
      version,
      dimensions: world.dimensions,
      senses: world.senseNames,
      rate: this.#rate,
      tick: world.tickCount,
      messageBytesMax,
      entitiesMax,
    };
  }

  admit(caller: Caller, token: string): number | CloseReason {
    if (this.#tokenDigest !== undefined && !timingSafeEqual(digestOf(token), this.#tokenDigest)) {
      return 'unauthenticated';
    }
    if (this.#callerCount >= this.limits.callersMax) return 'full';
    this.#strangers.delete(caller);
    const free = this.#callers.indexOf(undefined, 1);
    const number = free < 0 ? this.#callers.length : free;
    this.#callers[number] = caller;
    this.#line(`caller ${number} from ${caller.address}`);
    return number;
  }

  ended(caller: Caller, why: string, detail?: string): void {
    this.#strangers.delete(caller);
    const { number } = caller;
    if (number !== 0) {
      this.#callers[number] = undefined;
      this.keyed.removeAllOf(number);
    }
    this.#closed(why, number === 0 ? caller.address : `caller ${number}`, detail);
  }

  fault(error: unknown): void {
    this.counts.faults.add(1);
    this.#line(error instanceof Error ? `${error.stack}` : String(error));
  }

  /** A tick that lost a worker thread has changed nothing; the world continues with one thread, and the tick is repeated. */
  #tickWorld(): Changes {
    const { world } = this.keyed;
    try {
      return world.tick();
    } catch (error) {
      if (!(error instanceof UmweltError && error.code === 'WORKER_FAILED')) throw error;
      this.#log(`${error.message}; ticks go on with one thread`);
      return world.tick();
    }
  }

  get #callerCount(): number {
    return this.#callers.reduce((count, caller) => (caller === undefined ? count : count + 1), 0);
  }

  /** Checks callers from now on, as long as there are any. */
  #watchLater(): void {
    if (this.#isWatching) return;
    this.#isWatching = true;
    this.#stopWatching = this.#clock.after(WATCH_MS, () => {
      this.#isWatching = false;
      const nowMs = this.now();
      for (const caller of [...this.#strangers, ...this.#callers]) caller?.watch(nowMs);
      if (this.#strangers.size + this.#callerCount > 0) this.#watchLater();
    });
  }

  #closed(why: string, who: string, detail?: string): void {
    this.counts.closes.add(1, why);
    this.#line(`${who} ended: ${why}${detail === undefined ? '' : `: ${detail}`}`);
  }

  #refused(why: string, { origin }: RefusalFacts = {}): void {
    this.#closed(`refused ${why}`, origin === undefined ? '?' : `a page from ${origin}`);
  }

  /** Logs an event that callers caused, rate-limited. */
  #line(text: string): void {
    const nowMs = this.now();
    if (nowMs - this.#linesSinceMs >= 1000) {
      this.#linesSinceMs = nowMs;
      this.#linesLeft = LOG_LINES_PER_SECOND;
    }
    if (this.#linesLeft-- > 0) this.#log(text);
  }
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
