/**
 * A cluster of real nodes in virtual time, with all that can go wrong, and what must hold all the same: see verdict.ts.
 */
import type { ByteWriter } from 'umwelt/bytes';
import type { Formats } from '../../src/records/formats.ts';
import { writeNoted, writeRecord } from '../../src/records/record.ts';
import type { Member } from '../../src/state/members.ts';
import type { Replica } from '../../src/state/replica.ts';
import { goneRecord } from '../record-makers.ts';
import type { Sent } from './game.ts';
import { EARLIER, type Fault, LATER, type Plan } from './plan.ts';
import { type ProcessContext, type Sabotage, SimulatedProcess, TICK_MS } from './process.ts';
import { Random } from './random.ts';
import { type NodeReport, observedReport, reportOf } from './report.ts';
import { areSettled, SETTLED_MS } from './settling.ts';
import { CALM, SimulatedBroker } from './simulated-broker.ts';
import { SimulatedCheckpoints } from './simulated-checkpoints.ts';
import { SimulatedObserver } from './simulated-observer.ts';
import { verdictOn } from './verdict.ts';
import { VirtualTime } from './virtual-time.ts';

export interface Outcome {
  /** What does not hold, in words; `undefined` when all does. */
  readonly problem: string | undefined;
  readonly reports: number;
  readonly ticks: number;
  readonly gives: number;
  readonly records: number;
  /** Those of processes that observe the world. */
  readonly observed: number;
  /** The longest time in which no node ticked. */
  readonly pauseMs: number;
  /** Format of the records at the end. */
  readonly format: number;
  /** How often a node of the earlier version could not join, or go on. */
  readonly refused: number;
  /** By name of a call on worlds: how often it was made. */
  readonly made: ReadonlyMap<string, number>;
}

const STORM = { lost: 0.15, doubled: 0.15, late: 0.15, unacknowledged: 0.2 };
const BREEZE = { lost: 0.01, doubled: 0.01, late: 0.01, unacknowledged: 0.01 };

export async function simulate(plan: Plan, sabotage: Sabotage = {}): Promise<Outcome> {
  const outcome = await withoutStacks(() => new Simulation(plan, sabotage).run());
  // Again, the same: with the stack of what the node threw.
  return outcome.problem?.startsWith(NODE_FAILED) ? new Simulation(plan, sabotage).run() : outcome;
}

const NODE_FAILED = 'a node failed: ';

