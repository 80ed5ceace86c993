/**
 * The pick, and what counts as noise: rules 2 and 3 of the advice.
 *
 * A figure is a median with its quartiles. If the middle halves of two sets of samples overlap, their order may be reversed in
 * the next run; advice based on such a difference would change with every run.
 */
import type { Crowd, Row } from './comparison.ts';
import type { FigureName } from './figure.ts';
import type { Results } from './results.ts';

/** Shorter ticks make no noticeable difference. */
export const UNNOTICED_MS = 1;
/** The detector of a world whose options name none. */
export const DEFAULT = 'sweep';
/** Only meant for tests and for rooms of a few dozen entities. */
export const DEFINITION = 'brute-force';
const EQUAL = 1.1;

/** Rule 2: all contenders, or all but the definition; empty if any other takes longer. */
export function whoWillDo(results: Results, crowds: readonly Crowd[]): string[] {
  if (crowds.length === 0) return [];
  const names = results.contenders(crowds).filter((name) => isExactIn(results, crowds, name));
  const quick = names.filter((name) =>
    crowds.every(
      (crowd) => (results.ms(crowd, name, 'allMoving') ?? Number.POSITIVE_INFINITY) < UNNOTICED_MS,
    ),
  );
  const isAll = names.every((name) => quick.includes(name) || name === DEFINITION);
  return isAll && quick.some((name) => name !== DEFINITION || names.length === 1) ? quick : [];
}

export function isExactIn(results: Results, crowds: readonly Crowd[], contender: string): boolean {
  return crowds.some((crowd) => results.row(crowd, contender)?.isExact === true);
}

/** The default if it is among them; else the first. */
export function defaultAmong(names: readonly string[]): string | undefined {
  return names.find((name) => name === DEFAULT) ?? names[0];
}

/** Rule 3; undefined if no contender was measured in all of the crowds. */
export function pickFrom(results: Results, crowds: readonly Crowd[]): string | undefined {
  const measured = results
    .contenders(crowds)
    .filter((contender) =>
      crowds.every((crowd) => rowsOf(results, crowd).some((row) => row.contender === contender)),
    );
  const moving = asGoodAsTheBest(results, crowds, measured, 'allMoving');
  return defaultAmong(asGoodAsTheBest(results, crowds, moving, 'fewMoving'));
}

/** The best first, then those that are as good. */
function asGoodAsTheBest(
  results: Results,
  crowds: readonly Crowd[],
  contenders: readonly string[],
  figure: FigureName,
): string[] {
  const sorted = contenders
    .map((contender) => ({ contender, slowness: slowness(results, crowds, contender, figure) }))
    .sort((one, other) => one.slowness - other.slowness);
  const [best] = sorted;
  if (best === undefined) return [];
  return sorted
    .filter(
      ({ contender, slowness: own }) =>
        own <= best.slowness * EQUAL ||
        crowds.every((crowd) => isNoise(results, crowd, best.contender, contender, [figure])),
    )
    .map(({ contender }) => contender);
}

/** Whether the middle halves of the samples overlap: the slower one's lower quartile is not above the other's upper quartile. */
export function isNoise(
  results: Results,
  crowd: Crowd,
  faster: string,
  slower: string,
  figures: readonly FigureName[],
): boolean {
  if (figures.length === 0) return false;
  const [one, other] = [results.row(crowd, faster), results.row(crowd, slower)];
  const high = one === undefined ? undefined : sumOf(one, figures, 'high');
  const low = other === undefined ? undefined : sumOf(other, figures, 'low');
  // If nothing moves at all, there is no difference to measure.
  return high === undefined || low === undefined || low <= high;
}

/** Ratio to the best one's time, as a geometric mean over the crowds. */
function slowness(results: Results, crowds: readonly Crowd[], contender: string, name: FigureName): number {
  let sum = 0;
  for (const crowd of crowds) {
    const rows = rowsOf(results, crowd);
    const best = bestOf(rows, name);
    const own = rows.find((row) => row.contender === contender)?.figures[name]?.median;
    // If nothing moves at all, no contender is better than another.
    if (Number.isFinite(best)) sum += Math.log((own ?? Number.POSITIVE_INFINITY) / best);
  }
  return Math.exp(sum / Math.max(1, crowds.length));
}

function bestOf(rows: readonly Row[], name: FigureName): number {
  return Math.min(...rows.map(({ figures }) => figures[name]?.median ?? Number.POSITIVE_INFINITY));
}

/** Rows of exact contenders that were not skipped. */
function rowsOf(results: Results, crowd: Crowd): Row[] {
  return results.rows(crowd).filter((row) => row.isExact && row.rounds > 0);
}

/** Undefined if one of the figures was not measured. */
export function sumOf(
  row: Row,
  names: readonly FigureName[],
  quartile: 'median' | 'low' | 'high',
): number | undefined {
  let sum = 0;
  for (const name of names) {
    const figure = row.figures[name];
    if (figure === undefined) return undefined;
    sum += figure[quartile];
  }
  return sum;
}
