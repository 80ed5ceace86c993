/**
 * The plan of a comparison: which crowds are measured, and how thoroughly.
 *
 * The requested crowds grow, and one crowd gets denser. Unless left out, more crowds serve to test claims about these
 * algorithms (`claims/`): villages and a hundred people on growing maps, growing crowds without watchers, the crowds of a
 * published comparison, and one for contenders by cells.
 */
import {
  createScenario,
  createWalkers,
  createWorldOfThings,
  type Simulation,
  scenarioDescriptions,
  type Trace,
} from '@umwelt/scenarios';
import { fullCount } from '../numbers.ts';
import { type Contender, cellContenders, plainList } from './contender.ts';
import type { CrowdLabel } from './crowd-facts.ts';
import { type CrowdScript, recordCrowd, type ScriptLength } from './crowd-script.ts';
import { inVillages, scattered, unwatched } from './script-transformations.ts';

/** One crowd to be measured. */
export interface CrowdPlan {
  readonly label: CrowdLabel;
  readonly contenders: readonly Contender[];
  /** How often each contender runs through the script, if the budget allows. */
  readonly rounds: number;
  script(): Promise<CrowdScript>;
}

/** The request. */
export interface ComparisonPlan {
  readonly source: ScenarioSource | TraceSource;
  readonly contenders: readonly Contender[];
  readonly seed: number;
  readonly hasClaims: boolean;
  readonly isSmoke: boolean;
}

export interface ScenarioSource {
  readonly scenarios: readonly string[];
  /** Ascending. */
  readonly populations: readonly number[];
  /** Numbers of things in 'world', ascending, and the number of players among them. */
  readonly things: readonly number[];
  readonly players: number;
}

export interface TraceSource {
  readonly trace: Trace;
  /** Absent: chosen from the recording. */
  readonly range: number | undefined;
  readonly playbackSpeed: number | undefined;
  /** Copies side by side in each direction, ascending. */
  readonly tiles: readonly number[];
}

/** Mean number of other entities in range. */
const SPARSE = 3;
const EVEN = 30;
const DENSE = 100;
const DENSITIES = [1, 3, 10, 30, 100, 300];
const WORLD_DENSITIES = [10, 30, 100, 300];
const RANGE_FACTORS = [0.25, 0.5, 1, 2, 4];
const MAP_FACTORS = [1, 10, 100];
const EMPTY_MAP_FACTORS = [1, 10, 100, 1000];
const INSERTION_POPULATIONS = [1000, 10_000, 100_000];
const NEWCOMERS = 32;
/** Size of the crowd whose density changes, and of the crowds for claims. */
const CLAIM_ENTITIES = 10_000;
const SMOKE_ENTITIES = 200;
const VILLAGES = 10;

/** The scenario with players and things, which are counted separately. */
export const WORLD = 'world';

/** Crowds that are no scenarios of their own: name and description. */
const namedCrowds: Readonly<Record<string, string>> = {
  sparse: `walkers with ${SPARSE} others in range`,
  dense: `walkers with ${DENSE} others in range`,
};

/** Every name that `--scenario` accepts, with its description. */
export const crowdDescriptions: Readonly<Record<string, string>> = {
  ...namedCrowds,
  ...scenarioDescriptions,
};

export const defaultScenarios: readonly string[] = ['sparse', 'walkers', 'dense', 'city'];
export const smokeScenarios: readonly string[] = ['walkers', 'city'];

/** All crowds of a plan, in the order of measuring. */
export function crowdPlans(plan: ComparisonPlan): CrowdPlan[] {
  const plans = 'trace' in plan.source ? tracePlans(plan, plan.source) : scenarioPlans(plan, plan.source);
  if (plan.hasClaims) plans.push(...claimPlans(plan));
  return plans.filter(({ contenders }) => contenders.length > 0);
}

/** Longer for small crowds, whose ticks are short. */
function lengthFor(entities: number, isSmoke: boolean): Omit<ScriptLength, 'lead'> {
  if (isSmoke) return { steps: 4, fewSteps: 3, comers: 3 };
  if (entities <= 2000) return { steps: 34, fewSteps: 32, comers: 32 };
  if (entities <= 20_000) return { steps: 16, fewSteps: 16, comers: 24 };
  return { steps: 7, fewSteps: 8, comers: 12 };
}

function roundsFor(entities: number, isSmoke: boolean): number {
  if (isSmoke) return 1;
  return entities <= 2000 ? 5 : 3;
}

function planFor(
  plan: ComparisonPlan,
  label: CrowdLabel,
  entities: number,
  contenders: readonly Contender[],
  open: () => Simulation,
  transform: (script: CrowdScript) => CrowdScript = (script) => script,
): CrowdPlan {
  const { isSmoke, seed } = plan;
  return {
    label,
    contenders,
    rounds: roundsFor(entities, isSmoke),
    script: async () => transform(recordCrowd(open(), { lead: 1, ...lengthFor(entities, isSmoke) }, seed)),
  };
}