/** Replicas refuse calls by the thousand: the stacks of those errors take a tenth of the time. */
async function withoutStacks<T>(run: () => Promise<T>): Promise<T> {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return await run();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

class Simulation {
  readonly #plan: Plan;
  readonly #time = new VirtualTime();
  readonly #random: Random;
  readonly #broker: SimulatedBroker;
  readonly #checkpoints: SimulatedCheckpoints;
  readonly #context: ProcessContext;
  readonly #reports: NodeReport[] = [];
  /** By number of the node: who plays it now. */
  readonly #processes: SimulatedProcess[] = [];
  /** All that there ever were. */
  readonly #all: SimulatedProcess[] = [];
  readonly #observers: SimulatedObserver[] = [];
  /** Those that have the name of another one for a while. */
  readonly #doubles = new Set<SimulatedProcess>();
  readonly #sent = new Map<number, Sent>();
  readonly #made = new Map<string, number>();
  /** By number of the node: whether its next process is of the later version. */
  readonly #isLater: boolean[] = [];
  readonly #versions: Random;
  #refused = 0;
  /** Processes that are to start. */
  #starting = 0;
  #names = 0;
  #nonce = 0;
  #fault: unknown;

  constructor(plan: Plan, sabotage: Sabotage) {
    this.#plan = plan;
    this.#random = new Random(plan.seed);
    this.#versions = new Random(plan.seed ^ 0xf02a7);
    this.#broker = new SimulatedBroker(this.#time, this.#random);
    this.#checkpoints = new SimulatedCheckpoints(this.#time, this.#random);
    this.#context = {
      time: this.#time,
      random: this.#random,
      broker: this.#broker,
      checkpoints: this.#checkpoints,
      plan,
      sabotage,
      expected: {
        sent: this.#sent,
        made: this.#made,
        now: () => this.#time.now,
        after: (milliseconds, call) => void this.#time.after(milliseconds, call),
      },
      nextNonce: () => ++this.#nonce,
      ticked: (process) => this.#reports.push(reportOf(process, this.#time.now)),
      fault: (error) => {
        this.#fault ??= error;
      },
      refused: (process) => this.#refuse(process),
    };
  }

  async run(): Promise<Outcome> {
    const { nodes, faults, durationMs, calmMs } = this.#plan;
    for (let number = 0; number < nodes; number++) {
      this.#startAfter(number * 300, number, `n${number}`);
    }
    for (let each = 0; each < (this.#plan.odds?.observers ?? 0); each++)
      this.#time.after(1500 + 2000 * each, () => this.#observe());
    this.#time.after(1200, () => {
      this.#broker.weather = BREEZE;
    });
    for (const fault of faults) this.#time.after(fault.atMs, () => this.#strike(fault));
    await this.#time.run(durationMs);
    this.#broker.weather = CALM;
    await this.#calm(durationMs + calmMs);
    const outcome = this.#fault === undefined ? verdictOn(this.#evidence()) : undefined;
    const problem =
      this.#fault === undefined ? (this.#broken() ?? outcome?.problem) : NODE_FAILED + reasonOf(this.#fault);
    for (const process of this.#processes) process.crash();
    for (const observer of this.#observers) observer.stop();
    return {
      problem,
      reports: this.#reports.length,
      observed: this.#reports.filter(({ isObserved }) => isObserved === true).length,
      ticks: outcome?.ticks ?? 0,
      gives: outcome?.gives ?? 0,
      records: this.#broker.records.length,
      pauseMs: pauseOf(this.#reports),
      format: outcome?.format ?? 0,
      refused: this.#refused,
      made: this.#made,
    };
  }

  /** What a node told its game that was not so, or left unanswered. */
  #broken(): string | undefined {
    const { durationMs, calmMs } = this.#plan;
    const live = this.#processes.filter(({ isOver }) => !isOver);
    const unanswered = () => live.map(({ promises }) => promises.unanswered(durationMs)).find((what) => what);
    return (
      this.#all.map(({ promises }) => promises.problem).find((problem) => problem) ??
      (calmMs < 10_000 ? undefined : unanswered())
    );
  }

  /** Until then or, if the plan says so, until all has been settled for long enough. */
  async #calm(untilMs: number): Promise<void> {
    const time = this.#time;
    let settledMs = 0;
    while (this.#plan.endsOnceSettled === true && settledMs < SETTLED_MS && time.now < untilMs) {
      await time.run(Math.min(time.now + TICK_MS, untilMs));
      settledMs =
        this.#starting === 0 && areSettled(this.#processes, this.#broker, time.now) ? settledMs + TICK_MS : 0;
    }
    if (settledMs < SETTLED_MS) await time.run(untilMs);
  }

  #evidence() {
    return {
      plan: this.#plan,
      records: this.#broker.records,
      branches: this.#broker.branches,
      reports: this.#reports,
      processes: this.#processes.filter(({ isOver }) => !isOver),
      refused: this.#refused,
      sent: this.#sent,
      endMs: this.#time.now,
    };
  }

  #startAfter(milliseconds: number, number: number, name: string, formats?: Formats): void {
    this.#starting++;
    this.#time.after(milliseconds, () => {
      this.#starting--;
      const read = formats ?? this.#formatsOf(number);
      this.#processes[number] = this.#newProcess(name, number, read);
    });
  }

  #observe(): void {
    const noted = (replica: Replica, isNew: boolean) => {
      // What rules carry over from earlier ticks an observer does not have.
      const isOther = isNew || this.#plan.hasRules;
      this.#reports.push(observedReport(replica, this.#time.now, isOther));
    };
    const fault = (error: unknown) => {
      this.#fault ??= error;
    };
    const context = { time: this.#time, broker: this.#broker, plan: this.#plan };
    this.#observers.push(new SimulatedObserver(context, noted, fault));
  }

  #newProcess(name: string, number: number, formats: Formats): SimulatedProcess {
    const process = new SimulatedProcess(this.#context, name, number, formats);
    this.#all.push(process);
    return process;
  }

  /** Most begin as the earlier version; most that start again are upgraded by then, and some were too early. */
  #formatsOf(number: number): Formats {
    if (this.#plan.hasUpgrade !== true) return LATER;
    const isLater = this.#isLater[number];
    this.#isLater[number] = this.#versions.chance(isLater === undefined ? 0.2 : isLater ? 0.9 : 0.6);
    return this.#isLater[number] ? LATER : EARLIER;
  }

  /** The operator starts the later version instead. */
  #refuse(process: SimulatedProcess): void {
    if (this.#doubles.has(process)) {
      this.#refused++;
      this.#endDouble(process);
      return;
    }
    const number = this.#processes.indexOf(process);
    process.crash();
    this.#broker.disconnect(process.endpoint);
    this.#refused++;
    this.#isLater[number] = true;
    this.#startAfter(300, number, process.name, LATER);
  }

  #strike({ kind, node: number, forMs, amount }: Fault): void {
    const process = this.#processes[number];
    if (kind === 'broker') this.#broker.restart(forMs / 4, 0);
    else if (kind === 'tail') this.#broker.restart(forMs / 4, amount);
    else if (kind === 'trim') this.#broker.trim(amount);
    else if (kind === 'storm') this.#storm(forMs);
    else if (kind === 'garbage') this.#garbage();
    else if (kind === 'outage') this.#outage(forMs);
    else if (process === undefined || process.isOver) return;
    else if (kind === 'cut') process.endpoint.cut();
    else if (kind === 'partition') process.endpoint.cutOff(forMs);
    else if (kind === 'pause') process.pause(forMs);
    else if (kind === 'leave') this.#leave(process, number, forMs);
    else if (kind === 'slow') process.endpoint.slow(forMs, 50 * amount);
    else if (kind === 'namesake') this.#doubleName(process, number, forMs);
    else this.#kill(process, number, kind, forMs);
  }

  #storm(milliseconds: number): void {
    this.#broker.weather = STORM;
    this.#time.after(milliseconds, () => {
      if (this.#time.now < this.#plan.durationMs) this.#broker.weather = BREEZE;
    });
  }

  #kill(process: SimulatedProcess, number: number, kind: 'crash' | 'rename' | 'told', forMs: number): void {
    const { self } = process.participant;
    process.crash();
    this.#broker.disconnect(process.endpoint);
    if (kind === 'told' && self !== undefined && this.#broker.isUp)
      this.#broker.arrive(goneRecord(self.number, self.incarnation));
    const name = kind === 'rename' ? `other${this.#names++}` : process.name;
    this.#startAfter(forMs, number, name);
  }

  #outage(forMs: number): void {
    this.#processes.forEach((process, number) => {
      if (!process.isOver) this.#kill(process, number, 'crash', forMs + this.#random.between(0, 800));
    });
    if (this.#random.chance(0.3)) this.#checkpoints.tear();
  }

  #doubleName({ name, formats }: SimulatedProcess, number: number, forMs: number): void {
    const double = this.#newProcess(name, number, formats);
    this.#doubles.add(double);
    this.#time.after(forMs, () => this.#endDouble(double));
  }

  #endDouble(double: SimulatedProcess): void {
    if (!this.#doubles.delete(double)) return;
    double.crash();
    this.#broker.disconnect(double.endpoint);
  }

  #leave(process: SimulatedProcess, number: number, forMs: number): void {
    process.node.leave().then(
      () => {
        // Told to leave twice: only one process takes its place.
        if (process.isOver) return;
        process.crash();
        this.#broker.disconnect(process.endpoint);
        this.#startAfter(forMs, number, process.name);
      },
      () => {},
    );
  }

  /** As one of the processes knows it; none where none lives. */
  #anyMember(): [Replica | undefined, Member | undefined] {
    const process = this.#random.of<SimulatedProcess | undefined>(
      this.#processes.filter(({ isOver }) => !isOver),
    );
    const replica = process?.participant.replica;
    return [replica, replica && this.#random.of<Member | undefined>(replica.members.live())];
  }

  /** In the name of a member's number, and of a former incarnation: all else is as if it were its next record. */
  #strangersRecord(): Uint8Array | undefined {
    const [replica, member] = this.#anyMember();
    if (replica === undefined || member === undefined) return undefined;
    const { number, seq, incarnation } = member;
    const speaker = { member: number, incarnation: Math.max(0, incarnation - 1), seq: seq + 1 };
    const write = (writer: ByteWriter) => {
      writeNoted(writer, replica.noted);
      writer.u32(0);
    };
    return writeRecord('calls', speaker, write, replica.members.format);
  }

  /** A live member's next record, in the format that is not written now: it counts for nobody. */
  #recordOfOtherFormat(): Uint8Array | undefined {
    const [replica, member] = this.#anyMember();
    if (replica === undefined || member === undefined) return undefined;
    const speaker = { ...member, member: member.number, seq: member.seq + 1 };
    const write = (writer: ByteWriter) => {
      writeNoted(writer, replica.noted);
      writer.u32(0);
    };
    return writeRecord('calls', speaker, write, EARLIER[0] + LATER[1] - replica.members.format);
  }

  /** Noise, a record cut short, one altered, one of a stranger. */
  #garbage(): void {
    if (!this.#broker.isUp) return;
    const random = this.#random;
    const { records } = this.#broker;
    const like = records[random.below(Math.max(1, records.length))]?.slice() ?? new Uint8Array(3);
    const noise = Uint8Array.from({ length: random.below(200) }, () => random.below(256));
    const choices = [
      () => noise,
      () => like.subarray(0, random.below(like.length)),
      () => {
        // Past the header: who says it and which it is stay as they were, and it counts no more.
        if (like.length > 17) like[16 + random.below(like.length - 16)]! ^= 1 << random.below(8);
        return like;
      },
      () => new Uint8Array(600_000),
      () => this.#strangersRecord(),
      () => this.#strangersRecord(),
    ];
    if (this.#plan.hasUpgrade === true) choices.push(...choices.map(() => () => this.#recordOfOtherFormat()));
    const bytes = random.of(choices)();
    if (bytes === undefined) return;
    // A hello that was altered would be a member that nobody plays.
    if (bytes[1] !== 0) this.#broker.arrive(bytes);
  }
}

function pauseOf(reports: readonly NodeReport[]): number {
  let lastMs = 0;
  let pauseMs = 0;
  for (const { atMs } of reports) {
    pauseMs = Math.max(pauseMs, atMs - lastMs);
    lastMs = atMs;
  }
  return pauseMs;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
