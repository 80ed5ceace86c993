/** Claim about observer cells: they find the watchers of a mover cheaply if ranges differ. */
import { fullCount } from '../../numbers.ts';
import type { Results } from '../results.ts';
import { duration, times } from '../wording.ts';
import { type Claim, notMeasured, SOURCES, verdict } from './claim.ts';

/** A scenario with different ranges. */
const UNEQUAL = 'city';
const GRID = 'nine-grid';
const TOWER = 'tower';
/** Ratios further from 1 than this mean that one is faster. */
const FASTER = 1.1;

export const observersServeUnequalViews: Claim = (results) => {
  const text = {
    source: SOURCES.observers,
    claim: 'If ranges are unequal, it pays that each cell stores which cells contain watchers that see it.',
    rule: `tried in the largest ${UNEQUAL}, whose ranges differ: held when a tick with all moving takes a ${TOWER} less than 1/${FASTER} of the time of a ${GRID}, whose neighbourhood is as wide for all; in part when its ratio is better there than with equal ranges`,
  };
  const ratioOf = (scenario: string) => {
    const crowd = results
      .crowds('population', scenario)
      .findLast((one) => results.ratio(one, TOWER, GRID, 'allMoving') !== undefined);
    return crowd && { crowd, ratio: results.ratio(crowd, TOWER, GRID, 'allMoving') as number };
  };
  const unequal = ratioOf(UNEQUAL);
  if (unequal === undefined) return notMeasured(text);
  const { crowd, ratio } = unequal;
  const evidence = [
    `${crowd.title}, ${fullCount(crowd.entities)} entities: ${msText(results, crowd.id, TOWER)} against ${msText(results, crowd.id, GRID)}, ${times(ratio)} times.`,
  ];
  const equal = ratioOf('walkers');
  if (equal !== undefined) {
    evidence.push(
      `${equal.crowd.title}, ${fullCount(equal.crowd.entities)} entities, all of which see equally far: ${times(equal.ratio)} times.`,
    );
  }
  const crowds = equal === undefined ? [crowd] : [crowd, equal.crowd];
  const isBetter = equal !== undefined && ratio * FASTER < equal.ratio;
  const outcome = ratio * FASTER < 1 ? 'held' : isBetter ? 'held in part' : 'did not hold';
  return verdict(text, outcome, evidence, crowds);
};

function msText(results: Results, crowdId: string, contender: string): string {
  const crowd = results.crowd(crowdId);
  return duration((crowd && results.ms(crowd, contender, 'allMoving')) ?? 0);
}
