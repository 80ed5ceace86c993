/** What is said of observer cells: that they find who sees a mover where some see farther than others. */
import type { Results } from '../results.ts';
import { duration, grouped, times } from '../wording.ts';
import { type Claim, notMeasured, SOURCES, verdict } from './claim.ts';

/** Ranges differ there. */
const UNEQUAL = 'city';
const GRID = 'nine-grid';
const TOWER = 'tower';

export const observersServeUnequalViews: Claim = (results) => {
  const text = {
    source: SOURCES.observers,
    claim: 'Where views are unequal, each cell keeps which cells hold somebody who sees it.',
    rule: `tried in the largest ${UNEQUAL}, whose ranges differ: held when a tick with all moving takes a ${TOWER} less time than a ${GRID} with as wide a neighbourhood for all`,
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
    `${crowd.title}, ${grouped(crowd.entities)} entities: ${msText(results, crowd.id, TOWER)} against ${msText(results, crowd.id, GRID)}, ${times(ratio)} times.`,
  ];
  const equal = ratioOf('walkers');
  if (equal !== undefined) {
    evidence.push(
      `${equal.crowd.title}, ${grouped(equal.crowd.entities)} entities, who all see equally far: ${times(equal.ratio)} times.`,
    );
  }
  const crowds = equal === undefined ? [crowd] : [crowd, equal.crowd];
  return verdict(text, ratio < 1 ? 'held' : 'did not hold', evidence, crowds);
};

function msText(results: Results, crowdId: string, contender: string): string {
  const crowd = results.crowd(crowdId);
  return duration((crowd && results.ms(crowd, contender, 'allMoving')) ?? 0);
}
