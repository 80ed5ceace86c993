/**
 * A published measurement of nine-grid and cross list in C++; its crowds are measured again here.
 *
 * Ten thousand players with sensors of radius 100, on maps of ±1,000 and ±10,000, walk 6 units per second and are checked ten
 * times per second. Its tick finds the entered and left pairs; moving the lists is measured separately ('update') and is part
 * of our tick, so the two are added. Its insertion puts players into cells, or into lists one after the other with all crossings
 * on the way; ours also reports the pairs of each. Only ratios can be compared.
 */
import { fullCount } from '../../numbers.ts';
import type { Crowd } from '../comparison.ts';
import { FIGURES } from '../figure.ts';
import type { Results } from '../results.ts';
import { duration, listed, times } from '../wording.ts';
import { type Claim, notMeasured, SOURCES, verdict } from './claim.ts';
import { LIST, PLAIN_LIST } from './density-claims.ts';

const GRID = 'nine-grid';

interface Published {
  /** Half the map's width. */
  readonly half: number;
  /** Milliseconds, grid then list: a tick, one pass of position updates, inserting all. */
  readonly tick: readonly [number, number];
  readonly update: readonly [number, number];
  readonly insert: readonly [number, number];
}

const PUBLISHED: readonly Published[] = [
  { half: 1000, tick: [93.8, 42.8], update: [1.84, 20.3], insert: [6.7, 1643] },
  { half: 10_000, tick: [12.1, 6.33], update: [1.9, 4.26], insert: [9.05, 571] },
];
/** Ratios further from 1 than this mean that one is faster. */
const FASTER = 1.1;
const MUCH_SLOWER = 10;
const SLOWER = 1.5;

export const publishedTicks: Claim = (results) => {
  const text = {
    source: SOURCES.measured,
    claim:
      'A tick takes the list less time than the grid: 43 ms against 94 ms on ±1,000, 63 against 96 with the moving of positions.',
    rule: `held when the list takes less than 1/${FASTER} of the grid's time on both maps, in part when on one`,
  };
  const found = publishedCrowds(results);
  if (found.length === 0) return notMeasured(text);
  let held = 0;
  const evidence = found.map(({ crowd, published }) => {
    const ratio = results.ratio(crowd, LIST, GRID, 'allMoving') as number;
    if (ratio * FASTER < 1) held++;
    const [grid, list] = [0, 1].map((i) => (published.tick[i] ?? 0) + (published.update[i] ?? 0));
    const theirs = (list ?? 0) / (grid ?? 1);
    return `${crowd.title}: list to grid ${times(ratio)} here (${msText(results, crowd, LIST)} to ${msText(results, crowd, GRID)}), ${times(theirs)} there.`;
  });
  const outcome = held === found.length ? 'held' : held > 0 ? 'held in part' : 'did not hold';
  return verdict(
    text,
    outcome,
    evidence,
    found.map(({ crowd }) => crowd),
  );
};

export const publishedInsertions: Claim = (results) => {
  const text = {
    source: SOURCES.measured,
    claim:
      'Inserting all players is cheap for the grid and expensive for the list: 6.7 ms against 1.64 s on ±1,000.',
    rule: `held when adding one entity, to these players or to a crowd without watchers, takes a list walked from its head at least ${MUCH_SLOWER} times as long as the grid, in part from ${SLOWER} times on`,
  };
  const found = publishedCrowds(results);
  if (found.length === 0) return notMeasured(text);
  const rows = [['one by one, there', ...found.map(({ published }) => times(there(published)))]];
  let most = 0;
  for (const list of [PLAIN_LIST, LIST]) {
    for (const figure of ['comes', 'add'] as const) {
      const ratios = found.map(({ crowd }) => results.ratio(crowd, list, GRID, figure));
      if (ratios.some((ratio) => ratio === undefined)) continue;
      if (figure === 'comes') most = Math.max(most, ...(ratios as number[]));
      rows.push([`${FIGURES[figure].title}, ${list}`, ...(ratios as number[]).map(times)]);
    }
  }
  const table = { heads: [['', ...found.map(({ crowd }) => crowd.title)]], rows };
  const evidence: string[] = [];
  const unwatched = results
    .crowds('insertion')
    .filter((crowd) => results.ratio(crowd, PLAIN_LIST, GRID, 'comes') !== undefined);
  if (unwatched.length > 0) {
    const ratios = unwatched.map((crowd) => results.ratio(crowd, PLAIN_LIST, GRID, 'comes') as number);
    most = Math.max(most, ...ratios);
    const steps = (contender: string) =>
      listed(unwatched.map((crowd) => duration(results.ms(crowd, contender, 'comes') ?? 0)));
    const sizes = listed(unwatched.map(({ entities }) => fullCount(entities)));
    evidence.push(
      `Without watchers, adding one to ${sizes}: grid ${steps(GRID)}; ${PLAIN_LIST} ${steps(PLAIN_LIST)}, ${listed(ratios.map(times))} times as long.`,
    );
  }
  evidence.push(`Time of a list as a multiple of the ${GRID}'s:`);
  const outcome = most >= MUCH_SLOWER ? 'held' : most >= SLOWER ? 'held in part' : 'did not hold';
  return verdict(text, outcome, evidence, [...found.map(({ crowd }) => crowd), ...unwatched], table);
};

/** Ratio of list to grid. */
function there({ insert }: Published): number {
  return insert[1] / insert[0];
}

function publishedCrowds(results: Results): { crowd: Crowd; published: Published }[] {
  return results.crowds('published').flatMap((crowd) => {
    const published = PUBLISHED.find(({ half }) => crowd.id.endsWith(`/${half}`));
    const isThere = results.ratio(crowd, LIST, GRID, 'allMoving') !== undefined;
    return published === undefined || !isThere ? [] : [{ crowd, published }];
  });
}

function msText(results: Results, crowd: Crowd, contender: string): string {
  return duration(results.ms(crowd, contender, 'allMoving') ?? 0);
}
