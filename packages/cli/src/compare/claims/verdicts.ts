/** All claims that are tested, in the order of the table. To add one: a function, and a line here. */
import type { Results } from '../results.ts';
import {
  allWithAllIsTooMuch,
  listsAreExact,
  movesInsideACellAreFree,
  nineGridIsInexact,
} from './cell-claims.ts';
import type { Claim, Verdict } from './claim.ts';
import { denserFavoursTheGrid, indexNodesFindThePlace, movingIsClose } from './density-claims.ts';
import { hotPairsAreLinear, hotPairsIgnoreTheMap, restIsFreeForHotPairs } from './hot-pair-claims.ts';
import {
  gridMemoryGrowsWithTheMap,
  gridTakesMoreThanList,
  lazyCellsSaveMemory,
  listMemoryGrowsWithThePeople,
} from './memory-claims.ts';
import { observersServeUnequalViews } from './observer-claims.ts';
import { publishedInsertions, publishedTicks } from './published-claims.ts';

const CLAIMS: readonly Claim[] = [
  denserFavoursTheGrid,
  movingIsClose,
  gridMemoryGrowsWithTheMap,
  gridTakesMoreThanList,
  lazyCellsSaveMemory,
  listMemoryGrowsWithThePeople,
  nineGridIsInexact,
  listsAreExact,
  movesInsideACellAreFree,
  indexNodesFindThePlace,
  hotPairsAreLinear,
  hotPairsIgnoreTheMap,
  restIsFreeForHotPairs,
  observersServeUnequalViews,
  allWithAllIsTooMuch,
  publishedTicks,
  publishedInsertions,
];

export function verdictsOn(results: Results): Verdict[] {
  return CLAIMS.map((claim) => claim(results));
}
