/**
 * Estimates how long a contender will take for a script, before running it.
 *
 * Method: it runs a few steps with one in 32 of the crowd. On the same map a part of the crowd is also less dense, so the time
 * grows with the size to a power of at most 2, and of at least 1, apart from the overhead of every tick. If that does not
 * settle the question, it also runs with one in 8, and the power follows from the two. Crowds of a few thousand are not
 * estimated: no single operation takes long, so their runs stop at the budget. The number of pairs in the first report, which
 * take memory, grows with the square.
 */
import type { Clock } from '../clock.ts';
import type { Contender } from './contender.ts';
import type { CrowdScript } from './crowd-script.ts';
import { figureNames, figureOf } from './figure.ts';
import { live } from './life.ts';
import { partOf } from './script-transformations.ts';

/** Crowds up to this size are not estimated: even brute force takes less than a second per tick. */
const UNASKED_ENTITIES = 3000;
const SMALL_PART = 32;
const LARGE_PART = 8;
/** More pairs than this in one report take some gigabytes. */
const MOST_PAIRS = 200e6;
/** In a small crowd the overhead of its ticks may make an estimate too large by this factor. */
const DOUBT = 4;
const LEAST_POWER = 0.7;
/**
 * An estimate on a busy machine may be too large by this factor: up to this the contender is tried, since a run stops at its
 * budget anyway. If wrong estimates skipped contenders, the advice would differ from run to run.
 */
const TRIED = 2;

export interface Expectation {
  /** Bounds of the estimate; equal if it was estimated from two sizes. */
  readonly leastSeconds: number;
  readonly mostSeconds: number;
  /** In the first report. */
  readonly pairs: number;
}

/** Undefined if no estimate is needed. `budgetSeconds` determines how precise the estimate must be. */
export function expectedTime(
  contender: Contender,
  script: CrowdScript,
  entities: number,
  clock: Clock,
  budgetSeconds: number,
): Expectation | undefined {
  if (entities <= UNASKED_ENTITIES) return undefined;
  const small = partTime(contender, script, SMALL_PART, clock);
  const leastSeconds = small.seconds * SMALL_PART;
  const mostSeconds = small.seconds * SMALL_PART ** 2;
  if (mostSeconds <= budgetSeconds || leastSeconds > budgetSeconds * DOUBT) {
    return { leastSeconds, mostSeconds, pairs: small.pairs * SMALL_PART ** 2 };
  }
  const large = partTime(contender, script, LARGE_PART, clock);
  const power = Math.log(large.seconds / small.seconds) / Math.log(SMALL_PART / LARGE_PART);
  const seconds = large.seconds * LARGE_PART ** Math.min(2, Math.max(LEAST_POWER, power));
  return { leastSeconds: seconds, mostSeconds: seconds, pairs: large.pairs * LARGE_PART ** 2 };
}

/** Why the contender is skipped; undefined if it is not. */
export function reasonToSkip(expected: Expectation | undefined, budgetSeconds: number): string | undefined {
  if (expected === undefined) return undefined;
  const { leastSeconds, mostSeconds } = expected;
  if (leastSeconds > budgetSeconds * TRIED) {
    const least = roughSeconds(leastSeconds);
    const most = roughSeconds(mostSeconds);
    return `expected to take ${least === most ? least : `${least} to ${most}`}, budget ${budgetSeconds} s`;
  }
  if (expected.pairs > MOST_PAIRS) {
    return `expected to report ${Math.round(expected.pairs / 1e6)} million pairs at once`;
  }
  return undefined;
}

/** Time for the whole script at the speed of a few steps with a part of the crowd. */
function partTime(
  contender: Contender,
  script: CrowdScript,
  oneIn: number,
  clock: Clock,
): { readonly seconds: number; readonly pairs: number } {
  const part = partOf(script, oneIn);
  const { samples, firstPairs, world } = live(contender, part, { clock, hashed: false });
  void world.dispose();
  const counts = {
    allMoving: script.steps.length,
    fewMoving: script.fewSteps.length,
    comes: script.comers.length,
    goes: script.comers.length,
    add: 1,
    remove: 1,
  };
  let ms = 0;
  for (const name of figureNames) {
    if (samples[name].length > 0) ms += figureOf(samples[name]).median * counts[name];
  }
  return { seconds: ms / 1000, pairs: firstPairs };
}

function roughSeconds(seconds: number): string {
  if (seconds < 100) return `${seconds.toPrecision(2)} s`;
  return seconds < 6000 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toPrecision(2)} h`;
}
