/**
 * How long a contender will take for a script, before anybody waits for it.
 *
 * Method: it lives through a few steps with a thirty-second part of the crowd. On the same map a part of the crowd is also
 * less dense, so that time grows with its size to a power of at most 2; and, the overhead of every tick aside, of at least
 * 1. Where that does not settle it, it lives with an eighth as well, and the power is taken from the two. Crowds of a few
 * thousand are not worth the question: no operation of theirs takes long, so that their lives end with their budget. The pairs of the first report, which take memory, grow with the square.
 */
import type { Clock } from '../clock.ts';
import type { Contender } from './contender.ts';
import type { CrowdScript } from './crowd-script.ts';
import { figureNames, figureOf } from './figure.ts';
import { live } from './life.ts';
import { partOf } from './script-transformations.ts';

/** Crowds up to this are measured without asking: not even comparing all with all takes a second a tick. */
const UNASKED_ENTITIES = 3000;
const SMALL_PART = 32;
const LARGE_PART = 8;
/** More pairs than this in one report are some gigabytes. */
const MOST_PAIRS = 200e6;
/** In a small crowd the overhead of its ticks may make an estimate so many times too large. */
const DOUBT = 4;
const LEAST_POWER = 0.7;
/**
 * An estimate may be so many times too large, on a machine that does other things as well: up to this it is tried, since a life
 * ends with its budget anyway. Skipped for a wrong guess, a contender would be out of the advice in one run and not in the next.
 */
const TRIED = 2;

export interface Expectation {
  /** Between these two; they are one where it was worth asking twice. */
  readonly leastSeconds: number;
  readonly mostSeconds: number;
  /** In the first report. */
  readonly pairs: number;
}

/** Undefined where it is not worth asking. `budgetSeconds` says how exactly it has to be known. */
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

/** Why the contender is not to live through the script; undefined when it may. */
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

/** What all of the script would take at the pace at which a part of the crowd lives through a few steps. */
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
