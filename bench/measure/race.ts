/**
 * Engines side by side: they take turns, A B C A B C, so that disturbances of the machine affect all of them.
 *
 * In each round every engine has a turn of about the same length. How many times slower an engine is than the first is
 * computed within a round, turn against neighbouring turn; the median over rounds is reported. Before a turn garbage is
 * collected where Node allows it, so that no engine pays for another's; not at smoke size. An engine that was measured for
 * long enough, or is over its budget, stops; when the first one does, there is nothing more to compare with, and the race ends.
 * An engine that could not do a few ticks within the budget is not started, and the outcome says so.
 */
import type { Work } from '../engines/engine.ts';
import { Lane, type LanePlan, SHOWN_TICK } from './lane.ts';
import { LEAST_TICKS, LEAST_WARM_TICKS, type Pace } from './pace.ts';
import { median, percentile } from './samples.ts';

/** What one process measures together: the other lanes are compared with the first. */
export interface RaceCase {
  readonly kind: 'race';
  /** Unique in its suite, across populations, too. */
  readonly name: string;
  readonly work: Work;
  readonly lanes: readonly LanePlan[];
  /** Lines below the table, made from the rows. */
  remarks?(rows: readonly RaceRow[]): string[];
}

/** One engine's row in a table. */
export interface RaceRow {
  readonly label: string;
  /** Name of the engine. */
  readonly engine: string;
  readonly entities: number;
  /** Timed ticks. */
  readonly ticks: number;
  /** Milliseconds of a tick, minus the time that its thread waited for a core, if the system reports it. */
  readonly medianMs: number;
  /** Without the first tick of each turn (`Lane.percentileTime`). */
  readonly p99Ms: number;
  /** The same with that time. Absent in older files of results, in which all times include it. */
  readonly wallP99Ms?: number;
  /** The median tick of each turn, by round: shows how disturbed the machine was. Absent in older files of results. */
  readonly turnMs?: readonly number[];
  readonly nsPerEntityTick: number;
  /** Reported pairs a tick, on average over all ticks but the first. */
  readonly entered: number;
  readonly left: number;
  readonly updated: number;
  /** Relations after the third tick, and the hash of that tick's report. */
  readonly relations: number;
  readonly hash: string;
  /** Time relative to the first lane: the median over rounds; at least half of the rounds lie between `low` and `high`. */
  readonly ratio: { readonly median: number; readonly low: number; readonly high: number };
  readonly memoryBytes?: number;
}

export interface RaceOutcome {
  readonly rows: readonly RaceRow[];
  /** The lanes that were left out, and why. */
  readonly skipped: readonly { readonly label: string; readonly reason: string }[];
  /** The number of hashes that were compared: same tick, same work. */
  readonly comparedHashes: number;
  /** What went wrong; empty if all agreed. */
  readonly problems: readonly string[];
  readonly remarks: readonly string[];
}

/** A line of progress in each of so many rounds. */
const TOLD_EVERY = 10;

const collectGarbage = (globalThis as { gc?: (options: { type: 'major' | 'minor' }) => void }).gc;

/** `tell` gets a line at each progress. */
export function runRace(raceCase: RaceCase, pace: Pace, tell: (line: string) => void): RaceOutcome {
  const skipped: { label: string; reason: string }[] = [];
  const lanes: Lane[] = [];
  for (const plan of raceCase.lanes) {
    const reason = whyNot(plan, raceCase.work, pace);
    if (reason !== undefined) skipped.push({ label: plan.label, reason });
    else {
      tell(`${plan.label}: warming up`);
      const lane = new Lane(plan);
      lane.warmUp(pace);
      lanes.push(lane);
    }
  }
  takeTurns(lanes, pace, tell);
  const [reference] = lanes;
  const rows = lanes.map((lane) => rowOf(lane, reference ?? lane));
  const { comparedHashes, problems } = compareHashes(lanes);
  const remarks = [...ownRules(lanes), ...(raceCase.remarks?.(rows) ?? [])];
  return { rows, skipped, comparedHashes, problems, remarks };
}

