/**
 * Do caps cost what changes, or what is there? Crowds with caps at paces and shares of movers drawn from seeds, each beside the same crowd
 * without caps.
 *
 * A watcher whose cap is reached may cost as much in a crowd that hardly moves as in one that runs, and where one in a thousand moves as
 * where all do. Crowds at one pace do not show it. Here a seed says how fast the crowd moves and how many of it, how many others each
 * perceives, and the other rules. Caps are drawn by watcher: once around what is perceived, once far below it. The first lane of each case
 * is the crowd without caps; `--seed` runs one crowd again.
 */
import { createIdle, Random } from '@umwelt/scenarios';
import type { Interest } from 'umwelt';
import type { RaceCase } from '../measure/race.ts';
import { byFactor } from './drawn-crowd.ts';
import { interestOf, lane, RATES } from './mixed.ts';
import { withCaps, withWeights } from './odd-crowds.ts';
import { type Choice, LEAST_MIXED, type Suite, seedsOf, sized, WALKERS_PACE } from './suite.ts';

const ENTITIES = 20_000;
const USUAL_SEEDS = 12;
const SMOKE_SEEDS = 4;
/** World units a second. */
const LEAST_PACE = 0.05;
const LEAST_SHARE = 0.001;

/** One of these is drawn. A rule may keep a watcher from being passed over while nothing around it changes. */
const OTHER_RULES: readonly (readonly [name: string, rule: (perceived: number) => Interest])[] = [
  ['a quota', (perceived) => ({ quotas: [{ layers: 1, cap: Math.ceil(perceived / 3) }] })],
  ['a quota and a margin', (perceived) => ({ quotas: [{ layers: 1, cap: perceived }], leaveMargin: 3 })],
  ['admit', () => ({ admit: () => true })],
  ['mutual', () => ({ mutual: true })],
  ['mutual and a margin', () => ({ mutual: true, leaveMargin: 3 })],
  ['lingerTicks', () => ({ lingerTicks: 10 })],
  ['an enter budget', () => ({ enterBudget: 3 })],
  ['update rates', () => RATES],
];

export const paces: Suite = {
  name: 'paces',
  summary: 'crowds with caps, from running to nearly at rest, drawn from seeds: do caps cost what changes?',
  cases: (choice) => seedsOf(choice, USUAL_SEEDS, SMOKE_SEEDS).map((seed) => paceCase(choice, seed)),
};

function paceCase(choice: Choice, seed: number): RaceCase {
  const random = new Random(seed);
  const between = byFactor(random);
  // In half of the worlds all move, and in the others all that move run.
  const isSlow = random.unit() < 0.5;
  const speed = isSlow ? between(LEAST_PACE, WALKERS_PACE) : WALKERS_PACE;
  const share = isSlow ? 1 : between(LEAST_SHARE, 1);
  const perceived = Math.round(between(10, 120));
  const steady: Interest = {
    leaveMargin: random.between(0, 5),
    minDwellTicks: random.below(8),
    memoryTicks: random.below(30),
  };
  const [ruleName, rule] = OTHER_RULES[random.below(OTHER_RULES.length)]!;
  const entities = sized(choice, ENTITIES, LEAST_MIXED);
  const crowd = () => createIdle({ entities, perceived, share, speed, walkSeconds: 30 });
  const near = () => withCaps(crowd(), perceived, seed);
  const far = () => withCaps(crowd(), perceived / 6, seed);
  const moving =
    share < 1 ? `${rounded(100 * share)} % run` : `all at ${rounded(speed / WALKERS_PACE)} of the pace`;
  return {
    kind: 'race',
    name: `seed ${seed}: ${moving}, perceive ${perceived}`,
    work: { entities, perceived },
    lanes: [
      lane('no cap', crowd),
      lane('caps around what is perceived', near),
      lane('the same, margin, dwell, memory, weights', () => withWeights(near(), seed), interestOf(steady)),
      lane('caps far below it', far),
      lane(`caps around it, ${ruleName}`, near, interestOf(rule(perceived))),
    ],
  };
}

function rounded(value: number): string {
  return value.toPrecision(2);
}
