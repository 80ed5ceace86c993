/**
 * Real node processes on a real broker, killed and stopped by a seed, and the twin's verdict on what they reported.
 *
 * The log is kept whole, so that afterwards one replica applies it with every shown watcher awake: what each node reported
 * at each tick must be what that one reports. The same verdict as in the simulation, whose game the nodes play; only here
 * time, processes, sockets and the broker are real, and so no run is like the other: the seed gives the faults.
 */
import { NatsBroker } from '../../../../tools/nats-broker.ts';
import { natsLog } from '../../src/log/nats-log.ts';
import type { Plan } from '../simulation/plan.ts';
import { SILENCE_TICKS, TICK_MS } from '../simulation/process.ts';
import { Random } from '../simulation/random.ts';
import type { NodeReport } from '../simulation/report.ts';
import { type Evidence, type Verdict, verdictOn } from '../simulation/verdict.ts';
import { ClientCrowd } from './client-crowd.ts';
import { LogRecorder } from './log-recorder.ts';
import { PlayedNode } from './played-node.ts';
import { type State, TimeLine } from './time-line.ts';

export interface RealPlan {
  readonly seed: number;
  readonly nodes: number;
  readonly entities: number;
  /** 1 or 3. */
  readonly brokers: number;
  readonly seconds: number;
  /** One fault every so many seconds. */
  readonly every: number;
  /** What must come about does so within that; `PATIENCE_SECONDS` unless given. A busy machine needs more. */
  readonly patienceSeconds?: number;
  /** Real clients on the nodes' gateways; 0 for the simulation's game without any. */
  readonly clients?: number;
}

export interface RealOutcome extends Verdict {
  /** What the verdict is on: whoever doubts it may change it and ask again. */
  readonly evidence: Evidence;
  readonly reports: number;
  /** Views in them that told somebody something. */
  readonly views: number;
  readonly records: number;
  readonly branches: number;
  readonly longestGapMs: number;
  readonly faults: readonly string[];
  readonly timeLine: TimeLine;
  /** Of clients: frames that were compared with the twin, entities in all of them, and times without a frame. */
  readonly frames: number;
  readonly shown: number;
  readonly gaps: { readonly count: number; readonly medianMs: number; readonly longestMs: number };
}

type FaultKind = 'kill' | 'stop' | 'broker' | 'freeze';

const WORLD = 'fuzz';
const PATIENCE_SECONDS = 60;
/** Of the stream: an hour of two hundred clients, whole. */
const LOG_BYTES = 2 ** 30;

/** `say` is told what happens, as it happens. */
export async function realRun(plan: RealPlan, say: (line: string) => void = () => {}): Promise<RealOutcome> {
  const run = new RealRun(plan, say);
  try {
    return await run.run();
  } finally {
    await run.dispose();
  }
}

class RealRun {
  readonly #plan: RealPlan;
  readonly #say: (line: string) => void;
  readonly #random: Random;
  readonly #game: Plan;
  #brokers: readonly NatsBroker[] = [];
  #frozen: NatsBroker | undefined;
  readonly #nodes: PlayedNode[] = [];
  readonly #reports: NodeReport[] = [];
  readonly #faults: string[] = [];
  readonly #timeLine: TimeLine;
  /** Since the second was noted last. */
  readonly #struck = new Map<string, State>();
  readonly #crowd: ClientCrowd | undefined;
  #recorder: LogRecorder | undefined;
  #closeLog: () => Promise<void> = () => Promise.resolve();
  #problem: string | undefined;
  #lives = 0;
  #startedMs = 0;
  #tick = 0;
  #markedMs = 0;
  #longestGapMs = 0;
  #isQuiet = false;

