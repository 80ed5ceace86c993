/**
 * Checks that the speed does not depend on all entities being alike: each goal's crowd beside the same crowd in which one
 * in a hundred has another range, one in a hundred is on a second layer, and there are a camera, a bell and a cloak.
 *
 * Caps, margins, weights and the odd entities are drawn from a seed. The other lanes of a case are compared with its
 * first; at smoke size brute force checks all of them.
 */
import { createIdle, createPileUp, createWalkers, Random, type Simulation } from '@umwelt/scenarios';
import type { Interest, WorldOptions } from 'umwelt';
import { type OddCalls, THREE_SENSES } from '../engines/umwelt.ts';
import { type JudgedEngine, judgedVariant } from '../engines/umwelt-interest.ts';
import type { LanePlan } from '../measure/lane.ts';
import type { RaceCase } from '../measure/race.ts';
import {
  ODD_CALLS,
  ODD_ONES,
  ODD_RULE,
  ODD_RULES,
  oddCalls,
  withCaps,
  withOddOnes,
  withOne,
  withOneRuled,
  withWeights,
} from './odd-crowds.ts';
import {
  type Choice,
  LEAST_MIXED,
  PERCEIVED,
  type Suite,
  sized,
  WALKERS_PACE,
  walkersWork,
} from './suite.ts';

export const SEED = 15;
const SPOT_RADIUS = 25;
const SPOT_PERCEIVED = 100;
const random = new Random(SEED);
/** World units, at most a tenth of a walker's range. */
export const MARGIN = random.between(2.5, 5);
const SPOT_CAP = 80 + random.below(40);
const STEADY: Interest = {
  leaveMargin: MARGIN,
  incumbentBonus: random.between(0.1, 0.5),
  minDwellTicks: 2 + random.below(8),
  memoryTicks: 10 + random.below(20),
};
export const RATES: Interest = {
  updateRates: [
    [0.25, 1],
    [0.5, 2],
    [1, 4],
  ],
};
/** Two to four times as many as walkers perceive. */
const FAR_CAP = Math.round(PERCEIVED * random.between(2, 4));

type Crowd = (entities: number) => Simulation;

const walkersOf =
  (perceived: number): Crowd =>
  (entities) =>
    createWalkers({ entities, perceived: Math.min(perceived, entities - 1) });
const walkers = walkersOf(PERCEIVED);
const idlers =
  (share: number): Crowd =>
  (entities) =>
    createIdle({ entities, perceived: PERCEIVED, share });
const spot: Crowd = (entities) =>
  createPileUp({ entities, gathered: 1, radius: SPOT_RADIUS, speed: WALKERS_PACE });

export interface LaneOptions {
  readonly options?: WorldOptions;
  readonly senses?: Readonly<Record<string, number>>;
  readonly updates?: boolean;
  readonly calls?: OddCalls;
}

export function lane(
  label: string,
  simulate: () => Simulation,
  { options, senses, updates = false, calls }: LaneOptions = {},
): LanePlan {
  const { engine, judge }: JudgedEngine = judgedVariant('umwelt', label, options, senses, calls);
  return { label, engine, judge, updates, work: label, simulate };
}

export function interestOf(interest: Interest): LaneOptions {
  return { options: { interests: { default: interest } } };
}

/** Each crowd without and with odd entities. */
const TWINS: readonly { title: string; entities: number; crowd: Crowd; lane?: LaneOptions }[] = [
  { title: '10,000 walkers', entities: 10_000, crowd: walkers },
  { title: '100,000 walkers', entities: 100_000, crowd: walkers },
  { title: '100,000 walkers, with updated', entities: 100_000, crowd: walkers, lane: { updates: true } },
  {
    title: '100,000 walkers, margin',
    entities: 100_000,
    crowd: walkers,
    lane: interestOf({ leaveMargin: MARGIN }),
  },
  {
    title: '100,000 walkers, TypeScript kernels',
    entities: 100_000,
    crowd: walkers,
    lane: { options: { kernels: 'typescript' } },
  },
  { title: '1,000,000 walkers', entities: 1_000_000, crowd: walkers },
  {
    title: '1,000,000 walkers, 2 threads',
    entities: 1_000_000,
    crowd: walkers,
    lane: { options: { threads: 2 } },
  },
  { title: '1 % of 1,000,000 move', entities: 1_000_000, crowd: idlers(0.01) },
  { title: 'nobody of 1,000,000 moves', entities: 1_000_000, crowd: idlers(0) },
];

const twinName = (title: string) => `${title}, alike and mixed`;
const ALIKE = 'all alike';
const MIXED = 'mixed';

function twinCase(choice: Choice, twin: (typeof TWINS)[number]): RaceCase {
  const entities = sized(choice, twin.entities, LEAST_MIXED);
  return {
    kind: 'race',
    name: twinName(twin.title),
    work: walkersWork(entities),
    lanes: [
      lane(ALIKE, () => twin.crowd(entities), twin.lane),
      lane(MIXED, () => withOddOnes(twin.crowd(entities), SEED), twin.lane),
    ],
  };
}