function scenarioPlans(plan: ComparisonPlan, source: ScenarioSource): CrowdPlan[] {
  const { contenders, isSmoke, seed } = plan;
  const { scenarios, populations } = source;
  const plans = scenarios.flatMap((scenario) => {
    if (scenario === WORLD)
      return source.things.map((things) => worldPlan(plan, source, things, 'population'));
    return populations.map((entities) => {
      const label = {
        id: `population/${scenario}/${entities}`,
        series: 'population' as const,
        scenario,
        title: titleOf(scenario),
      };
      return planFor(plan, label, entities, contenders, () => crowdNamed(scenario, entities, seed));
    });
  });
  if (scenarios.every((scenario) => scenario === WORLD)) {
    const things = source.things.at(-1) ?? 1;
    const perceived = isSmoke ? [3, 30] : WORLD_DENSITIES;
    return [...plans, ...perceived.map((count) => worldPlan(plan, source, things, 'density', count))];
  }
  const entities = Math.min(populations.at(-1) ?? 1, isSmoke ? SMOKE_ENTITIES : CLAIM_ENTITIES);
  for (const perceived of isSmoke ? [3, 30] : DENSITIES) {
    const label = {
      id: `density/walkers/${perceived}`,
      series: 'density' as const,
      scenario: 'walkers',
      title: `Walkers, ${perceived} in range`,
    };
    plans.push(
      planFor(plan, label, entities, withPlainList(withoutBruteForce(plan)), () =>
        createWalkers({ entities, seed, perceived }),
      ),
    );
  }
  return plans;
}

/** Players among resting things. */
function worldPlan(
  plan: ComparisonPlan,
  { players }: ScenarioSource,
  things: number,
  series: 'population' | 'density',
  perceived = DENSE,
): CrowdPlan {
  const entities = things + players;
  const label = {
    id: `${series}/${WORLD}/${series === 'density' ? perceived : entities}`,
    series,
    scenario: WORLD,
    title: `World, ${fullCount(players)} players, ${perceived} in range`,
  };
  const contenders = series === 'density' ? withoutBruteForce(plan) : plan.contenders;
  return planFor(plan, label, entities, contenders, () =>
    createWorldOfThings({ entities, players, seed: plan.seed, perceived }),
  );
}

function crowdNamed(name: string, entities: number, seed: number): Simulation {
  if (name === 'sparse') return createWalkers({ entities, seed, perceived: SPARSE });
  if (name === 'dense') return createWalkers({ entities, seed, perceived: DENSE });
  return createScenario(name, { entities, seed });
}

function titleOf(scenario: string): string {
  if (scenario === 'walkers') return `Walkers, ${EVEN} in range`;
  if (scenario === 'sparse') return `Sparse, ${SPARSE} in range`;
  if (scenario === 'dense') return `Dense, ${DENSE} in range`;
  return `${scenario.charAt(0).toUpperCase()}${scenario.slice(1).replace('-', ' ')}`;
}

function tracePlans(plan: ComparisonPlan, source: TraceSource): CrowdPlan[] {
  const { tiles } = source;
  const plans = tiles.map((tile) => tracePlan(plan, source, { tile }, 'population', `${tile} × ${tile}`));
  const tile = tiles.at(-1) ?? 1;
  const factors = plan.isSmoke ? [0.5, 1] : RANGE_FACTORS;
  for (const factor of factors) {
    plans.push(tracePlan(plan, source, { tile, rangeFactor: factor }, 'density', `range × ${factor}`));
  }
  return plans;
}

/** The recording, from its fullest moment on. */
function tracePlan(
  plan: ComparisonPlan,
  { trace, range, playbackSpeed: speed }: TraceSource,
  { tile, rangeFactor = 1 }: { readonly tile: number; readonly rangeFactor?: number },
  series: 'population' | 'density',
  variant: string,
): CrowdPlan {
  const { contenders, isSmoke, seed } = plan;
  const label = {
    id: `${series}/trace/${variant.replace(/ × /u, '-')}`,
    series,
    scenario: 'trace',
    title: `Recording, ${variant}`,
  };
  const entities = trace.fullest.count * tile * tile;
  return {
    label,
    contenders,
    rounds: isSmoke ? 1 : 3,
    script: async () => {
      const simulation = trace.play({
        tile,
        speed,
        range: (range ?? trace.usualRange) * rangeFactor,
        loop: true,
        startSeconds: trace.fullest.seconds,
      });
      return recordCrowd(simulation, { lead: 1, ...lengthFor(entities, isSmoke) }, seed);
    },
  };
}

