/**
 * The goals of mixed worlds: the figures that the cases of the suites `mixed`, `shapes` and `mmo` must reach.
 *
 * Where one figure is required of several cases, the worst of them counts.
 */
import { kdbushThings } from '../engines/kdbush-things.ts';
import {
  CAP_CASES,
  CAP_LABELS,
  FEW_ODD_CASE,
  MIXED_LABEL,
  ODD_LABELS,
  RULES_CASE,
  SPOT_CASE,
  SPOT_LABEL,
  TWIN_CASES,
} from '../suites/mixed.ts';
import { BY_HAND, MMO_CASE, TIMES } from '../suites/mmo.ts';
import {
  AWAKE_CASE,
  AWAKE_LABEL,
  MANY_THINGS_CASE,
  MANY_THINGS_LABEL,
  SEER_CASE,
  SEER_LABEL,
  SHARES,
  SHARES_CASE,
  STILL_CASE,
  STILL_LABELS,
  shareLabel,
  THINGS_CASES,
} from '../suites/shapes.ts';
import { STREAM_CASE, STREAM_FIGURE, STREAM_LABELS } from '../suites/streaming.ts';
import { type Goal, gaugeRow, raceRow, timesFirst, worstTail, worstTimesFirst } from './goal.ts';

type Judged = Pick<Goal, 'must' | 'aim' | 'measured' | 'inTheWay'>;

/** One figure that is required of several cases. */
function shared(title: string, [first = '', ...others]: readonly string[], judged: Judged): Goal {
  return { title, caseName: first, alsoIn: others, unit: 'x', ...judged };
}

function caps(what: string, label: string, must: number, aim: number, inTheWay: string): Goal {
  return shared(`caps of 0.25 to 1.5 times what is perceived${what}, against no cap`, CAP_CASES, {
    must,
    aim,
    measured: (outcome) => timesFirst(outcome, label),
    inTheWay,
  });
}

const NO_SINGLE_PART =
  'Deciding seats, editing rows, and finding out which rows are due each take a part; [Searched seats](internals/searched-seats.md#what-was-tried-and-not-kept) says what was tried.';

const STEADY_CASES = [
  ...TWIN_CASES,
  FEW_ODD_CASE,
  RULES_CASE,
  SPOT_CASE,
  ...CAP_CASES,
  ...THINGS_CASES,
  SHARES_CASE,
  SEER_CASE,
  STILL_CASE,
];