export const FEW_ODD_CASE = 'one odd among 20,000';
const CALL_LABELS = Object.keys(ODD_CALLS);
export const ODD_LABELS: readonly string[] = [
  ...Object.keys(ODD_ONES),
  ...Object.keys(ODD_RULES),
  ...CALL_LABELS,
];

/**
 * One odd entity at a time: a camera, a bell, a cloak and so on; then one watcher with a rule of its own; then calls
 * about one entity.
 */
function fewOddCase(choice: Choice): RaceCase {
  const entities = sized(choice, 20_000, LEAST_MIXED);
  return {
    kind: 'race',
    name: FEW_ODD_CASE,
    work: walkersWork(entities),
    lanes: [
      lane(ALIKE, () => walkers(entities)),
      ...Object.entries(ODD_ONES).map(([label, one]) =>
        lane(label, () => withOne(walkers(entities), one, SEED)),
      ),
      ...Object.entries(ODD_RULES).map(([label, rule]) =>
        lane(label, () => withOneRuled(walkers(entities), SEED), {
          options: { interests: { default: {}, [ODD_RULE]: rule } },
        }),
      ),
      ...CALL_LABELS.map((label) =>
        lane(label, () => walkers(entities), { calls: oddCalls(label, entities, SEED) }),
      ),
    ],
  };
}

export const RULES_CASE = 'mixed, with and without rules';

function rulesCase(choice: Choice): RaceCase {
  const entities = sized(choice, 100_000, LEAST_MIXED);
  const all = { ...interestOf({ leaveMargin: MARGIN, cap: FAR_CAP }), senses: THREE_SENSES };
  const mixed = () => withOddOnes(walkers(entities), SEED);
  return {
    kind: 'race',
    name: RULES_CASE,
    work: walkersWork(entities),
    lanes: [
      lane('no rules', mixed),
      lane('all rules', mixed, all),
      lane('all rules, all alike', () => walkers(entities), all),
    ],
  };
}

export const SPOT_CASE = 'mixed, 10,000 in one spot';
export const SPOT_LABEL = 'mixed, with margin, dwell, memory and weights';

function spotCase(choice: Choice): RaceCase {
  const entities = sized(choice, 10_000, LEAST_MIXED);
  const steady = interestOf({ ...STEADY, cap: SPOT_CAP });
  const mixed = () => withWeights(withOddOnes(spot(entities), SEED), SEED + 1);
  return {
    kind: 'race',
    name: SPOT_CASE,
    work: { entities, perceived: entities },
    lanes: [
      lane(`walkers who perceive ${SPOT_PERCEIVED}`, () => walkersOf(SPOT_PERCEIVED)(entities)),
      lane('all alike, a cap', () => spot(entities), interestOf({ cap: SPOT_CAP })),
      lane(SPOT_LABEL, mixed, steady),
      lane(`${SPOT_LABEL}, with updated`, mixed, { ...steady, updates: true }),
    ],
  };
}

/** The number of walkers, and how many others each perceives. */
const CAPPED: readonly (readonly [entities: number, perceived: number])[] = [
  [10_000, 30],
  [10_000, 100],
  [100_000, 30],
  [100_000, 100],
];
export const CAP_LABELS = {
  caps: 'caps of a quarter to one and a half',
  steady: 'such caps, margin, bonus, dwell, memory, weights',
  rates: 'such caps, update rates',
  mutual: 'such caps, mutual',
} as const;
export const CAP_CASES = CAPPED.map(
  ([entities, perceived]) =>
    `${entities.toLocaleString('en-US')} walkers who perceive ${perceived}, with caps`,
);

function capCase(choice: Choice, i: number): RaceCase {
  const [usual, perceived] = CAPPED[i]!;
  const entities = sized(choice, usual, LEAST_MIXED);
  const crowd = () => walkersOf(perceived)(entities);
  const capped = () => withCaps(crowd(), perceived, SEED + i);
  return {
    kind: 'race',
    name: CAP_CASES[i]!,
    work: { entities, perceived },
    lanes: [
      lane('no cap', crowd),
      lane(CAP_LABELS.caps, capped),
      lane(CAP_LABELS.steady, () => withWeights(capped(), SEED + i), interestOf(STEADY)),
      lane(CAP_LABELS.rates, capped, interestOf(RATES)),
      lane(CAP_LABELS.mutual, capped, interestOf({ mutual: true })),
    ],
  };
}

export const TWIN_CASES = TWINS.map(({ title }) => twinName(title));
export const MIXED_LABEL = MIXED;

export function mixedCases(choice: Choice): RaceCase[] {
  return [
    ...TWINS.map((twin) => twinCase(choice, twin)),
    fewOddCase(choice),
    rulesCase(choice),
    spotCase(choice),
    ...CAPPED.map((_, i) => capCase(choice, i)),
  ];
}

export const mixed: Suite = {
  name: 'mixed',
  summary: 'the crowds of the goals with odd entities, each beside the same crowd without them',
  cases: mixedCases,
};
