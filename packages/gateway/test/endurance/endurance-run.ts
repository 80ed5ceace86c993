/**
 * A thousand real clients for half an hour: connections are cut and stalled at random, the server is stopped with a snapshot and goes on in
 * a new process, or is killed and begins anew; and at the end of each storm every mirror is what its player perceives.
 *
 * Three kinds of process on the loopback: this one, the clients', and servers, one after the other on one port. A server's life is one of
 * storms; after each it is calm until everybody has a connection, and then every mirror is compared, over some ticks, for one that is
 * behind has no frame of each. The last life is the longest, and after its last storm nobody moves any more. What processes hold in memory
 * is noted every few seconds, after collecting garbage.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { type MemorySample, type MemoryTrend, memoryTrend } from './held-memory.ts';
import {
  type Answer,
  BETWEEN_CUTS,
  type CrowdOrder,
  type CrowdStatus,
  type SavedTown,
  type ServerOrder,
  type Sighting,
} from './messages.ts';

const STORM_SECONDS = 25;
/** Everybody is back by then. */
const CALM_MS = 240_000;
/** Frames of sampled ticks are on their way. */
const ARRIVAL_MS = 1500;
/** Somebody may have had no frame of any sampled tick: then some more are sampled. */
const ROUNDS = 20;
const MEMORY_MS = 5000;
/** Of the run, the last life; the others share the rest. */
const LAST_LIFE = 0.4;
/** Of servers, those that are killed. */
const KILLED = 0.3;
/** Of the cuts that storms should have had, the least share that counts as a storm. */
const LEAST_CUTS = 0.5;
/** Fewer are too few to tell. */
const CUTS_TO_TELL = 100;

export interface EndurancePlan {
  readonly clients: number;
  readonly seconds: number;
  readonly tickMs: number;
  /** Restarts of the server. */
  readonly restarts: number;
  /** Seconds of a storm; 25. */
  readonly stormSeconds?: number;
  /** A mirror that is wrong, to see that it is found. */
  readonly spoils?: boolean;
  tell?(line: string): void;
}

export interface Trends {
  readonly who: string;
  readonly rss: MemoryTrend;
  readonly held: MemoryTrend;
}

export interface EnduranceFigures {
  readonly seconds: number;
  readonly status: Omit<CrowdStatus, 'kind' | 'sightings'>;
  /** Servers that ended with a snapshot, and that were killed. */
  readonly saved: number;
  readonly killed: number;
  /** Times that all mirrors were compared; comparisons, and those in the end, when all stands still. */
  readonly calms: number;
  readonly compared: number;
  readonly comparedInTheEnd: number;
  readonly wrong: number;
  /** Of processes that lived long enough to tell. */
  readonly trends: readonly Trends[];
  readonly problems: readonly string[];
}

class Process<Order extends { readonly kind: string }> {
  readonly samples: { rss: MemorySample[]; held: MemorySample[] } = { rss: [], held: [] };
  readonly ended: Promise<void>;
  readonly #child: ChildProcess;
  readonly #startMs = Date.now();
  #isExpected = false;
  #measuring: NodeJS.Timeout | undefined;

  constructor(file: string) {
    this.#child = fork(join(import.meta.dirname, file), {
      execArgv: ['--conditions=umwelt:source'],
      serialization: 'advanced',
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    this.#child.on('message', (answer: Answer) => {
      if (answer.kind !== 'memory') return;
      const second = (Date.now() - this.#startMs) / 1000;
      this.samples.rss.push({ second, bytes: answer.rss });
      this.samples.held.push({ second, bytes: answer.held });
    });
    this.ended = new Promise((resolve, reject) => {
      this.#child.on('exit', (code, signal) => {
        clearInterval(this.#measuring);
        if (this.#isExpected) resolve();
        else reject(new Error(`${file} ended with ${code ?? signal}`));
      });
    });
    this.ended.catch(() => {});
  }

  measure(order: Order): void {
    this.#measuring = setInterval(() => {
      if (this.#child.connected) this.tell(order);
    }, MEMORY_MS);
  }

  tell(order: Order): void {
    this.#child.send(order);
  }

  /** The next answer of a kind. */
  hear<Kind extends Answer['kind']>(kind: Kind): Promise<Extract<Answer, { kind: Kind }>> {
    const heard = new Promise<Extract<Answer, { kind: Kind }>>((resolve) => {
      const listen = (answer: Answer): void => {
        if (answer.kind !== kind) return;
        this.#child.off('message', listen);
        resolve(answer as Extract<Answer, { kind: Kind }>);
      };
      this.#child.on('message', listen);
    });
    const over = this.ended.then(() => {
      throw new Error(`a process ended before it said '${kind}'`);
    });
    return Promise.race([heard, over]);
  }

  ask<Kind extends Answer['kind']>(order: Order, kind: Kind): Promise<Extract<Answer, { kind: Kind }>> {
    const heard = this.hear(kind);
    this.tell(order);
    return heard;
  }

  expectEnd(): void {
    this.#isExpected = true;
  }

  kill(): Promise<void> {
    this.expectEnd();
    this.#child.kill('SIGKILL');
    return this.ended;
  }

  trends(who: string): Trends[] {
    const [rss, held] = [memoryTrend(this.samples.rss), memoryTrend(this.samples.held)];
    return rss === undefined || held === undefined ? [] : [{ who, rss, held }];
  }
}

