/**
 * Which detector to use for this data, in words, from the measured rows, by rules that a person can check.
 *
 * 1. The largest crowd of each scenario decides; small crowds cost little with any detector.
 * 2. If with every detector (except comparing all with all) the tick with all entities moving takes less than `UNNOTICED_MS` in
 *    all crowds, any detector will do: the default stays, and no time below that limit, nor memory below `UNNOTICED_BYTES`,
 *    counts against it.
 * 3. Otherwise the tick with all moving decides, since it must fit too: the ratio to the best one's time, as a geometric mean
 *    over those crowds. A detector that was skipped in one of them is out. Among detectors as good as the best, the tick with
 *    1 % moving decides likewise; among those as good in that too, the default is picked if it is one of them. "As good" means
 *    within `EQUAL`, or in every crowd so close that the middle halves of the samples overlap: a difference within the noise
 *    would give other advice in the next run.
 * 4. For every situation (one figure, or two that belong together) in which the pick takes at least `WORTH_SAYING` times as much
 *    as the best, by at least `WORTH_SAYING_MS`, and not by noise alone, the best one is named as well. Candidates are detectors
 *    whose tick with all moving takes less than `HOPELESS` times as long as the best one's: memory saved by comparing all with
 *    all is no bargain.
 * 5. Crowds of other densities: which detector is better there by as much, and at which density.
 */
import { fullCount } from '../numbers.ts';
import type { Crowd, Row } from './comparison.ts';
import { detectorFacts } from './detector-facts.ts';
import type { FigureName } from './figure.ts';
import {
  DEFAULT,
  DEFINITION,
  defaultAmong,
  isExactIn,
  isNoise,
  pickFrom,
  sumOf,
  UNNOTICED_MS,
  whoWillDo,
} from './pick.ts';
import type { Results } from './results.ts';
import { byteCount, duration, listed, sentence, threeDigits, times } from './wording.ts';

const WORTH_SAYING = 1.25;
/** For times that are short anyway, a smaller difference does not matter. */
const WORTH_SAYING_MS = 0.05;
const HOPELESS = 20;
/** If ticks are that short, less memory than this does not matter either. */
const UNNOTICED_BYTES = 10e6;

/** Something that happens in a world, and the figures that measure how well a detector handles it. */
interface Situation {
  readonly title: string;
  /** Completes 'If ...'. */
  readonly condition: string;
  readonly figures: readonly FigureName[];
  readonly value: (row: Row) => number | undefined;
  readonly text: (value: number) => string;
}

export interface Standing {
  readonly contender: string;
  readonly value: number;
  readonly text: string;
}

export interface SituationResult {
  readonly title: string;
  /** By crowd, best first; empty if nothing was measured. */
  readonly standings: readonly (readonly Standing[])[];
}

export interface Advice {
  /** The picked detector; undefined if nothing was measured. */
  readonly pick: string | undefined;
  readonly headline: string;
  readonly reasons: readonly string[];
  /** The crowds that decide. */
  readonly crowds: readonly Crowd[];
  readonly situations: readonly SituationResult[];
}

const SITUATIONS: readonly Situation[] = [
  {
    title: 'All entities move',
    condition: 'all entities move all the time',
    ...timesOf('allMoving'),
  },
  {
    title: 'One in a hundred moves',
    condition: 'few entities move',
    ...timesOf('fewMoving'),
  },
  {
    title: 'All added, all removed',
    condition: 'whole crowds are added and removed at once',
    ...timesOf('add', 'remove'),
  },
  {
    title: 'One added, one removed',
    condition: 'most ticks bring a single change',
    ...timesOf('comes', 'goes'),
  },
  {
    title: 'Memory',
    condition: 'memory is scarce',
    figures: [],
    value: (row) => row.memoryBytes,
    text: byteCount,
  },
];

function timesOf(...figures: readonly FigureName[]): Pick<Situation, 'figures' | 'value' | 'text'> {
  return { figures, value: (row) => sumOf(row, figures, 'median'), text: duration };
}

