/**
 * Measures every contender on every crowd.
 *
 * Machines are noisy, and unevenly so. Contenders therefore take turns (A B C A B C), one whole run at a time, so that a slow
 * period affects all of them; each run has warm caches and its own world. The samples of all rounds give one median. A contender
 * whose run is expected to take longer than the budget is skipped, with the reason; one whose first run does take longer is
 * stopped and skipped likewise; one that has used up its budget gets no further round. The first round's reports are hashed, and
 * the hashes of exact contenders must agree.
 *
 * Garbage is collected between two runs. Compiled code is dropped with the objects it was compiled for, so one world per
 * contender, that of its last warm-up run, is kept alive all the time, as a server would have one.
 *
 * A request to stop is noticed between two runs.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { createWalkers } from '@umwelt/scenarios';
import type { World } from 'umwelt';
import type { Clock } from '../clock.ts';
import type { Crowd, Row } from './comparison.ts';
import type { Contender } from './contender.ts';
import { crowdFacts } from './crowd-facts.ts';
import type { CrowdPlan } from './crowd-plan.ts';
import { type CrowdScript, recordCrowd } from './crowd-script.ts';
import { expectedTime, reasonToSkip } from './expected-time.ts';
import { type Figure, type FigureName, figureNames, figureOf } from './figure.ts';
import { collectGarbage } from './garbage.ts';
import { inexactnessOf } from './inexactness.ts';
import { type Life, live, Overdue } from './life.ts';

/** Warm-up runs per contender, and their size: enough for the compiler to optimise the loops. */
const WARM_LIVES = 4;
const WARM_ENTITIES = 600;

/** The present state of the measurement. */
export interface Progress {
  readonly crowd: string;
  readonly contender: string;
  /** Number of crowds done, and in total. */
  readonly done: number;
  readonly all: number;
  readonly round: number;
  readonly rounds: number;
}

export interface MeasureOptions {
  readonly clock: Clock;
  readonly budgetSeconds: number;
  /** Whether to warm up; a run whose figures mean nothing need not. */
  readonly isWarm: boolean;
  readonly stop: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
  readonly onCrowd: (crowd: Crowd, rows: readonly Row[]) => void;
}

export interface Measured {
  readonly crowds: readonly Crowd[];
  readonly rows: readonly Row[];
}

/** Measures all plans; returns what is done so far if `stop` is aborted. */
export async function measure(plans: readonly CrowdPlan[], options: MeasureOptions): Promise<Measured> {
  const crowds: Crowd[] = [];
  const rows: Row[] = [];
  const keptAlive = options.isWarm ? await warmUp(plans, options) : [];
  for (const [done, plan] of plans.entries()) {
    if (options.stop.aborted) break;
    const script = await plan.script();
    const trials = plan.contenders.map((contender) => new Trial(contender, script, plan.label.id));
    await runTrials(trials, plan, options, { done, all: plans.length });
    if (options.stop.aborted) break;
    const firstPairs = trials.find(({ row }) => row.isExact && row.rounds > 0)?.firstPairs ?? 0;
    const crowd = crowdFacts(plan.label, script, firstPairs);
    const crowdRows = trials.map(({ row }) => row);
    crowds.push(crowd);
    rows.push(...crowdRows);
    options.onCrowd(crowd, crowdRows);
  }
  for (const world of keptAlive) void world.dispose();
  return { crowds, rows };
}

async function runTrials(
  trials: readonly Trial[],
  { label, rounds }: CrowdPlan,
  { clock, budgetSeconds, stop, onProgress }: MeasureOptions,
  count: { readonly done: number; readonly all: number },
): Promise<void> {
  for (let round = 1; round <= rounds; round++) {
    for (const trial of trials) {
      onProgress({ crowd: label.id, contender: trial.contender.name, round, rounds, ...count });
      await turn();
      if (stop.aborted) return;
      if (round === 1) trial.ask(clock, budgetSeconds);
      collectGarbage();
      if (trial.mayGoOn(budgetSeconds)) trial.live(clock, budgetSeconds);
    }
  }
}

