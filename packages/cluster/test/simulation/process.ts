/** One simulated process: a node, its connection, and a clock that stands still while it is paused. */
import { UmweltError } from 'umwelt';
import type { Log } from '../../src/log/log.ts';
import { type ClusterNode, participantOf } from '../../src/node/cluster-node.ts';
import { nodeIn } from '../../src/node/join-world.ts';
import type { Formats } from '../../src/records/formats.ts';
import type { Rules } from '../../src/state/rules.ts';
import { channelOptions, type Expected, Game, worldOptions } from './game.ts';
import { EARLIER, hasCheckpoints, type Plan } from './plan.ts';
import { PromisesKept } from './promises-kept.ts';
import type { Random } from './random.ts';
import type { Endpoint, SimulatedBroker } from './simulated-broker.ts';
import type { SimulatedCheckpoints } from './simulated-checkpoints.ts';
import { environmentIn, type VirtualTime } from './virtual-time.ts';

export const TICK_MS = 50;
const DETECTORS = ['sweep', 'brute-force', 'quadtree', 'nine-grid'] as const;
export const SILENCE_TICKS = 30;
const CHECKPOINT_MS = 1500;

/** What of the real rules is broken, on purpose. */
export interface Sabotage {
  readonly rules?: (now: () => number, number: number) => Rules;
  readonly checksTail?: boolean;
}

export interface ProcessContext {
  readonly time: VirtualTime;
  readonly random: Random;
  readonly broker: SimulatedBroker;
  readonly checkpoints: SimulatedCheckpoints;
  readonly plan: Plan;
  readonly sabotage: Sabotage;
  readonly expected: Expected;
  readonly nextNonce: () => number;
  /** After each tick of a node. */
  ticked(process: SimulatedProcess): void;
  fault(error: unknown): void;
  /** A node of the earlier version is not in the world any more, since that is written in the later format. */
  refused(process: SimulatedProcess): void;
}

export class SimulatedProcess {
  readonly name: string;
  /** No other process ever has it. */
  readonly number: number;
  readonly node: ClusterNode;
  readonly endpoint: Endpoint;
  readonly formats: Formats;
  readonly promises: PromisesKept;
  /** Whether it was halted, or left. */
  isOver = false;
  readonly #time: VirtualTime;
  #pausedUntil = 0;
  /** What came while it was paused, in its order. */
  #held: (() => void)[] = [];

  constructor(context: ProcessContext, name: string, number: number, formats: Formats) {
    const { time, broker, plan, sabotage, random } = context;
    this.name = name;
    this.formats = formats;
    this.number = context.nextNonce();
    this.#time = time;
    this.endpoint = broker.connect((call) => this.run(call), plan.odds !== undefined);
    const { pendingBytes, tellsEnd = true, clockError = 0 } = plan.odds ?? {};
    const clock = clockError === 0 ? 1 : 1 + random.between(-clockError, clockError);
    const { detectors = DETECTORS } = plan;
    this.node = nodeIn(
      {
        log: tellsEnd ? this.endpoint : withoutEnd(this.endpoint),
        name,
        ...(pendingBytes !== undefined && { pendingBytes }),
        world: { ...worldOptions(plan), detector: detectors[number % detectors.length]! },
        ...channelsOf(plan),
        ...(hasCheckpoints(plan) && {
          checkpoints: context.checkpoints.connect((call) => this.run(call)),
          checkpointMs: CHECKPOINT_MS,
        }),
        views: plan.views,
        tickMs: TICK_MS,
        silenceTicks: SILENCE_TICKS,
        adopts: number % 5 !== 4,
        patienceMs: 2 ** 31 - 1,
      },
      {
        ...environmentIn(time, random, {
          run: (call) => this.run(call),
          clock,
          fault: (error) => context.fault(error),
        }),
        ...(sabotage.rules && { rules: sabotage.rules(() => time.now, number) }),
        formats,
        checksTail: sabotage.checksTail ?? true,
      },
    );
    this.node.on('tick', () => context.ticked(this));
    const failed = (error: unknown) => {
      if (this.isOver) return;
      const isRefused = error instanceof UmweltError && error.code === 'UNSUPPORTED' && formats === EARLIER;
      if (isRefused && plan.hasUpgrade === true) context.refused(this);
      else context.fault(error);
    };
    this.node.on('failed', failed);
    this.promises = new PromisesKept(this.node, () => time.now);
    new Game(this.node, plan, number, context.expected, context.nextNonce, this.number, this.promises);
    this.node.enter().catch(failed);
  }

  get participant() {
    return participantOf(this.node);
  }

  get isPaused(): boolean {
    return this.#time.now < this.#pausedUntil;
  }

  /** Does it now, or when the process goes on. */
  run(call: () => void): void {
    if (this.isOver) return;
    if (this.isPaused) this.#held.push(call);
    else call();
  }

  pause(milliseconds: number): void {
    if (this.isPaused) return;
    this.#pausedUntil = this.#time.now + milliseconds;
    this.#time.after(milliseconds, () => {
      const held = this.#held;
      this.#held = [];
      for (const call of held) this.run(call);
    });
  }

  crash(): void {
    this.isOver = true;
    this.node.halt();
    this.endpoint.close();
  }
}

function channelsOf(plan: Plan) {
  const channels = channelOptions(plan);
  return channels === undefined ? {} : { channels };
}

/** A log that cannot tell its end, as the contract allows. */
function withoutEnd(log: Log): Log {
  return {
    append: (bytes) => log.append(bytes),
    follow: (from, take, lost) => log.follow(from, take, lost),
    read: (position) => log.read(position),
    ask: (bytes) => log.ask(bytes),
    answer: (how) => log.answer(how),
  };
}
