/**
 * Which detector to take for this data, in words, from the measured rows by rules that a person can check.
 *
 * 1. The largest crowd of each scenario decides; small ones cost little with any detector.
 * 2. What counts is the tick in which all move, for that one must fit too: how many times as long as the best one's, as a
 *    geometric mean over those crowds. Who was skipped in one of them is out. The least wins; among those within `EQUAL`
 *    of it the tick with 1 % moving decides likewise.
 * 3. In every situation (one figure, or two that belong together) in which the pick takes `WORTH_SAYING` times as much as
 *    the best, or more, the best one is named as well, among those whose tick in which all move takes less than
 *    `HOPELESS` times as long as the best one's: memory saved by comparing all with all is no bargain.
 * 4. As long as nobody takes `UNNOTICED_MS` for a tick, any will do.
 */
import type { Crowd, Row } from './comparison.ts';
import { detectorFacts } from './detector-facts.ts';
import type { FigureName } from './figure.ts';
import type { Results } from './results.ts';
import { byteCount, duration, grouped, listed, sentence, times } from './wording.ts';

const EQUAL = 1.1;
const WORTH_SAYING = 1.25;
const HOPELESS = 20;
const UNNOTICED_MS = 1;

/** What happens in a world, and what measures how well a detector takes it. */
interface Situation {
  readonly title: string;
  /** As in 'where ...'. */
  readonly condition: string;
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
  /** By crowd, best first; empty where nobody was measured. */
  readonly standings: readonly (readonly Standing[])[];
}

export interface Advice {
  /** The pick; undefined when nobody was measured. */
  readonly pick: string | undefined;
  readonly headline: string;
  readonly reasons: readonly string[];
  /** The crowds that decide. */
  readonly crowds: readonly Crowd[];
  readonly situations: readonly SituationResult[];
}

const SITUATIONS: readonly Situation[] = [
  {
    title: 'Everybody moves',
    condition: 'everybody moves all the time',
    value: sumOf('allMoving'),
    text: duration,
  },
  {
    title: 'One in a hundred moves',
    condition: 'hardly anybody moves',
    value: sumOf('fewMoving'),
    text: duration,
  },
  {
    title: 'All come, all go',
    condition: 'whole crowds come and go at once',
    value: sumOf('add', 'remove'),
    text: duration,
  },
  {
    title: 'One comes, one goes',
    condition: 'ticks are many and bring one change each',
    value: sumOf('comes', 'goes'),
    text: duration,
  },
  { title: 'Memory', condition: 'memory is what is short', value: (row) => row.memoryBytes, text: byteCount },
];

function sumOf(...names: readonly FigureName[]): (row: Row) => number | undefined {
  return (row) => {
    let sum = 0;
    for (const name of names) {
      const figure = row.figures[name];
      if (figure === undefined) return undefined;
      sum += figure.median;
    }
    return sum;
  };
}

export function adviceFor(results: Results): Advice {
  const crowds = decidingCrowds(results);
  const situations = SITUATIONS.map((situation) => ({
    title: situation.title,
    standings: crowds.map((crowd) => standingsOf(results, crowd, situation)),
  }));
  const pick = pickFrom(results, crowds);
  if (pick === undefined) {
    return { pick, headline: 'Nothing was measured.', reasons: [], crowds, situations };
  }
  const headline = `Take ${pick}.`;
  const reasons = [
    ...idea(pick),
    ...(results.comparison.isSmoke ? ['But this is a smoke run, whose figures say nothing.'] : []),
    ...itsTicks(results, crowds, pick),
    ...exceptions(crowds, situations, pick),
    ...unnoticed(results),
  ];
  return { pick, headline, reasons, crowds, situations };
}

/** The largest crowd of each scenario in which anybody was measured. */
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

/** Rule 2. */
function pickFrom(results: Results, crowds: readonly Crowd[]): string | undefined {
  const measured = results
    .contenders(crowds)
    .filter((contender) =>
      crowds.every((crowd) => rowsOf(results, crowd).some((row) => row.contender === contender)),
    )
    .map((contender) => ({
      contender,
      moving: slowness(results, crowds, contender, 'allMoving'),
      few: slowness(results, crowds, contender, 'fewMoving'),
    }));
  const least = Math.min(...measured.map(({ moving }) => moving));
  return measured.filter(({ moving }) => moving <= least * EQUAL).sort((one, other) => one.few - other.few)[0]
    ?.contender;
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

function idea(pick: string): string[] {
  const facts = detectorFacts(pick);
  return facts === undefined ? [] : [`${sentence(pick)} ${facts.idea}: ${facts.consequence}.`];
}

/** How long its ticks take with all moving, and how far behind, or ahead, the best of the others is. */
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
    : [`A tick in which all move, and the best of the others: ${listed(parts)}.`];
}

/** Rule 3. */
function exceptions(
  crowds: readonly Crowd[],
  situations: readonly SituationResult[],
  pick: string,
): string[] {
  return situations.flatMap(({ standings }, i) => {
    const cases = new Map<string, { readonly ratio: number; readonly text: string }>();
    for (const [place, crowd] of crowds.entries()) {
      const best = standings[place]?.find(({ contender }) => isBearable(contender, situations[0], place));
      const own = standings[place]?.find(({ contender }) => contender === pick);
      if (best === undefined || own === undefined) continue;
      const ratio = own.value / best.value;
      // Of each that is better, the case in which it is most so.
      if (ratio < Math.max(WORTH_SAYING, cases.get(best.contender)?.ratio ?? 0)) continue;
      const text = `${best.contender} (${best.text} against ${own.text} for ${crowdName(crowd)})`;
      cases.set(best.contender, { ratio, text });
    }
    const { condition } = SITUATIONS[i] as Situation;
    if (cases.size === 0) return [];
    return [`Where ${condition}, look at ${listed([...cases.values()].map(({ text }) => text))}.`];
  });
}

/** Whether one's tick in which all move is not out of all proportion in the crowd at this place; not measured, it may be. */
function isBearable(contender: string, moving: SituationResult | undefined, place: number): boolean {
  const standings = moving?.standings[place] ?? [];
  const [best] = standings;
  const own = standings.find((one) => one.contender === contender);
  return best === undefined || own === undefined || own.value < best.value * HOPELESS;
}

/** Rule 4. */
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
  const most = grouped(Math.max(...quick));
  return [`Up to ${most} entities every one of them does a tick in less than a millisecond: any will do.`];
}

/** As in 'for 10,000 walkers'. */
function crowdName({ scenario, entities }: Crowd): string {
  const count = grouped(entities);
  if (scenario === 'walkers') return `${count} walkers`;
  if (scenario === 'sparse' || scenario === 'dense') return `${count} ${scenario} walkers`;
  return scenario === 'trace' ? `the recording with ${count} entities` : `a ${scenario} of ${count}`;
}