/** One contender's runs in one crowd. */
class Trial {
  readonly contender: Contender;
  readonly #script: CrowdScript;
  readonly #crowd: string;
  readonly #lives: Omit<Life, 'world'>[] = [];
  #skipped: string | undefined;
  #spentSeconds = 0;
  #lastSeconds = 0;

  constructor(contender: Contender, script: CrowdScript, crowd: string) {
    this.contender = contender;
    this.#script = script;
    this.#crowd = crowd;
  }

  /** Estimates whether it would take too long. */
  ask(clock: Clock, budgetSeconds: number): void {
    const entities = this.#script.arrivals.reduce((sum, { actors }) => sum + actors.length, 0);
    const expected = expectedTime(this.contender, this.#script, entities, clock, budgetSeconds);
    this.#skipped = reasonToSkip(expected, budgetSeconds);
  }

  mayGoOn(budgetSeconds: number): boolean {
    return this.#skipped === undefined && this.#spentSeconds + this.#lastSeconds <= budgetSeconds;
  }

  /** Stops the run when the budget is used up. */
  live(clock: Clock, budgetSeconds: number): void {
    const startedMs = clock.now();
    const hashed = this.#lives.length === 0;
    const deadlineMs = startedMs + (budgetSeconds - this.#spentSeconds) * 1000;
    try {
      const { world, ...life } = live(this.contender, this.#script, { clock, hashed, deadlineMs });
      void world.dispose();
      this.#lives.push(life);
    } catch (error) {
      if (!(error instanceof Overdue)) throw error;
      if (hashed) this.#skipped = `exceeded its budget of ${budgetSeconds} s and was stopped`;
    }
    this.#lastSeconds = (clock.now() - startedMs) / 1000;
    this.#spentSeconds += this.#lastSeconds;
  }

  get firstPairs(): number {
    return this.#lives[0]?.firstPairs ?? 0;
  }

  get row(): Row {
    const { contender } = this;
    const isExact = contender.cellsByRange === undefined;
    const common = { crowd: this.#crowd, contender: contender.name, isExact, rounds: this.#lives.length };
    const first = this.#lives[0];
    if (first === undefined) {
      return { ...common, figures: {}, ...(this.#skipped === undefined ? {} : { skipped: this.#skipped }) };
    }
    return {
      ...common,
      figures: figuresOf(this.#lives),
      memoryBytes: first.memoryBytes,
      ...(first.hash === undefined ? {} : { hash: first.hash }),
      ...(isExact ? {} : { inexactness: inexactnessOf(contender, this.#script) }),
    };
  }
}

function figuresOf(lives: readonly Pick<Life, 'samples'>[]): Partial<Record<FigureName, Figure>> {
  const figures: Partial<Record<FigureName, Figure>> = {};
  for (const name of figureNames) {
    const samples = lives.flatMap((life) => life.samples[name]);
    if (samples.length > 0) figures[name] = figureOf(samples);
  }
  return figures;
}

/** Returns one world per contender. */
async function warmUp(
  plans: readonly CrowdPlan[],
  { clock, stop, onProgress }: MeasureOptions,
): Promise<readonly World[]> {
  const contenders = new Map(plans.flatMap((plan) => plan.contenders.map((one) => [one.name, one])));
  const length = { lead: 1, steps: 20, fewSteps: 20, comers: 20 };
  const script = recordCrowd(createWalkers({ entities: WARM_ENTITIES }), length, 1);
  const worlds = new Map<string, World>();
  for (let round = 1; round <= WARM_LIVES; round++) {
    for (const contender of contenders.values()) {
      onProgress({
        crowd: 'warming up',
        contender: contender.name,
        done: 0,
        all: plans.length,
        round,
        rounds: WARM_LIVES,
      });
      await turn();
      if (stop.aborted) return [...worlds.values()];
      worlds.set(contender.name, live(contender, script, { clock, hashed: false }).world);
    }
  }
  return [...worlds.values()];
}