export function adviceFor(results: Results): Advice {
  const crowds = decidingCrowds(results);
  const situations = SITUATIONS.map((situation) => ({
    title: situation.title,
    standings: crowds.map((crowd) => standingsOf(results, crowd, situation)),
  }));
  const willDo = whoWillDo(results, crowds);
  const pick = willDo.length > 0 ? defaultAmong(willDo) : pickFrom(results, crowds);
  if (pick === undefined) {
    return { pick, headline: 'Nothing was measured.', reasons: [], crowds, situations };
  }
  const isAny = willDo.length > 0;
  const reasons = [
    ...idea(pick),
    ...(results.comparison.isSmoke ? ['But this is a smoke run: its figures mean nothing.'] : []),
    ...(isAny ? spread(results, crowds, willDo) : itsTicks(results, crowds, pick)),
    ...exceptions(results, crowds, situations, pick, isAny),
    ...otherDensities(results, pick, isAny),
    ...(isAny ? [] : unnoticed(results)),
  ];
  return { pick, headline: headlineFor(results, crowds, willDo, pick), reasons, crowds, situations };
}

function headlineFor(
  results: Results,
  crowds: readonly Crowd[],
  willDo: readonly string[],
  pick: string,
): string {
  if (willDo.length === 0) return `Take ${pick}.`;
  const others = results.contenders(crowds).filter((name) => isExactIn(results, crowds, name));
  // With a single detector there is no choice.
  if (others.length === 1) return `Take ${pick}.`;
  const but = others.length > willDo.length ? ` but ${DEFINITION}` : '';
  return `Any${but} will do; ${pick === DEFAULT ? 'keep' : 'take'} ${pick}.`;
}

/** The largest crowd of each scenario in which any detector was measured. */
function decidingCrowds(results: Results): Crowd[] {
  return results.scenarios('population').flatMap((scenario) => {
    const measured = results
      .crowds('population', scenario)
      .filter((crowd) => results.rows(crowd).some((row) => row.rounds > 0));
    return measured.slice(-1);
  });
}

function standingsOf(results: Results, crowd: Crowd, { value, text }: Situation): Standing[] {
  return results
    .rows(crowd)
    .flatMap((row) => {
      const number = row.isExact ? value(row) : undefined;
      return number === undefined ? [] : [{ contender: row.contender, value: number, text: text(number) }];
    })
    .sort((one, other) => one.value - other.value);
}

function idea(pick: string): string[] {
  const facts = detectorFacts(pick);
  return facts === undefined ? [] : [`${sentence(pick)} ${facts.idea}: ${facts.consequence}.`];
}

/** Its tick time with all moving, and how far behind, or ahead, the best of the others is. */
function itsTicks(results: Results, crowds: readonly Crowd[], pick: string): string[] {
  const [moving] = SITUATIONS;
  const parts = crowds.flatMap((crowd) => {
    const standings = standingsOf(results, crowd, moving as Situation);
    const own = standings.find(({ contender }) => contender === pick);
    const other = standings.find(({ contender }) => contender !== pick);
    if (own === undefined) return [];
    if (other === undefined) return [`${own.text} for ${crowdName(crowd)}`];
    const next = other.value < own.value ? other.text : `${times(other.value / own.value)} times as long`;
    return [`${own.text} for ${crowdName(crowd)} (${other.contender} ${next})`];
  });
  return parts.length === 0
    ? []
    : [`A tick with all entities moving, and the best of the others: ${listed(parts)}.`];
}

/** Rule 2: from the fastest to the slowest. */
function spread(results: Results, crowds: readonly Crowd[], willDo: readonly string[]): string[] {
  const [moving] = SITUATIONS;
  const parts = crowds.map((crowd) => {
    const standings = standingsOf(results, crowd, moving as Situation).filter(({ contender }) =>
      willDo.includes(contender),
    );
    const [least, most] = [standings[0] as Standing, standings.at(-1) as Standing];
    const range =
      standings.length === 1
        ? least.text
        : `${least.text} (${least.contender}) to ${most.text} (${most.contender})`;
    return `${range} for ${crowdName(crowd)}`;
  });
  return [`A tick with all entities moving takes ${listed(parts)}: the difference does not matter.`];
}

