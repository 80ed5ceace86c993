/**
 * Who is picked, and what is noise: rules 2 and 3 of the advice.
 *
 * A figure is a median with its quartiles. Two whose middle halves of the samples overlap would come out the other way
 * round the next time; advice that follows such a difference is another one in every run.
 */
import type { Crowd, Row } from './comparison.ts';
import type { FigureName } from './figure.ts';
import type { Results } from './results.ts';

/** Ticks below this nobody notices. */
export const UNNOTICED_MS = 1;
/** What a world has that nobody gave another. */
export const DEFAULT = 'sweep';
/** For tests and for rooms of a few dozen, and nobody expects more of it. */
export const DEFINITION = 'brute-force';
const EQUAL = 1.1;

/** Rule 2: all who took part, or all but the definition; none where anybody else takes longer. */
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

/** The default, where it is among them; else the first. */
export function defaultAmong(names: readonly string[]): string | undefined {
  return names.find((name) => name === DEFAULT) ?? names[0];
}

/** Rule 3; undefined when nobody was measured in all of the crowds. */
export function pickFrom(results: Results, crowds: readonly Crowd[]): string | undefined {
  const measured = results
    .contenders(crowds)
    .filter((contender) =>
      crowds.every((crowd) => rowsOf(results, crowd).some((row) => row.contender === contender)),
    );
  const moving = asGoodAsTheBest(results, crowds, measured, 'allMoving');
  return defaultAmong(asGoodAsTheBest(results, crowds, moving, 'fewMoving'));
}

/** Best first; who is as good as that one stands behind it. */
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

/** Whether the middle halves of the samples overlap: three quarters of the slower one's are not all above the other's. */
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
  // Where nobody moves at all there is nothing to tell them apart by.
  return high === undefined || low === undefined || low <= high;
}

/** How many times as long as the best one's, as a geometric mean over the crowds. */
function slowness(results: Results, crowds: readonly Crowd[], contender: string, name: FigureName): number {
  let sum = 0;
  for (const crowd of crowds) {
    const rows = rowsOf(results, crowd);
    const best = bestOf(rows, name);
    const own = rows.find((row) => row.contender === contender)?.figures[name]?.median;
    // Where nobody moves at all, nobody is better than another.
    if (Number.isFinite(best)) sum += Math.log((own ?? Number.POSITIVE_INFINITY) / best);
  }
  return Math.exp(sum / Math.max(1, crowds.length));
}

function bestOf(rows: readonly Row[], name: FigureName): number {
  return Math.min(...rows.map(({ figures }) => figures[name]?.median ?? Number.POSITIVE_INFINITY));
}

/** Of those that are exact and were not skipped. */
function rowsOf(results: Results, crowd: Crowd): Row[] {
  return results.rows(crowd).filter((row) => row.isExact && row.rounds > 0);
}

/** Undefined where one of them was not measured. */
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
