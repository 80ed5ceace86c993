/** Made-up results for tests of what follows from rows: times and bytes by contender, nothing measured. */
import type { Comparison, Crowd, Row, Series } from '../src/compare/comparison.ts';
import { type Figure, type FigureName, figureNames } from '../src/compare/figure.ts';
import { Results } from '../src/compare/results.ts';

const SAME_HASH = '00000000000000aa';

/** A crowd of walkers unless said otherwise. */
export function crowdOf(changes: Partial<Crowd> = {}): Crowd {
  const entities = changes.entities ?? 1000;
  return {
    id: `${changes.series ?? 'population'}/${changes.scenario ?? 'walkers'}/${entities}`,
    series: 'population' as Series,
    scenario: 'walkers',
    title: 'Walkers',
    dimensions: 2,
    entities,
    range: 50,
    mapWidth: 1000,
    mapHeight: 1000,
    entitiesPerCell: 10,
    cellsPerEntity: 0.1,
    perceived: 30,
    movers: entities,
    ...changes,
  };
}

/** Milliseconds. */
export type Medians = Partial<Record<FigureName, number>>;

interface RowChanges extends Partial<Omit<Row, 'figures'>> {
  /** Medians in milliseconds; those not named are 1. */
  readonly ms?: Medians;
  /** How far the quartiles are from the median, as a part of it; 0.02 when not said. */
  readonly spread?: number;
}

export function rowOf(
  crowd: Crowd,
  contender: string,
  { ms = {}, spread = 0.02, ...changes }: RowChanges = {},
): Row {
  const figures = Object.fromEntries(figureNames.map((name) => [name, figureAt(ms[name] ?? 1, spread)]));
  return {
    crowd: crowd.id,
    contender,
    isExact: true,
    rounds: 3,
    figures: changes.skipped === undefined ? figures : {},
    memoryBytes: 100 * crowd.entities,
    hash: SAME_HASH,
    ...changes,
  };
}

function figureAt(median: number, spread: number): Figure {
  // As kept, to five digits.
  const at = (factor: number) => Number((median * factor).toPrecision(5));
  return { median, low: at(1 - spread), high: at(1 + spread), samples: 9 };
}

export function comparisonOf(
  crowds: readonly Crowd[],
  rows: readonly Row[],
  changes: Partial<Comparison> = {},
): Comparison {
  return {
    machine: { processor: 'A processor', cores: 2, runtime: 'Node 24' },
    date: '2026-01-02',
    command: 'umwelt compare --seed 1',
    budgetSeconds: 5,
    isSmoke: false,
    crowds,
    rows,
    ...changes,
  };
}

export function resultsOf(crowds: readonly Crowd[], rows: readonly Row[]): Results {
  return new Results(comparisonOf(crowds, rows));
}