/** Rule 4. If any detector will do, differences below the limits of rule 2 do not count against the pick. */
function exceptions(
  results: Results,
  crowds: readonly Crowd[],
  situations: readonly SituationResult[],
  pick: string,
  isAny: boolean,
): string[] {
  return SITUATIONS.flatMap((situation, i) => {
    const { condition, figures } = situation;
    const unnoticed = isAny ? (figures.length > 0 ? UNNOTICED_MS : UNNOTICED_BYTES) : 0;
    const cases = new Map<string, { readonly ratio: number; readonly text: string }>();
    for (const [place, crowd] of crowds.entries()) {
      const standings = situations[i]?.standings[place];
      const best = standings?.find(({ contender }) => isBearable(contender, situations[0], place));
      const own = standings?.find(({ contender }) => contender === pick);
      if (best === undefined || own === undefined) continue;
      if (own.value < unnoticed) continue;
      if (figures.length > 0 && own.value - best.value < WORTH_SAYING_MS) continue;
      const ratio = own.value / best.value;
      // For each better detector, the case with the largest ratio.
      if (ratio < Math.max(WORTH_SAYING, cases.get(best.contender)?.ratio ?? 0)) continue;
      if (isNoise(results, crowd, best.contender, pick, figures)) continue;
      const text = `${best.contender} (${best.text} against ${own.text} for ${crowdName(crowd)})`;
      cases.set(best.contender, { ratio, text });
    }
    if (cases.size === 0) return [];
    return [`If ${condition}, consider ${listed([...cases.values()].map(({ text }) => text))}.`];
  });
}

/** Rule 5. */
function otherDensities(results: Results, pick: string, isAny: boolean): string[] {
  const [moving] = SITUATIONS as [Situation];
  const tried = results
    .crowds('density')
    .map((crowd) => ({ crowd, standings: standingsOf(results, crowd, moving) }))
    .filter(({ standings }) => standings.some(({ contender }) => contender === pick))
    .sort((one, other) => one.crowd.perceived - other.crowd.perceived);
  const [first, last] = [tried[0], tried.at(-1)];
  if (first === undefined || last === undefined || first === last || first.standings.length < 2) return [];
  const whole = `${sentence(crowdName(first.crowd))}, from ${inRange(first.crowd)} to ${inRange(last.crowd)} others in range`;
  const better = tried.flatMap(({ crowd, standings }) => {
    const best = standings[0] as Standing;
    const own = standings.find(({ contender }) => contender === pick) as Standing;
    if ((isAny && own.value < UNNOTICED_MS) || own.value < best.value * WORTH_SAYING) return [];
    if (isNoise(results, crowd, best.contender, pick, moving.figures)) return [];
    return [`${best.contender} with ${inRange(crowd)} in range (${best.text} against ${own.text})`];
  });
  if (better.length > 0) return [`${whole}: consider ${listed(better)}.`];
  return [
    isAny
      ? `${whole}: no other detector has noticeably shorter ticks at any density.`
      : `${whole}: no other detector is clearly better at any density.`,
  ];
}

function inRange({ perceived }: Crowd): string {
  return perceived >= 10 ? fullCount(Math.round(perceived)) : String(Number(threeDigits(perceived)));
}

/** Whether a detector's tick with all moving is acceptable in the crowd at this place; if it was not measured, it may be. */
function isBearable(contender: string, moving: SituationResult | undefined, place: number): boolean {
  const standings = moving?.standings[place] ?? [];
  const [best] = standings;
  const own = standings.find((one) => one.contender === contender);
  return best === undefined || own === undefined || own.value < best.value * HOPELESS;
}

/** The size up to which rule 2 would apply. */
function unnoticed(results: Results): string[] {
  const { value } = SITUATIONS[0] as Situation;
  const crowds = results.crowds('population');
  const isQuick = (crowd: Crowd) =>
    results
      .rows(crowd)
      .every((row) => !row.isExact || (value(row) ?? Number.POSITIVE_INFINITY) < UNNOTICED_MS);
  const slow = crowds.filter((crowd) => !isQuick(crowd)).map(({ entities }) => entities);
  const quick = crowds.map(({ entities }) => entities).filter((entities) => entities < Math.min(...slow));
  if (quick.length === 0) return [];
  const most = fullCount(Math.max(...quick));
  return [`Up to ${most} entities every detector does a tick in less than a millisecond: any will do.`];
}

/** Completes 'for ...': 10,000 walkers. */
function crowdName({ scenario, entities, movers }: Crowd): string {
  const count = fullCount(entities);
  if (scenario === 'world')
    return `${fullCount(movers)} players among ${fullCount(entities - movers)} things at rest`;
  if (scenario === 'walkers') return `${count} walkers`;
  if (scenario === 'sparse' || scenario === 'dense') return `${count} ${scenario} walkers`;
  return scenario === 'trace' ? `the recording with ${count} entities` : `a ${scenario} of ${count}`;
}
