/**
 * Claims about memory: a grid's memory grows with the map, a list's with the number of entities.
 *
 * The nine-grid here creates cells on first use, so the memory for creating all of them at once is computed: cells as wide as
 * the range, and for each the minimum that a list needs for its head and its count.
 */
import { fullCount } from '../../numbers.ts';
import type { Crowd } from '../comparison.ts';
import type { Results } from '../results.ts';
import { byteCount, listed, threeDigits, times } from '../wording.ts';
import { type Claim, notMeasured, outcomeOf, SOURCES, verdict } from './claim.ts';

/** The first of a cell's occupants, and their number. */
const EAGER_CELL_BYTES = 8;
const SAME = 1.2;
/** Maximum factor between the bytes per entity of two crowds: columns grow in steps. */
const SAME_EACH = 1.5;
const MUCH_LESS = 10;

/** Bytes for all cells of the map. */
export function eagerBytes({ mapWidth, mapHeight, range }: Crowd): number {
  return Math.ceil(mapWidth / range) * Math.ceil(mapHeight / range) * EAGER_CELL_BYTES;
}

export const gridMemoryGrowsWithTheMap: Claim = (results) => {
  const text = {
    source: SOURCES.compared,
    claim: "A grid's memory grows with the map: on a large map with few people it is mostly waste.",
    rule: `tried with a hundred people on maps up to 1,000 times as wide: for all cells created at once (computed, ${EAGER_CELL_BYTES} bytes per cell), and for cells created on first use (measured; it counts as grown above ${SAME} times)`,
  };
  const memory = memoryOn(results, 'nine-grid');
  if (memory === undefined) return notMeasured(text);
  const { first, last, crowds, before, after } = memory;
  const evidence = [
    `All cells created at once: ${byteCount(eagerBytes(first))} at ${threeDigits(first.mapWidth)} wide, ${byteCount(eagerBytes(last))} at ${threeDigits(last.mapWidth)} wide.`,
    `Cells created on first use: the whole world takes ${byteCount(before)} and ${byteCount(after)}, ${times(after / before)} times.`,
  ];
  return verdict(text, outcomeOf([true, after > before * SAME]), evidence, crowds);
};

export const lazyCellsSaveMemory: Claim = (results) => {
  const text = {
    source: SOURCES.nineGrid,
    claim: 'Making a cell only when it is first used saves memory.',
    rule: `held when, on the widest map, the whole world takes less than a tenth of all cells created at once`,
  };
  const memory = memoryOn(results, 'nine-grid');
  if (memory === undefined) return notMeasured(text);
  const { last, after } = memory;
  const eager = eagerBytes(last);
  const evidence = [
    `${byteCount(after)} against ${byteCount(eager)}, for ${fullCount(last.entities)} people.`,
  ];
  return verdict(text, after * MUCH_LESS < eager ? 'held' : 'did not hold', evidence, [last]);
};

export const listMemoryGrowsWithThePeople: Claim = (results) => {
  const text = {
    source: SOURCES.compared,
    claim: "A cross list's memory grows with the number of entities, whatever the map.",
    rule: `held when the widest map takes at most ${SAME} times as much, and bytes per entity differ by at most ${SAME_EACH} times between the two largest crowds`,
  };
  const memory = memoryOn(results, 'cross-list');
  if (memory === undefined) return notMeasured(text);
  const { first, last, before, after } = memory;
  const parts = [after <= before * SAME];
  const evidence = [
    `A hundred people: ${byteCount(before)} at ${threeDigits(first.mapWidth)} wide, ${byteCount(after)} at ${threeDigits(last.mapWidth)} wide.`,
  ];
  const grown = crowdsWithMemory(results, 'cross-list').slice(-2);
  const [less, more] = grown.map(({ crowd, bytes }) => bytes / crowd.entities);
  if (less !== undefined && more !== undefined) {
    parts.push(Math.max(less / more, more / less) <= SAME_EACH);
    const each = grown.map(
      ({ crowd }, i) => `${byteCount(i === 0 ? less : more)} at ${fullCount(crowd.entities)}`,
    );
    evidence.push(`Per entity: ${listed(each)}.`);
  }
  return verdict(text, outcomeOf(parts), evidence, [first, last, ...grown.map(({ crowd }) => crowd)]);
};

export const gridTakesMoreThanList: Claim = (results) => {
  const text = {
    source: SOURCES.compared,
    claim: 'A nine-grid takes much memory, a cross list little.',
    rule: `held when, in the largest crowd, a world with a nine-grid takes more than ${SAME} times that of one with a cross list`,
  };
  const last = crowdsWithMemory(results, 'cross-list')
    .filter(({ crowd }) => results.row(crowd, 'nine-grid')?.memoryBytes !== undefined)
    .at(-1);
  if (last === undefined) return notMeasured(text);
  const grid = results.row(last.crowd, 'nine-grid')?.memoryBytes ?? 0;
  const evidence = [
    `${last.crowd.title}, ${fullCount(last.crowd.entities)} entities: ${byteCount(grid)} with a nine-grid whose cells are created on first use, ${byteCount(last.bytes)} with a cross list.`,
  ];
  return verdict(text, grid > last.bytes * SAME ? 'held' : 'did not hold', evidence, [last.crowd]);
};

interface MapMemory {
  readonly crowds: readonly Crowd[];
  readonly first: Crowd;
  readonly last: Crowd;
  readonly before: number;
  readonly after: number;
}

/** A contender's memory for few entities on the smallest and the widest map. */
function memoryOn(results: Results, contender: string): MapMemory | undefined {
  const crowds = results.crowds('empty-map');
  const first = crowds[0];
  const last = crowds.at(-1);
  if (first === undefined || last === undefined || first === last) return undefined;
  const before = results.row(first, contender)?.memoryBytes;
  const after = results.row(last, contender)?.memoryBytes;
  return before === undefined || after === undefined ? undefined : { crowds, first, last, before, after };
}

/** Of the walkers, or else of the first scenario, ascending. */
function crowdsWithMemory(results: Results, contender: string): { crowd: Crowd; bytes: number }[] {
  const scenarios = results.scenarios('population');
  const scenario = scenarios.includes('walkers') ? 'walkers' : scenarios[0];
  return results.crowds('population', scenario).flatMap((crowd) => {
    const bytes = results.row(crowd, contender)?.memoryBytes;
    return bytes === undefined || crowd.entities < 1000 ? [] : [{ crowd, bytes }];
  });
}
