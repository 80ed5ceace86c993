/**
 * Queries on a comparison that tables, plots, verdicts and advice share.
 *
 * The yardstick is `sweep`, the default, if it took part, and otherwise the first exact contender.
 */
import type { Comparison, Crowd, Row, Series } from './comparison.ts';
import type { FigureName } from './figure.ts';

export class Results {
  readonly comparison: Comparison;
  readonly #rows = new Map<string, Row[]>();

  constructor(comparison: Comparison) {
    this.comparison = comparison;
    for (const row of comparison.rows) {
      const rows = this.#rows.get(row.crowd) ?? [];
      this.#rows.set(row.crowd, rows);
      rows.push(row);
    }
  }

  /** In the order of measuring: ascending. */
  crowds(series: Series, scenario?: string): Crowd[] {
    return this.comparison.crowds.filter(
      (crowd) => crowd.series === series && (scenario === undefined || crowd.scenario === scenario),
    );
  }

  crowd(id: string): Crowd | undefined {
    return this.comparison.crowds.find((crowd) => crowd.id === id);
  }

  /** Scenarios of a series, in the order of first appearance. */
  scenarios(series: Series): string[] {
    return [...new Set(this.crowds(series).map(({ scenario }) => scenario))];
  }

  rows(crowd: Crowd): readonly Row[] {
    return this.#rows.get(crowd.id) ?? [];
  }

  row(crowd: Crowd, contender: string): Row | undefined {
    return this.rows(crowd).find((row) => row.contender === contender);
  }

  /** The median in milliseconds. */
  ms(crowd: Crowd, contender: string, figure: FigureName): number | undefined {
    return this.row(crowd, contender)?.figures[figure]?.median;
  }

  /** Ratio of the time of `one` to that of `other`. */
  ratio(crowd: Crowd, one: string, other: string, figure: FigureName): number | undefined {
    const above = this.ms(crowd, one, figure);
    const below = this.ms(crowd, other, figure);
    return above === undefined || below === undefined || below === 0 ? undefined : above / below;
  }

  /** Contenders with rows in these crowds, in the order of measuring. */
  contenders(crowds: readonly Crowd[]): string[] {
    return [...new Set(crowds.flatMap((crowd) => this.rows(crowd).map((row) => row.contender)))];
  }

  yardstick(crowd: Crowd): string | undefined {
    const exact = this.rows(crowd).filter((row) => row.isExact && row.rounds > 0);
    return (exact.find(({ contender }) => contender === 'sweep') ?? exact[0])?.contender;
  }
}
