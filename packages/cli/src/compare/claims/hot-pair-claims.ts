/** Claims about hot pairs: they cost O(n), resting pairs are free, and the size of the map does not matter. */
import { fullCount } from '../../numbers.ts';
import type { Crowd } from '../comparison.ts';
import type { Results } from '../results.ts';
import { duration, listed, percent, threeDigits, times } from '../wording.ts';
import { type Claim, notMeasured, SOURCES, verdict } from './claim.ts';

/** Largest power of n that still counts as proportional, and as nearly so. */
const LINEAR = 1.15;
const NEARLY_LINEAR = 1.4;
/** Figures within this factor count as the same, and as nearly so. */
const SAME = 1.2;
const NEARLY_SAME = 1.5;
/** The share of time that a tick with one in a hundred moving may take. */
const FEW = 0.05;

export const hotPairsAreLinear: Claim = (results) => {
  const text = {
    source: SOURCES.hotPairs,
    claim: 'Hot pairs cost O(n).',
    rule: `held when a tick with all moving grows with a power of the population of at most ${LINEAR}, in part up to ${NEARLY_LINEAR}, density unchanged`,
  };
  const scenario = ['walkers', ...results.scenarios('population')].find(
    (name) => measuredCrowds(results, name, 'hot-pair').length >= 2,
  );
  const crowds = scenario === undefined ? [] : measuredCrowds(results, scenario, 'hot-pair').slice(-2);
  const [less, more] = crowds;
  if (less === undefined || more === undefined) return notMeasured(text);
  const power = powerOf(results, less, more, 'hot-pair');
  const outcome = power <= LINEAR ? 'held' : power <= NEARLY_LINEAR ? 'held in part' : 'did not hold';
  const evidence = [
    `${less.title}: from ${fullCount(less.entities)} to ${fullCount(more.entities)} entities a tick goes from ${msText(results, less)} to ${msText(results, more)}, as the power ${threeDigits(power)} of n.`,
  ];
  const allWithAll = measuredCrowds(results, less.scenario, 'brute-force').slice(-2);
  const [fewer, greater] = allWithAll;
  if (fewer !== undefined && greater !== undefined) {
    const ofAll = powerOf(results, fewer, greater, 'brute-force');
    evidence.push(`For comparison, brute force: ${threeDigits(ofAll)}.`);
  }
  return verdict(text, outcome, evidence, crowds);
};

export const restIsFreeForHotPairs: Claim = (results) => {
  const text = {
    source: SOURCES.hotPairs,
    claim: 'Pairs that rest, or hardly move, are neither visited nor measured while they are not hot.',
    rule: `held when a tick with one in a hundred moving takes at most ${percent(FEW)} of a tick with all moving, in the largest crowd`,
  };
  const crowd = measuredCrowds(results, 'walkers', 'hot-pair').at(-1);
  const few = crowd && results.ms(crowd, 'hot-pair', 'fewMoving');
  const all = crowd && results.ms(crowd, 'hot-pair', 'allMoving');
  if (crowd === undefined || few === undefined || all === undefined) return notMeasured(text);
  const evidence = [
    `${crowd.title}, ${fullCount(crowd.entities)} entities: ${duration(few)} against ${duration(all)}, ${percent(few / all)}.`,
  ];
  return verdict(text, few <= all * FEW ? 'held' : 'did not hold', evidence, [crowd]);
};

export const hotPairsIgnoreTheMap: Claim = (results) => {
  const text = {
    source: SOURCES.hotPairs,
    claim: 'Hot pairs do not depend on the size of the map, only on the entities and their positions.',
    rule: `held when the same villages, moved apart until the map is 100 times as wide, take at most ${SAME} times as long, in part up to ${NEARLY_SAME}`,
  };
  const crowds = results
    .crowds('map')
    .filter((crowd) => results.ms(crowd, 'hot-pair', 'allMoving') !== undefined);
  const first = crowds[0];
  const last = crowds.at(-1);
  if (first === undefined || last === undefined || first === last) return notMeasured(text);
  const growth = growthOf(results, first, last, 'hot-pair') as number;
  const steps = crowds.map((crowd) => `${msText(results, crowd)} at ${threeDigits(crowd.mapWidth)} wide`);
  const others = results
    .contenders([first, last])
    .filter((contender) => contender !== 'hot-pair')
    .flatMap((contender) => {
      const grown = growthOf(results, first, last, contender);
      return grown === undefined ? [] : [`${contender} ${times(grown)}`];
    });
  const evidence = [
    `${fullCount(first.entities)} people in villages: ${listed(steps)}: ${times(growth)} times.`,
    ...(others.length === 0 ? [] : [`The others here, times as long on the widest map: ${listed(others)}.`]),
  ];
  return verdict(
    text,
    growth <= SAME ? 'held' : growth <= NEARLY_SAME ? 'held in part' : 'did not hold',
    evidence,
    crowds,
  );
};

function measuredCrowds(results: Results, scenario: string, contender: string): Crowd[] {
  return results
    .crowds('population', scenario)
    .filter((crowd) => results.ms(crowd, contender, 'allMoving') !== undefined);
}

function powerOf(results: Results, less: Crowd, more: Crowd, contender: string): number {
  const growth = growthOf(results, less, more, contender) ?? Number.NaN;
  return Math.log(growth) / Math.log(more.entities / less.entities);
}

function growthOf(results: Results, first: Crowd, last: Crowd, contender: string): number | undefined {
  const before = results.ms(first, contender, 'allMoving');
  const after = results.ms(last, contender, 'allMoving');
  return before === undefined || after === undefined ? undefined : after / before;
}

function msText(results: Results, crowd: Crowd): string {
  return duration(results.ms(crowd, 'hot-pair', 'allMoving') ?? 0);
}