export const unevenGoals: readonly Goal[] = [
  shared('crowds with odd entities, each against the same crowd without them; the worst', TWIN_CASES, {
    must: 1.3,
    aim: 1.1,
    measured: (outcome) => timesFirst(outcome, MIXED_LABEL),
    inTheWay:
      'The worst is the world in which 1 % of a million move: each mover searches the cells of the odd entities, too, and none of them is in a cache.',
  }),
  {
    title:
      'one odd entity (a camera, a bell, a rider, one with its own rule) among 20,000, each against none; the worst',
    caseName: FEW_ODD_CASE,
    unit: 'x',
    must: 1.1,
    aim: 1.02,
    measured: (outcome) => worstTimesFirst(outcome, ODD_LABELS),
  },
  {
    title:
      'three senses, a margin and a cap that is not reached, in a mixed crowd, against no rules, in a mixed crowd',
    caseName: RULES_CASE,
    unit: 'x',
    must: 1.8,
    aim: 1.4,
    measured: (outcome) => timesFirst(outcome, 'all rules'),
  },
  {
    title:
      '10,000 in one spot, mixed, with margin, dwell, memory and weights, against walkers that perceive 100',
    caseName: SPOT_CASE,
    unit: 'x',
    must: 12,
    aim: 4,
    measured: (outcome) => timesFirst(outcome, SPOT_LABEL),
  },
  caps('', CAP_LABELS.caps, 2.5, 1.5, NO_SINGLE_PART),
  caps(', with margin, bonus, dwell, memory and weights', CAP_LABELS.steady, 3, 2, NO_SINGLE_PART),
  caps(', with update rates', CAP_LABELS.rates, 2, 1.3, 'Nearly all of it is the time of the caps.'),
  caps(
    ', mutual',
    CAP_LABELS.mutual,
    4,
    2,
    'The caps take most of it. The rest is the pass that asks the other side of each pair for its consent.',
  ),
  {
    ...shared('few players among many things: times as fast as kdbush used well; the worst', THINGS_CASES, {
      must: 1.5,
      aim: 5,
      measured: (outcome) => timesFirst(outcome, kdbushThings.title),
    }),
    isMoreBetter: true,
  },
  {
    title: '1,000 players among 4,000,000 things',
    caseName: MANY_THINGS_CASE,
    unit: 'ms',
    must: 5,
    aim: 2,
    measured: (outcome) => raceRow(outcome, MANY_THINGS_LABEL)?.medianMs ?? Number.NaN,
  },
  {
    title: '1,000 players among 4,000,000 things, against 1,000,000',
    caseName: MANY_THINGS_CASE,
    unit: 'x',
    must: 1.15,
    aim: 1.15,
    measured: (outcome) => timesFirst(outcome, MANY_THINGS_LABEL),
  },
  {
    title: '60, 45, 20, 10 or 2 % of walkers watch, against all of them; the worst',
    caseName: SHARES_CASE,
    unit: 'x',
    must: 1,
    aim: 1,
    measured: (outcome) => worstTimesFirst(outcome, SHARES.map(shareLabel)),
  },
  {
    title: '20 % of walkers watch, against all of them',
    caseName: SHARES_CASE,
    unit: 'x',
    must: 0.75,
    aim: 0.5,
    measured: (outcome) => timesFirst(outcome, shareLabel(20)),
  },
  {
    title: '1 % of walkers are awake, against all of them',
    caseName: AWAKE_CASE,
    unit: 'x',
    must: 1,
    aim: 0.5,
    measured: (outcome) => timesFirst(outcome, AWAKE_LABEL),
  },
  {
    title: 'one watcher that sees everything among 100,000 ordinary ones, its own report included',
    caseName: SEER_CASE,
    unit: 'x',
    must: 1.1,
    aim: 1.1,
    measured: (outcome) => timesFirst(outcome, SEER_LABEL),
  },
  {
    title:
      '100,000 stationary, 200 walk: six distances by type, two senses, a box, 3-D; the worst against a circle',
    caseName: STILL_CASE,
    unit: 'x',
    must: 3,
    aim: 1.5,
    measured: (outcome) => worstTimesFirst(outcome, STILL_LABELS),
  },
  {
    title: '10,000 things streamed into a world of 1,000,000 and out, against an empty world',
    caseName: STREAM_CASE,
    unit: 'x',
    must: 1.5,
    aim: 1.1,
    measured: (outcome) => gaugeRow(outcome, STREAM_LABELS.full)?.figures[STREAM_FIGURE] ?? Number.NaN,
    inTheWay:
      'The things arrive in no order among a million entries, so nearly every one costs cache misses. With the things in the order of their places it takes a tenth less; with more room in the cells it takes as long.',
  },
  {
    title: 'a game with all its rules: times as fast as the same rules written by hand over a grid',
    caseName: MMO_CASE,
    unit: 'x',
    must: 5,
    aim: 5,
    isMoreBetter: true,
    measured: (outcome) => gaugeRow(outcome, BY_HAND)?.figures[TIMES] ?? Number.NaN,
  },
  shared('the slowest tick in a hundred against the median; the worst of all these worlds', STEADY_CASES, {
    must: 2,
    aim: 1.5,
    measured: (outcome) => worstTail(outcome, (engine) => engine === 'umwelt'),
    inTheWay:
      'The worst is a world in which nothing moves, whose tick takes 4 us. Here V8 compiles in the tick that needs the code, which takes 50 to 200 us; ten thousand such ticks later, the slowest in a hundred takes 14 us.',
  }),
];