class EnduranceRun {
  readonly #plan: EndurancePlan;
  readonly #crowd = new Process<CrowdOrder>('crowd-process.ts');
  readonly #startMs = Date.now();
  readonly #counts = { saved: 0, killed: 0, calms: 0, compared: 0, comparedInTheEnd: 0, wrong: 0 };
  readonly #trends: Trends[] = [];
  readonly #problems: string[] = [];
  #server = new Process<ServerOrder>('server-process.ts');
  #port = 0;
  #stormMs = 0;

  constructor(plan: EndurancePlan) {
    this.#plan = plan;
  }

  async run(): Promise<EnduranceFigures> {
    const { clients, seconds, restarts, spoils = false } = this.#plan;
    try {
      await this.#begin(undefined);
      this.#crowd.tell({ kind: 'join', url: `ws://127.0.0.1:${this.#port}/`, clients });
      await this.#calm(false);
      if (spoils) this.#crowd.tell({ kind: 'spoil' });
      this.#crowd.measure({ kind: 'memory' });
      // What joining took is not taken from the run.
      const beginMs = Date.now();
      const lives = Array.from(
        { length: restarts },
        (_, i) => (seconds * (1 - LAST_LIFE) * (i + 1)) / restarts,
      );
      for (const [i, end] of lives.entries()) {
        await this.#live(beginMs + end * 1000);
        // At least one of each kind.
        await this.#restart(i === 1 || (i !== 0 && Math.random() < KILLED));
        await this.#calm(false);
      }
      await this.#live(beginMs + seconds * 1000);
      this.#server.tell({ kind: 'freeze' });
      const compared = this.#counts.compared;
      await this.#calm(true);
      this.#counts.comparedInTheEnd = this.#counts.compared - compared;
      return await this.#figures();
    } finally {
      await Promise.allSettled([this.#server.kill(), this.#crowd.kill()]);
    }
  }

  /** Storms and calms, until it is time. */
  async #live(endMs: number): Promise<void> {
    const { stormSeconds = STORM_SECONDS } = this.#plan;
    while (Date.now() < endMs) {
      this.#crowd.tell({ kind: 'storm', isOn: true });
      const stormBeginMs = Date.now();
      await pause(Math.max(0, Math.min(stormSeconds * 1000, endMs - stormBeginMs)));
      this.#stormMs += Date.now() - stormBeginMs;
      // A server that is to be restarted is so in the middle of a storm.
      if (Date.now() >= endMs) return;
      await this.#calm(true);
    }
  }

  async #begin(saved: SavedTown | undefined): Promise<void> {
    const { clients, tickMs } = this.#plan;
    const order: ServerOrder = { kind: 'begin', port: this.#port, clients, tickMs, saved };
    this.#port = (await this.#server.ask(order, 'listening')).port;
    this.#server.measure({ kind: 'memory' });
  }

  async #restart(isKilled: boolean): Promise<void> {
    const former = this.#server;
    former.expectEnd();
    let town: SavedTown | undefined;
    if (isKilled) await former.kill();
    else ({ town } = await former.ask({ kind: 'save' }, 'saved'));
    this.#counts[isKilled ? 'killed' : 'saved']++;
    this.#trends.push(...former.trends(`server ${this.#counts.killed + this.#counts.saved}`));
    await former.ended;
    this.#tell(isKilled ? 'the server was killed and begins anew' : 'the server was stopped and goes on');
    this.#server = new Process<ServerOrder>('server-process.ts');
    await this.#begin(town);
  }