  constructor(plan: RealPlan, say: (line: string) => void) {
    this.#plan = plan;
    this.#say = say;
    this.#random = new Random(plan.seed);
    this.#game = {
      seed: plan.seed,
      nodes: plan.nodes,
      entities: plan.entities,
      durationMs: plan.seconds * 1000,
      calmMs: 12_000,
      // Mirrors are compared whole, so nothing may be told late.
      hasRules: this.#random.chance(0.7) && !this.#hasClients,
      // Not drawn: faults stay those of the seed.
      hasTerritories: plan.seed % 5 < 2,
      views: 'own',
      giveChance: 0.05,
      faults: [],
    };
    const { clients = 0 } = plan;
    if (clients > 0) this.#crowd = new ClientCrowd(clients, plan.seed, () => this.#ports);
    const brokers = Array.from({ length: plan.brokers }, (_, index) => `broker ${index}`);
    this.#timeLine = new TimeLine([
      ...brokers,
      ...Array.from({ length: plan.nodes }, (_, index) => `n${index}`),
    ]);
  }

  async run(): Promise<RealOutcome> {
    const { brokers, nodes, seconds } = this.#plan;
    this.#brokers = brokers === 3 ? await NatsBroker.startThree() : [await NatsBroker.start()];
    const log = await natsLog({
      servers: this.#urls,
      world: WORLD,
      maxBytes: LOG_BYTES,
      maxAgeMs: 2 ** 31,
      connectMs: 60_000,
    });
    this.#closeLog = () => log.close();
    this.#recorder = new LogRecorder(
      log,
      (position, bytes) => this.#crowd?.twin.apply(position, bytes),
      () => this.#crowd?.twin.stop(),
    );
    await this.#recorder.begin();
    for (let number = 0; number < nodes; number++) this.#start(number);
    await this.#until('all nodes to join', () => this.#nodes.every(({ state }) => state === 'joined'));
    this.#startedMs = this.#markedMs = performance.now();
    await this.#until('all clients to be in', () => this.#crowd?.connected === this.#crowd?.count);
    const watch = setInterval(() => this.#noteSecond(), 1000);
    try {
      await this.#strikeFor(seconds);
      await this.#calmDown();
    } finally {
      clearInterval(watch);
    }
    return this.#outcome();
  }

  async dispose(): Promise<void> {
    this.#isQuiet = true;
    this.#crowd?.close();
    this.#recorder?.end();
    await Promise.all(this.#nodes.map((node) => node.kill()));
    await this.#closeLog();
    await Promise.all(this.#brokers.map((broker) => broker.dispose()));
  }

  /** Of nodes that are there, whether they stand still or not. */
  get #ports(): number[] {
    // Else all clients would be with the first node that is there.
    if (this.#startedMs === 0) return [];
    return this.#nodes.filter(({ state, port }) => state === 'joined' && port > 0).map(({ port }) => port);
  }

  get #urls(): string[] {
    return this.#brokers.map(({ url }) => url);
  }

  get #hasClients(): boolean {
    return (this.#plan.clients ?? 0) > 0;
  }

  /** What a node is to host: wolves only in its first life, since those of it live on. */
  #hosting(lives: number) {
    const { clients = 0, nodes, entities } = this.#plan;
    if (clients === 0) return {};
    // So that each sees some ten others, however many there are.
    const field = Math.sqrt((clients + entities) * 50);
    return { hosts: { wolves: lives < nodes ? Math.ceil(entities / nodes) : 0, field } };
  }

  #start(number: number): void {
    const lives = this.#lives++;
    this.#nodes[number] = new PlayedNode(
      {
        servers: this.#urls,
        world: WORLD,
        name: `n${number}`,
        number,
        plan: this.#game,
        lives,
        firstNonce: lives * 2 ** 20,
        ...this.#hosting(lives),
      },
      {
        report: (report) => this.#noteReport(report),
        fault: (reason) => {
          if (!this.#isQuiet) this.#problem ??= reason;
        },
      },
    );
  }

  #noteReport(report: NodeReport): void {
    this.#reports.push(report);
    if (report.tick <= this.#tick) return;
    const nowMs = performance.now();
    if (this.#startedMs > 0) this.#longestGapMs = Math.max(this.#longestGapMs, nowMs - this.#markedMs);
    this.#tick = report.tick;
    this.#markedMs = nowMs;
  }

  async #strikeFor(seconds: number): Promise<void> {
    const { every } = this.#plan;
    for (let at = every; at <= seconds && this.#problem === undefined; at += every) {
      await this.#rest(every * 1000);
      await this.#strike();
    }
  }

  /** Waits for what it does to take effect, not for the cluster to recover. */
  async #strike(): Promise<void> {
    const random = this.#random;
    const kind = random.of<FaultKind>(['kill', 'kill', 'stop', 'stop', 'broker', 'freeze']);
    const forMs = Math.round(random.between(100, random.chance(0.3) ? 5000 : 1500));
    const number = random.below(this.#plan.nodes);
    const broker = random.below(this.#plan.brokers);
    const node = this.#nodes[number]!;
    if (kind === 'kill' || kind === 'stop') {
      if (node.state !== 'joined') return;
      this.#note(`${kind === 'kill' ? 'kill -9' : 'SIGSTOP'} n${number} for ${forMs} ms`);
      this.#struck.set(`n${number}`, kind === 'kill' ? 'killed' : 'stopped');
      if (kind === 'stop') {
        node.stop();
        setTimeout(() => node.goOn(), forMs);
      } else {
        await node.kill();
        setTimeout(() => {
          if (!this.#isQuiet) this.#start(number);
        }, forMs);
      }
      return;
    }
    // Of three, one at a time: two are needed to go on.
    const struck = this.#brokers[broker]!;
    if (this.#frozen !== undefined || this.#brokers.some(({ isRunning }) => !isRunning)) return;
    this.#note(`${kind === 'broker' ? 'kill -9' : 'SIGSTOP'} broker ${broker} for ${forMs} ms`);
    this.#struck.set(`broker ${broker}`, kind === 'broker' ? 'killed' : 'stopped');
    if (kind === 'broker') {
      await struck.kill();
      setTimeout(() => {
        if (!this.#isQuiet) struck.restart().catch((error) => (this.#problem ??= String(error)));
      }, forMs);
    } else {
      this.#frozen = struck;
      await struck.freeze();
      setTimeout(() => {
        struck.thaw();
        this.#frozen = undefined;
      }, forMs);
    }
  }

  /** All is up again: soon all are members, at the same tick. */
  async #calmDown(): Promise<void> {
    if (this.#problem !== undefined) return;
    await this.#until('all to be up again', () => {
      const isUp = this.#brokers.every(({ isRunning }) => isRunning) && this.#frozen === undefined;
      return isUp && this.#nodes.every(({ state }) => state === 'joined');
    });
    const from = this.#tick;
    await this.#until('marks to go on', () => this.#tick > from + 2 * SILENCE_TICKS);
    await this.#until('all nodes to be live', async () => {
      const standings = await Promise.all(this.#nodes.map((node) => node.standing()));
      return standings.every(({ phase, tick }) => phase === 'live' && tick > this.#tick - 4);
    });
    const crowd = this.#crowd;
    if (crowd === undefined) return;
    await this.#until('all clients to be in as their heroes', () => crowd.problem() === undefined);
    const compared = crowd.twin.compared;
    // Each some times more, now that nothing happens to anybody.
    await this.#until(
      'the last mirrors',
      () => crowd.twin.isStopped || crowd.twin.compared > compared + 4 * crowd.count,
    );
  }

  async #outcome(): Promise<RealOutcome> {
    const recorder = this.#recorder!;
    const standings =
      this.#problem === undefined ? await Promise.all(this.#nodes.map((node) => node.standing())) : [];
    this.#isQuiet = true;
    const crowd = this.#crowd;
    const found = crowd?.problem();
    crowd?.close();
    await Promise.all(this.#nodes.map((node) => node.kill()));
    // What they said last is still to come.
    await this.#rest(300);
    recorder.end();
    const evidence: Evidence = {
      plan: this.#game,
      records: recorder.records,
      branches: recorder.branches,
      reports: this.#reports,
      processes: this.#nodes.map(({ name }, index) => {
        const { phase, tick } = standings[index] ?? { phase: 'dead', tick: 0 };
        return { name, participant: { phase, replica: { tick } } };
      }),
      // Of those that were killed nobody knows what they sent last.
      sent: undefined,
    };
    const verdict = verdictOn(evidence);
    return {
      ...verdict,
      evidence,
      problem: this.#problem ?? found ?? verdict.problem,
      reports: this.#reports.length,
      views: this.#reports.reduce((sum, { views }) => sum + views, 0),
      records: recorder.records.length,
      branches: recorder.branches.length,
      longestGapMs: Math.round(this.#longestGapMs),
      faults: this.#faults,
      timeLine: this.#timeLine,
      frames: crowd?.twin.compared ?? 0,
      shown: crowd?.twin.entities ?? 0,
      gaps: crowd?.gaps ?? { count: 0, medianMs: 0, longestMs: 0 },
    };
  }

  #note(fault: string): void {
    const line = `${((performance.now() - this.#startedMs) / 1000).toFixed(1)} s: ${fault}`;
    this.#faults.push(line);
    this.#say(line);
  }

  #noteSecond(): void {
    const states = new Map<string, State>();
    for (const [index, broker] of this.#brokers.entries()) {
      states.set(
        `broker ${index}`,
        !broker.isRunning ? 'killed' : broker === this.#frozen ? 'stopped' : 'up',
      );
    }
    for (const { name, state } of this.#nodes) {
      states.set(
        name,
        state === 'dead' || state === 'starting' ? 'killed' : state === 'stopped' ? 'stopped' : 'up',
      );
    }
    // What was over within the second was, too.
    for (const [name, state] of this.#struck) if (states.get(name) === 'up') states.set(name, state);
    this.#struck.clear();
    const crowd = this.#crowd;
    const connected = crowd === undefined ? undefined : crowd.connected / crowd.count;
    this.#timeLine.note(states, this.#tick - this.#notedTick, 1000 / TICK_MS, connected);
    this.#problem ??= crowd?.twin.problem;
    this.#notedTick = this.#tick;
  }

  #notedTick = 0;

  async #until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
    const { patienceSeconds = PATIENCE_SECONDS } = this.#plan;
    const deadline = performance.now() + patienceSeconds * 1000;
    while (this.#problem === undefined && !(await isSo())) {
      if (performance.now() > deadline) this.#problem = `waited ${patienceSeconds} s for ${what}`;
      await this.#rest(50);
    }
  }

  #rest(ms: number): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, ms));
  }
}
