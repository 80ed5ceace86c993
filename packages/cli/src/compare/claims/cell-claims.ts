/** Claims about answers by cells: they are inexact, lists are not, and a move inside a cell is free. */
import { fullCount } from '../../numbers.ts';
import type { Crowd } from '../comparison.ts';
import type { Results } from '../results.ts';
import { duration, listed, percent, times } from '../wording.ts';
import { type Claim, notMeasured, outcomeOf, SOURCES, verdict } from './claim.ts';

const FREE = 2;

export const nineGridIsInexact: Claim = (results) => {
  const text = {
    source: SOURCES.compared,
    claim: 'A nine-grid by cells is inexact: entities at opposite corners of two cells count as near.',
    rule: 'held when it reports pairs that are not perceived; the share is of all pairs that it reports or should report',
  };
  const found = cellRows(results);
  if (found.length === 0) return notMeasured(text);
  const evidence = found.map(({ contender, exact, extra, missed, reported }) => {
    const share = percent((extra + missed) / (exact + extra));
    return `${contender}: ${share} of pairs wrong (${fullCount(reported)} reported, ${fullCount(extra)} of them too far away, ${fullCount(missed)} of ${fullCount(exact)} missed).`;
  });
  const ofNineGrid = found.filter(({ contender }) => contender.startsWith('nine-grid'));
  const outcome = ofNineGrid.some(({ extra }) => extra > 0) ? 'held' : 'did not hold';
  return verdict(text, outcome, evidence, [...new Set(found.map(({ crowd }) => crowd))]);
};

export const listsAreExact: Claim = (results) => {
  const text = {
    source: SOURCES.compared,
    claim: 'A cross list judges distance exactly.',
    rule: 'held when its reports have the same hash as those of all other exact detectors, in every crowd',
  };
  const compared = results.comparison.crowds.filter((crowd) => {
    const hashes = results.rows(crowd).filter((row) => row.isExact && row.hash !== undefined);
    return hashes.length > 1 && hashes.some((row) => row.contender === 'cross-list');
  });
  if (compared.length === 0) return notMeasured(text);
  const same = compared.filter((crowd) => {
    const hash = results.row(crowd, 'cross-list')?.hash;
    return results.rows(crowd).every((row) => !row.isExact || row.hash === undefined || row.hash === hash);
  });
  const evidence = [`The same hash in ${same.length} of ${compared.length} crowds.`];
  return verdict(text, same.length === compared.length ? 'held' : 'did not hold', evidence, compared);
};

export const movesInsideACellAreFree: Claim = (results) => {
  const text = {
    source: SOURCES.compared,
    claim:
      'A detector by cells need not search again while a move stays inside a cell; a list by index nodes likewise.',
    rule: `held when a tick with all moving takes the exact one at least ${FREE} times as long`,
  };
  const [crowd] = results.crowds('cells');
  if (crowd === undefined) return notMeasured(text);
  const pairs = [
    ['nine-grid', 'nine-grid by cells'],
    ['cross-list', 'cross-list by cells'],
  ] as const;
  const ratios = pairs.flatMap(([exact, byCells]) => {
    const ratio = results.ratio(crowd, exact, byCells, 'allMoving');
    return ratio === undefined ? [] : [{ exact, byCells, ratio }];
  });
  if (ratios.length === 0) return notMeasured(text);
  const evidence = ratios.map(({ exact, byCells, ratio }) => {
    const [own, other] = [byCells, exact].map((name) => duration(results.ms(crowd, name, 'allMoving') ?? 0));
    return `${byCells} ${own}, exact ${other}: ${times(ratio)} times.`;
  });
  return verdict(text, outcomeOf(ratios.map(({ ratio }) => ratio >= FREE)), evidence, [crowd]);
};

export const allWithAllIsTooMuch: Claim = (results) => {
  const text = {
    source: SOURCES.nineGrid,
    claim: 'Already with a hundred players, checking all of them for each one that moves is expensive.',
    rule: 'held when comparing all with all takes longer than a nine-grid at a hundred entities, in part when only in larger crowds',
  };
  const scenario = ['walkers', ...results.scenarios('population')].find((name) =>
    results.crowds('population', name).some((crowd) => ratioOf(results, crowd) !== undefined),
  );
  const crowds = results
    .crowds('population', scenario)
    .filter((crowd) => ratioOf(results, crowd) !== undefined);
  if (scenario === undefined || crowds.length === 0) return notMeasured(text);
  const slower = crowds.filter((crowd) => (ratioOf(results, crowd) as number) > 1);
  const outcome =
    slower.length === 0 ? 'did not hold' : (slower[0]?.entities ?? 0) <= 100 ? 'held' : 'held in part';
  const steps = crowds.map(
    (crowd) => `${times(ratioOf(results, crowd) as number)} times as long at ${fullCount(crowd.entities)}`,
  );
  return verdict(text, outcome, [`Comparing all with all takes ${listed(steps)}.`], crowds);
};

function ratioOf(results: Results, crowd: Crowd): number | undefined {
  return results.ratio(crowd, 'brute-force', 'nine-grid', 'allMoving');
}

function cellRows(results: Results) {
  return results
    .crowds('cells')
    .flatMap((crowd) =>
      results
        .rows(crowd)
        .flatMap(({ contender, inexactness }) =>
          inexactness === undefined ? [] : [{ crowd, contender, ...inexactness }],
        ),
    );
}