  /** Waits until everybody is connected, then compares every mirror. */
  async #calm(compares: boolean): Promise<void> {
    const { clients } = this.#plan;
    this.#crowd.tell({ kind: 'storm', isOn: false });
    const deadlineMs = Date.now() + CALM_MS;
    let open = 0;
    while (open < clients) {
      await pause(250);
      ({ open } = await this.#status());
      if (open < clients && Date.now() > deadlineMs) {
        this.#fault(`${clients - open} clients have no connection`);
        return;
      }
    }
    if (!compares) return;
    this.#counts.calms++;
    const waiting = new Set(Array.from({ length: clients }, (_, i) => i));
    for (let round = 0; round < ROUNDS && waiting.size > 0; round++) await this.#compare(waiting);
    if (waiting.size > 0) this.#fault(`${waiting.size} mirrors could not be compared`);
    const { compared, wrong, calms } = this.#counts;
    const { cuts, stalls, frames } = await this.#status();
    const seconds = Math.round((Date.now() - this.#startMs) / 1000);
    const { rss, held } = this.#server.samples;
    const megabytes = (samples: readonly MemorySample[]): string =>
      ((samples.at(-1)?.bytes ?? 0) / 1e6).toFixed(1);
    this.#tell(
      `${seconds} s: ${compared} mirrors compared in ${calms} calms, ${wrong} wrong; ${frames} frames, ${cuts} cuts, ` +
        `${stalls} stalls; server: RSS ${megabytes(rss)} MB, held ${megabytes(held)} MB`,
    );
  }

  /** Takes those out of `waiting` whose mirror was compared. */
  async #compare(waiting: Set<number>): Promise<void> {
    const { ticks } = await this.#server.ask({ kind: 'sample' }, 'sampling');
    this.#crowd.tell({ kind: 'sample', ticks });
    const { sightings: expected } = await this.#server.hear('sightings');
    await pause(ARRIVAL_MS);
    const { sightings } = await this.#status();
    this.#crowd.tell({ kind: 'sample', ticks: [] });
    const keyOf = ({ client, tick }: Sighting): string => `${client} ${tick}`;
    const sums = new Map(expected.map((sighting) => [keyOf(sighting), sighting.sum]));
    for (const sighting of sightings) {
      this.#counts.compared++;
      waiting.delete(sighting.client);
      if (sums.get(keyOf(sighting)) === sighting.sum) continue;
      if (this.#counts.wrong++ === 0)
        this.#fault(`client ${sighting.client} saw something else at tick ${sighting.tick}`);
    }
  }

  async #status(): Promise<CrowdStatus> {
    return this.#crowd.ask({ kind: 'status' }, 'status');
  }

  async #figures(): Promise<EnduranceFigures> {
    const { sightings: _, kind: __, ...status } = await this.#status();
    const trends = [...this.#trends, ...this.#server.trends('last server'), ...this.#crowd.trends('clients')];
    const { wrong } = this.#counts;
    const growing = trends.filter(({ rss, held }) => !rss.isFlat || !held.isFlat);
    const problems = [
      ...this.#problems,
      ...(wrong > 0 ? [`${wrong} mirrors were wrong`] : []),
      ...lull(status.cuts, ((this.#stormMs / 1000) * this.#plan.clients) / BETWEEN_CUTS),
      ...growing.map(({ who }) => `what the ${who} holds in memory grows`),
    ];
    const seconds = (Date.now() - this.#startMs) / 1000;
    return { seconds, status, ...this.#counts, trends, problems };
  }

  #fault(problem: string): void {
    this.#problems.push(problem);
    this.#tell(problem);
  }

  #tell(line: string): void {
    this.#plan.tell?.(line);
  }
}

/** What is to be said of storms that were none: a run without its cuts proves nothing. */
export function lull(cuts: number, expected: number): string[] {
  if (expected < CUTS_TO_TELL || cuts >= expected * LEAST_CUTS) return [];
  return [`${cuts} cuts in storms that should have had ${Math.round(expected)}`];
}

export function runEndurance(plan: EndurancePlan): Promise<EnduranceFigures> {
  return new EnduranceRun(plan).run();
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