function takeTurns(lanes: readonly Lane[], pace: Pace, tell: (line: string) => void): void {
  const [reference] = lanes;
  let running = [...lanes];
  for (let round = 1; round <= pace.rounds && running[0] === reference; round++) {
    if (round % TOLD_EVERY === 1) tell(`round ${round} of ${pace.rounds}: ${running.length} lanes`);
    running = running.filter((lane) => {
      collectBefore(round, pace);
      const goesOn = lane.takeTurn(pace);
      if (!goesOn) lane.end();
      return goesOn;
    });
  }
  for (const lane of running) lane.end();
}

function collectBefore(round: number, { collectEvery }: Pace): void {
  if (collectEvery === 0) return;
  collectGarbage?.({ type: round % collectEvery === 1 ? 'major' : 'minor' });
}

/** Why an engine is not started. */
function whyNot(plan: LanePlan, work: Work, pace: Pace): string | undefined {
  const absent = plan.engine.absent?.();
  if (absent !== undefined) return absent;
  const ticks = LEAST_WARM_TICKS + LEAST_TICKS;
  const expectedMs = ticks * plan.engine.expectedTickMs(work);
  if (expectedMs <= pace.budgetMs) return undefined;
  return `${ticks} ticks would take about ${duration(expectedMs)}; the budget is ${duration(pace.budgetMs)}`;
}

function rowOf(lane: Lane, reference: Lane): RaceRow {
  const { plan, samples, memoryBytes, entities, turnMedians } = lane;
  const later = lane.ticks - 1;
  const medianMs = median(samples);
  const late = lane.percentileTime(0.99);
  const ratios = turnMedians.map((turn, round) => turn / reference.turnMedians[round]!);
  const known = ratios.filter((ratio) => ratio >= 0);
  return {
    label: plan.label,
    engine: plan.engine.name,
    entities,
    ticks: samples.length,
    medianMs,
    p99Ms: late.tickMs,
    wallP99Ms: late.wallMs,
    turnMs: turnMedians,
    nsPerEntityTick: (medianMs * 1e6) / entities,
    entered: lane.entered / later,
    left: lane.left / later,
    updated: lane.updated / later,
    relations: lane.relationsShown,
    hash: lane.hashes.get(SHOWN_TICK) ?? '',
    ratio: { median: median(known), low: percentile(known, 0.25), high: percentile(known, 0.75) },
    ...(memoryBytes === undefined ? {} : { memoryBytes }),
  };
}

function ownRules(lanes: readonly Lane[]): string[] {
  return lanes.flatMap(({ plan: { label, engine } }) =>
    engine.ownRule === undefined ? [] : [`${label}: ${engine.ownRule}`],
  );
}

/** Whether two lanes must report the same. */
function isSameWork(one: Lane, other: Lane): boolean {
  const areComparable = one.plan.engine.ownRule === undefined && other.plan.engine.ownRule === undefined;
  return areComparable && one.plan.work === other.plan.work;
}

/** Compares each lane with the first one that does the same work, on every tick that both hashed. */
function compareHashes(lanes: readonly Lane[]): { comparedHashes: number; problems: string[] } {
  const problems: string[] = [];
  let comparedHashes = 0;
  for (const lane of lanes) {
    const judge = lanes.find((other) => isSameWork(lane, other));
    if (judge === undefined || judge === lane) continue;
    for (const [tick, hash] of lane.hashes) {
      const expected = judge.hashes.get(tick);
      if (expected === undefined) continue;
      comparedHashes++;
      if (hash === expected) continue;
      const [mine, other] = [lane.plan.label, judge.plan.label];
      problems.push(`tick ${tick}: '${mine}' reports ${hash}, '${other}' ${expected}`);
      break;
    }
  }
  return { comparedHashes, problems };
}

function duration(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  if (seconds < 120) return `${Math.ceil(seconds)} s`;
  return seconds < 7200 ? `${Math.ceil(seconds / 60)} min` : `${Math.ceil(seconds / 3600)} h`;
}