function claimPlans(plan: ComparisonPlan): CrowdPlan[] {
  return [
    ...mapPlans(plan),
    ...emptyMapPlans(plan),
    ...insertionPlans(plan),
    ...publishedPlans(plan),
    ...cellPlans(plan),
  ];
}

/** Adds the list without index nodes, if a list takes part. */
function withPlainList(contenders: readonly Contender[]): Contender[] {
  return contenders.flatMap((one) => (one.detector === 'cross-list' ? [one, plainList] : [one]));
}

/** All contenders except brute force. */
function withoutBruteForce({ contenders }: ComparisonPlan): Contender[] {
  return contenders.filter(({ name }) => name !== 'brute-force');
}

function mapPlans(plan: ComparisonPlan): CrowdPlan[] {
  const entities = plan.isSmoke ? SMOKE_ENTITIES : CLAIM_ENTITIES;
  const villages = plan.isSmoke ? 2 : VILLAGES;
  return MAP_FACTORS.map((factor) => {
    const label = {
      id: `map/villages/${factor}`,
      series: 'map' as const,
      scenario: 'villages',
      title: `Villages, map × ${factor}`,
    };
    const open = () => createWalkers({ entities, seed: plan.seed, perceived: EVEN });
    return planFor(plan, label, entities, withoutBruteForce(plan), open, (script) =>
      inVillages(script, villages, factor),
    );
  });
}

function emptyMapPlans(plan: ComparisonPlan): CrowdPlan[] {
  const entities = 100;
  return EMPTY_MAP_FACTORS.map((factor) => {
    const label = {
      id: `empty-map/walkers/${factor}`,
      series: 'empty-map' as const,
      scenario: 'walkers',
      title: `A hundred people, map × ${fullCount(factor)}`,
    };
    const open = () => createWalkers({ entities, seed: plan.seed, perceived: SPARSE });
    return planFor(plan, label, entities, withoutBruteForce(plan), open, (script) =>
      scattered(script, factor),
    );
  });
}

/** New entities among entities that perceive nothing: measures only the search for the place. */
function insertionPlans(plan: ComparisonPlan): CrowdPlan[] {
  const populations = plan.isSmoke ? [SMOKE_ENTITIES] : INSERTION_POPULATIONS;
  return populations.map((entities) => ({
    label: {
      id: `insertion/nobody-watching/${entities}`,
      series: 'insertion',
      scenario: 'nobody watching',
      title: 'No watchers',
    },
    contenders: withPlainList(withoutBruteForce(plan)),
    rounds: roundsFor(entities, plan.isSmoke),
    script: async () => {
      const length = { lead: 1, steps: 0, fewSteps: 0, comers: plan.isSmoke ? 3 : NEWCOMERS };
      const crowd = createWalkers({ entities, seed: plan.seed, perceived: EVEN });
      return unwatched(recordCrowd(crowd, length, plan.seed));
    },
  }));
}

/** Players of the published comparison: sensors of radius 100, 6 units per second, ten ticks per second. */
function publishedPlans(plan: ComparisonPlan): CrowdPlan[] {
  const entities = plan.isSmoke ? SMOKE_ENTITIES : 10_000;
  const range = 100;
  return [1000, 10_000].map((half) => {
    const perceived = (entities * Math.PI * range * range) / (2 * half) ** 2;
    const label = {
      id: `published/players/${half}`,
      series: 'published' as const,
      scenario: 'players',
      title: `Players on ±${fullCount(half)}`,
    };
    const open = () =>
      createWalkers({
        entities,
        seed: plan.seed,
        range,
        speed: 6,
        tickSeconds: 0.1,
        perceived: Math.max(0.1, perceived),
      });
    return planFor(plan, label, entities, withPlainList(withoutBruteForce(plan)), open);
  });
}

/** The contenders by cells, and for each the exact one that it is a variant of. */
function cellPlans(plan: ComparisonPlan): CrowdPlan[] {
  const entities = plan.isSmoke ? SMOKE_ENTITIES : CLAIM_ENTITIES;
  const exact = plan.contenders.filter(({ detector }) =>
    cellContenders.some((variant) => variant.detector === detector),
  );
  const variants = cellContenders.filter(({ detector }) => exact.some((one) => one.detector === detector));
  const label = {
    id: 'cells/walkers/1',
    series: 'cells' as const,
    scenario: 'walkers',
    title: `Walkers, ${EVEN} in range, by cells`,
  };
  const open = () => createWalkers({ entities, seed: plan.seed, perceived: EVEN });
  return variants.length === 0 ? [] : [planFor(plan, label, entities, [...exact, ...variants], open)];
}
