/**
 * Claims about grid and list at growing density: the denser the crowd, the more the grid wins at adding and removing; for moving
 * they are close; a list's index nodes find a new entity's place.
 *
 * Density is counted both ways, as entities per cell and as cells per entity; the source calls the latter 'density'. The list
 * it measured first walks from its head to find a place; the one it measured later has index nodes. Both are tested if both
 * are there, adding all at once and one by one.
 */
import { fullCount } from '../../numbers.ts';
import type { Crowd } from '../comparison.ts';
import { FIGURES, type FigureName } from '../figure.ts';
import type { Results } from '../results.ts';
import { duration, threeDigits, times } from '../wording.ts';
import { type Claim, notMeasured, outcomeOf, SOURCES, verdict } from './claim.ts';

const GRID = 'nine-grid';
/** With index nodes; and walking from the head. */
export const LIST = 'cross-list';
export const PLAIN_LIST = 'cross-list without index';
/** By this factor more the grid must win where the crowd is densest. */
const MORE = 1.25;
/** Times within this factor count as nearly the same. */
const CLOSE = 1.5;
const FINDS_FASTER = 2;
const FINDS_MUCH_FASTER = 20;

export const denserFavoursTheGrid: Claim = (results) => {
  const text = {
    source: SOURCES.compared,
    claim:
      'Adding and removing: the more cells there are for each entity, the closer grid and list; the fewer, the more the grid wins.',
    rule: `held for an operation when in the denser half of the crowds the list takes longer than the grid, and at least ${MORE} times as much longer as in the sparser half, both as geometric means`,
  };
  const crowds = comparableCrowds(results);
  if (crowds.length < 2) return notMeasured(text);
  const parts: boolean[] = [];
  const rows: string[][] = [];
  for (const list of results.contenders(crowds).filter((name) => name === LIST || name === PLAIN_LIST)) {
    for (const figure of ['add', 'remove', 'comes', 'goes'] as const) {
      const ratios = crowds.map((crowd) => results.ratio(crowd, list, GRID, figure) ?? Number.NaN);
      if (ratios.some(Number.isNaN)) continue;
      const sparser = geometricMean(ratios.slice(0, Math.ceil(ratios.length / 2)));
      const denser = geometricMean(ratios.slice(-Math.ceil(ratios.length / 2)));
      const holds = denser > 1 && denser >= sparser * MORE;
      parts.push(holds);
      const title = `${FIGURES[figure].title}${list === LIST ? '' : ', no index'}`;
      rows.push([title, ...ratios.map((ratio) => times(ratio)), holds ? '✓' : '✗']);
    }
  }
  const evidence = [
    `${fullCount(crowds[0]?.entities ?? 0)} walkers; time of a list as a multiple of the ${GRID}'s:`,
  ];
  return verdict(text, outcomeOf(parts), evidence, crowds, { heads: densityHeads(crowds, ['']), rows });
};

function geometricMean(ratios: readonly number[]): number {
  return Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length);
}

export const movingIsClose: Claim = (results) => {
  const text = {
    source: SOURCES.compared,
    claim: 'Moving: grid and list are close to each other.',
    rule: `held when, at every density, a tick with all moving takes one of them at most ${CLOSE} times as long as the other`,
  };
  const crowds = comparableCrowds(results);
  if (crowds.length === 0) return notMeasured(text);
  const ratios = crowds.map((crowd) => results.ratio(crowd, LIST, GRID, 'allMoving') as number);
  const parts = ratios.map((ratio) => Math.max(ratio, 1 / ratio) <= CLOSE);
  const evidence = [`Time of a ${LIST} as a multiple of the ${GRID}'s:`];
  const rows = [[FIGURES.allMoving.title, ...ratios.map((ratio) => times(ratio))]];
  return verdict(text, outcomeOf(parts), evidence, crowds, { heads: densityHeads(crowds), rows });
};

export const indexNodesFindThePlace: Claim = (results) => {
  const text = {
    source: SOURCES.compared,
    claim: 'Index nodes along the axes find the place of a new entity without a walk from the head.',
    rule: `held when, in the largest crowd without watchers, adding one entity takes a list without them at least ${FINDS_MUCH_FASTER} times as long, in part from ${FINDS_FASTER} times on`,
  };
  const ratioIn = (crowd: Crowd) => results.ratio(crowd, PLAIN_LIST, LIST, 'comes');
  const crowds = results.crowds('insertion').filter((crowd) => ratioIn(crowd) !== undefined);
  if (crowds.length === 0) return notMeasured(text);
  const ratios = crowds.map((crowd) => ratioIn(crowd) as number);
  const last = ratios.at(-1) as number;
  const evidence = [`${FIGURES.comes.title}, the whole tick, without watchers:`];
  const watched = results.crowds('density').filter((crowd) => ratioIn(crowd) !== undefined);
  if (watched.length > 0) {
    const all = watched.map((crowd) => ratioIn(crowd) as number);
    evidence.unshift(
      `Among ${fullCount(watched[0]?.entities ?? 0)} walkers, all of them watchers, so that a tick also finds the pairs of the new entity: ${times(Math.min(...all))} to ${times(Math.max(...all))} times as long without them.`,
    );
  }
  const rows = [GRID, LIST, PLAIN_LIST]
    .filter((name) => crowds.every((crowd) => results.ms(crowd, name, 'comes') !== undefined))
    .map((name) => [name, ...crowds.map((crowd) => duration(results.ms(crowd, name, 'comes') as number))]);
  const table = {
    heads: [['entities', ...crowds.map(({ entities }) => fullCount(entities))]],
    rows: [...rows, ['times as long without index', ...ratios.map((ratio) => times(ratio))]],
  };
  const outcome = last >= FINDS_MUCH_FASTER ? 'held' : last >= FINDS_FASTER ? 'held in part' : 'did not hold';
  return verdict(text, outcome, evidence, [...crowds, ...watched], table);
};

/** Sparsest first, crowds in which both grid and list were measured. */
export function comparableCrowds(results: Results, figure: FigureName = 'allMoving'): Crowd[] {
  return results
    .crowds('density')
    .filter((crowd) => results.ratio(crowd, LIST, GRID, figure) !== undefined)
    .sort((one, other) => one.entitiesPerCell - other.entitiesPerCell);
}

/** Both ways to count density, as the first two rows of a table. */
function densityHeads(crowds: readonly Crowd[], more: readonly string[] = []): string[][] {
  return [
    ['entities per cell', ...crowds.map((crowd) => threeDigits(crowd.entitiesPerCell)), ...more],
    ['cells per entity', ...crowds.map((crowd) => threeDigits(crowd.cellsPerEntity)), ...more],
  ];
}
